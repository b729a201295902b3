"""The group coordinator's driver over a log that is a list, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import partition_for
from riacho.broker.deferred import Deferred
from riacho.broker.shard_runtime import GroupRuntime
from riacho.groups.config import GroupConfig
from riacho.groups.decision import Caller
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from riacho.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup
from riacho.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from riacho.wire.records import Record, build_batch, iterate_records
from support.virtual_time import VirtualClock, run_virtual

PARTITIONS = 50
CALLER = Caller("client", "/127.0.0.1")
# A group of the same shard as group g.
NEIGHBOUR = next(n for n in map(str, range(1_000)) if partition_for(n, PARTITIONS) == partition_for("g", PARTITIONS))


class FakeReplicas:
    """One log per partition, in real batches. Held commits stand for followers that have not fetched yet."""

    def __init__(self) -> None:
        self.logs: dict[int, list[bytes]] = {}
        self.reads: list[int] = []
        self.high_watermark: int | None = None
        self.failure: KafkaError | None = None
        self._moved = asyncio.Event()

    def append_internal(
        self, topic: str, partition: int, records: list[tuple[bytes, bytes | None]], now_ms: int
    ) -> int:
        assert topic == "__consumer_offsets"
        if self.failure is not None:
            raise self.failure
        log = self.logs.setdefault(partition, [])
        batch = build_batch(
            [Record(n, 0, key, value) for n, (key, value) in enumerate(records)],
            base_offset=len(log),
            base_timestamp=now_ms,
        )
        log.append(bytes(batch))
        return len(log) - 1

    def is_committed(self, topic: str, partition: int, offset: int) -> bool:
        return self.high_watermark is None or offset < self.high_watermark

    async def committed(self, topic: str, partition: int, offset: int) -> None:
        while not self.is_committed(topic, partition, offset):
            await self._moved.wait()
            self._moved.clear()
            if self.failure is not None:
                raise self.failure

    def read_all(self, topic: str, partition: int) -> Iterator[bytes]:
        self.reads.append(partition)
        if self.failure is not None:
            raise self.failure
        yield b"".join(self.logs.get(partition, []))

    def move(self, high_watermark: int | None) -> None:
        self.high_watermark = high_watermark
        self._moved.set()

    def lose_leadership(self) -> None:
        self.failure = KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        self._moved.set()


class FakeMetadata:
    def __init__(self, ready: bool = True) -> None:
        self.image: Any = SimpleNamespace(topics={})
        if ready:
            self.create()

    def create(self) -> None:
        partitions = tuple(SimpleNamespace(leader=1) for _ in range(PARTITIONS))
        self.image.topics["__consumer_offsets"] = SimpleNamespace(partitions=partitions)

    def offsets_topic_ready(self) -> bool:
        return "__consumer_offsets" in self.image.topics

    async def ensure_offsets_topic(self) -> None:
        self.create()


class World:
    def __init__(self, ready: bool = True) -> None:
        self.clock = VirtualClock()
        self.replicas = FakeReplicas()
        self.metadata = FakeMetadata(ready)
        self.runtime = self.new_runtime()

    def new_runtime(self) -> GroupRuntime:
        names = iter(f"id{n}" for n in range(1_000))
        return GroupRuntime(GroupConfig(), self.replicas, self.clock, self.metadata, lambda: next(names))

    def restart(self) -> None:
        self.runtime.close()
        self.runtime = self.new_runtime()

    def join(self, member_id: str = "", version: int = 9, group_id: str = "g") -> Any:
        request = JoinGroupRequest(
            group_id=group_id,
            session_timeout_ms=10_000,
            rebalance_timeout_ms=60_000,
            member_id=member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
        )
        return self.runtime.join(request, version, CALLER)

    def sync(self, member_id: str, generation: int, assignments: dict[str, bytes] | None = None) -> Any:
        brought = [SyncGroupRequestAssignment(member_id=m, assignment=a) for m, a in (assignments or {}).items()]
        return self.runtime.sync(
            SyncGroupRequest(group_id="g", member_id=member_id, generation_id=generation, assignments=brought)
        )

    def heartbeat(self, member_id: str, generation: int) -> Any:
        return self.runtime.heartbeat(HeartbeatRequest(group_id="g", generation_id=generation, member_id=member_id))

    def commit(self, offset: int, group_id: str = "g") -> Any:
        partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=offset, committed_metadata="")
        topic = OffsetCommitRequestTopic(name="t", partitions=[partition])
        return self.runtime.commit_offsets(OffsetCommitRequest(group_id=group_id, topics=[topic]), 9)

    async def committed(self, group_id: str = "g") -> list[int]:
        answer = await self.runtime.fetch_offsets(
            OffsetFetchRequestGroup(group_id=group_id, topics=None), require_stable=False
        )
        return [partition.committed_offset for topic in answer.topics for partition in topic.partitions]

    async def stable_pair(self) -> tuple[str, str]:
        first, second = self.join(version=3), self.join(version=3)
        leader, follower = [(await arrived(join)).member_id for join in (first, second)]
        parked = self.sync(follower, 1)
        assert is_parked(parked)
        assert (await arrived(self.sync(leader, 1, {leader: b"a", follower: b"b"}))).assignment == b"a"
        assert (await arrived(parked)).assignment == b"b"
        return leader, follower


def is_parked(outcome: Any) -> bool:
    return type(outcome) is Deferred and not outcome.done


async def arrived(outcome: Any) -> Any:
    """The response, once it is there."""
    if type(outcome) is not Deferred:
        return outcome
    future = asyncio.get_running_loop().create_future()
    outcome.then(future.set_result)
    return await asyncio.wait_for(future, 3_600)


Scenario = Callable[[World], Coroutine[Any, Any, None]]


def virtual(scenario: Scenario) -> Callable[[], None]:
    def test() -> None:
        async def main() -> None:
            await scenario(world)

        world = World()
        run_virtual(main(), world.clock)

    test.__name__ = scenario.__name__
    return test


@virtual
async def test_a_rebalance_runs_through_by_the_timers(world: World) -> None:
    leader, follower = await world.stable_pair()
    assert world.heartbeat(leader, 1).error_code == 0
    assert world.heartbeat(follower, 1).error_code == 0
    assert world.runtime.parked_count == 0


@virtual
async def test_heartbeats_and_commits_are_answered_without_waiting(world: World) -> None:
    assert type(world.heartbeat("m", 1)) is not Deferred
    answer = world.commit(7)
    assert answer.topics[0].partitions[0].error_code == 0
    assert await world.committed() == [7]


@virtual
async def test_sessions_end_in_time(world: World) -> None:
    leader, follower = await world.stable_pair()
    for _ in range(3):
        await asyncio.sleep(9)
        assert world.heartbeat(leader, 1).error_code in (0, ErrorCode.REBALANCE_IN_PROGRESS)
    assert world.heartbeat(follower, 1).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    await asyncio.sleep(10)
    assert world.heartbeat(leader, 1).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert (await world.runtime.describe("g", 6)).group_state == "Empty"


@virtual
async def test_a_shard_is_loaded_by_its_first_request_only(world: World) -> None:
    assert world.replicas.reads == []
    world.commit(1)
    world.commit(2)
    assert world.replicas.reads == [partition_for("g", PARTITIONS)]
    assert world.runtime.loaded_partitions == [partition_for("g", PARTITIONS)]


@virtual
async def test_groups_survive_a_restart(world: World) -> None:
    leader, follower = await world.stable_pair()
    for n in range(20):
        world.commit(n, group_id=f"group-{n}")
    world.restart()
    assert world.heartbeat(leader, 1).error_code == 0
    assert (await arrived(world.sync(follower, 1))).assignment == b"b"
    assert [await world.committed(f"group-{n}") for n in range(20)] == [[n] for n in range(20)]
    listed = world.runtime.list_groups(ListGroupsRequest())
    assert {group.group_id for group in listed} == {"g", *(f"group-{n}" for n in range(20))}


@virtual
async def test_a_closed_connection_leaves_nothing_behind(world: World) -> None:
    first, second = world.join(version=3), world.join(version=3)
    assert world.runtime.parked_count == 2
    first.abandon()
    assert world.runtime.parked_count == 1
    assert (await arrived(second)).error_code == 0
    assert world.runtime.parked_count == 0


@virtual
async def test_replies_wait_for_the_commit_in_order(world: World) -> None:
    world.replicas.move(0)
    commit = world.commit(5)
    heartbeat = world.heartbeat("ghost", 1)
    assert is_parked(commit)
    # It changes nothing itself, but may tell what the commit before it did.
    assert is_parked(heartbeat)
    order: list[str] = []
    commit.then(lambda _: order.append("commit"))
    heartbeat.then(lambda _: order.append("heartbeat"))
    await asyncio.sleep(1)
    assert order == []
    world.replicas.move(1)
    await asyncio.sleep(1)
    assert order == ["commit", "heartbeat"]
    assert world.runtime.parked_count == 0


@virtual
async def test_a_read_waits_for_what_it_shows(world: World) -> None:
    world.replicas.move(0)
    world.commit(5)
    reading = asyncio.ensure_future(world.committed())
    await asyncio.sleep(1)
    assert not reading.done()
    world.replicas.move(None)
    assert await reading == [5]


@virtual
async def test_a_cancelled_read_leaves_nothing_behind(world: World) -> None:
    world.replicas.move(0)
    world.commit(5).abandon()
    reading = asyncio.ensure_future(world.committed())
    await asyncio.sleep(1)
    assert world.runtime.parked_count == 1
    reading.cancel()
    await asyncio.sleep(1)
    assert world.runtime.parked_count == 0
    world.replicas.move(None)
    await asyncio.sleep(1)


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_a_failed_append_refuses_all_who_wait_and_reloads(failure: ErrorCode, told: ErrorCode) -> None:
    async def scenario() -> None:
        world.commit(5, NEIGHBOUR)
        parked = world.join(version=3)
        assert is_parked(parked)
        world.replicas.failure = KafkaError(failure)
        assert world.commit(6, NEIGHBOUR).topics[0].partitions[0].error_code == told
        assert (await arrived(parked)).error_code == told
        assert world.runtime.loaded_partitions == []
        world.replicas.failure = None
        assert await world.committed(NEIGHBOUR) == [5]
        assert world.runtime.parked_count == 0

    world = World()
    run_virtual(scenario(), world.clock)


@virtual
async def test_an_append_that_fails_in_a_timeout_refuses_too(world: World) -> None:
    leader, _ = await world.stable_pair()
    world.replicas.failure = KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
    await asyncio.sleep(60)
    assert world.runtime.loaded_partitions == []
    world.replicas.failure = None
    # What was not stored did not happen.
    assert world.heartbeat(leader, 1).error_code == 0


@virtual
async def test_a_commit_that_never_comes_refuses_all_who_wait(world: World) -> None:
    world.replicas.move(0)
    commit = world.commit(5)
    parked = world.join(version=3)
    world.replicas.lose_leadership()
    assert (await arrived(commit)).topics[0].partitions[0].error_code == ErrorCode.NOT_COORDINATOR
    assert (await arrived(parked)).error_code == ErrorCode.NOT_COORDINATOR
    assert world.runtime.parked_count == 0


@virtual
async def test_losing_leadership_sends_clients_away(world: World) -> None:
    parked = world.join(version=3)
    world.runtime.unload(partition_for("g", PARTITIONS))
    assert (await arrived(parked)).error_code == ErrorCode.NOT_COORDINATOR
    world.replicas.failure = KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert world.heartbeat("m", 1).error_code == ErrorCode.NOT_COORDINATOR
    assert world.runtime.list_groups(ListGroupsRequest()) == []


@virtual
async def test_an_error_in_the_core_drops_the_shard(world: World) -> None:
    world.commit(5)
    parked = world.join(version=3)
    loaded = world.runtime._shards[partition_for("g", PARTITIONS)]
    loaded.shard.offsets = None  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        await world.committed()
    assert (await arrived(parked)).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert await world.committed() == [5]


@virtual
async def test_a_reply_may_set_off_the_next_request_at_once(world: World) -> None:
    """A connection serves its next request as soon as it is answered, in the middle of a delivery."""
    joins = [world.join(version=3) for _ in range(3)]
    answers: list[Any] = []

    def on_joined(response: Any) -> None:
        assignments = {m.member_id: m.member_id.encode() for m in response.members}
        outcome = world.sync(response.member_id, 1, assignments)
        answers.append((response.member_id, outcome))

    for join in joins:
        join.then(on_joined)
    await asyncio.sleep(7)
    assert [(await arrived(outcome)).assignment for _, outcome in answers] == [m.encode() for m, _ in answers]
    assert len(answers) == 3


@virtual
async def test_offsets_expire_also_in_shards_nobody_asked_for(world: World) -> None:
    world.commit(5)
    world.commit(6, group_id="other")
    world.restart()
    world.clock.now_s += 8 * 24 * 3600
    world.runtime = world.new_runtime()
    await world.runtime.expire_offsets()
    assert world.runtime.list_groups(ListGroupsRequest()) == []
    assert await world.committed() == []


@virtual
async def test_offsets_of_deleted_topics_go(world: World) -> None:
    world.commit(5)
    world.runtime.forget_topics(["t"])
    assert await world.committed() == []


def test_without_the_offsets_topic_nobody_coordinates_until_somebody_asks_who() -> None:
    async def scenario() -> None:
        code = world.commit(1).topics[0].partitions[0].error_code
        assert code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert world.heartbeat("m", 1).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert world.runtime.list_groups(ListGroupsRequest()) == []
        assert await world.runtime.coordinator_of("g") == 1
        assert world.commit(1).topics[0].partitions[0].error_code == 0

    world = World(ready=False)
    run_virtual(scenario(), world.clock)


@virtual
async def test_a_partition_without_a_leader_has_no_coordinator(world: World) -> None:
    for partition in world.metadata.image.topics["__consumer_offsets"].partitions:
        partition.leader = -1
    with pytest.raises(KafkaError) as caught:
        await world.runtime.coordinator_of("g")
    assert caught.value.code == ErrorCode.COORDINATOR_NOT_AVAILABLE


@virtual
async def test_unreadable_records_do_not_stop_the_loading(world: World) -> None:
    world.commit(5)
    partition = partition_for("g", PARTITIONS)
    world.replicas.append_internal("__consumer_offsets", partition, [(b"\x00\x01\x00", b"\x00\x03")], 0)
    world.replicas.append_internal("__consumer_offsets", partition, [(b"\x00\x02\x00\x01x", b"\x00\x63")], 0)
    world.replicas.append_internal("__consumer_offsets", partition, [(b"\x00\x02\x00\x01x", b"")], 0)
    world.restart()
    assert await world.committed() == [5]


@virtual
async def test_transactional_offsets_count_by_their_markers(world: World) -> None:
    world.commit(5)
    partition = partition_for("g", PARTITIONS)
    log = world.replicas.logs[partition]
    other = World()
    other.commit(9)
    ((key, value),) = [(record.key, record.value) for record in iterate_records(other.replicas.logs[partition][0])]
    for producer_id, marker, offset in ((1, 1, 9), (2, 0, 9), (3, None, 9)):
        transaction = {"producer_id": producer_id, "producer_epoch": 0, "base_timestamp": 0, "transactional": True}
        log.append(bytes(build_batch([Record(0, 0, key, value)], base_offset=len(log), base_sequence=0, **transaction)))
        if marker is not None:
            end = Record(0, 0, b"\x00\x00\x00" + bytes([marker]), b"\x00\x00\x00\x00\x00\x00")
            log.append(bytes(build_batch([end], base_offset=len(log), control=True, **transaction)))
        world.restart()
        assert await world.committed() == [offset]

"""The group coordinator's driver over a log that is a list, in virtual time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import partition_for
from riacho.broker.requests.later import Later
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from riacho.wire.records import Record, build_batch, iterate_records
from support.group_runtime_world import OFFSETS_TOPIC, PARTITIONS, RuntimeWorld, arrived, is_parked, virtual
from support.virtual_time import run_virtual

# A group of the same shard as group g.
NEIGHBOUR = next(n for n in map(str, range(1_000)) if partition_for(n, PARTITIONS) == partition_for("g", PARTITIONS))


@virtual
async def test_a_rebalance_runs_through_by_the_timers(world: RuntimeWorld) -> None:
    leader, follower = await world.stable_pair()
    assert world.heartbeat(leader, 1).error_code == 0
    assert world.heartbeat(follower, 1).error_code == 0
    assert world.runtime.parked_count == 0


@virtual
async def test_heartbeats_and_commits_are_answered_without_waiting(world: RuntimeWorld) -> None:
    assert type(world.heartbeat("m", 1)) is not Later
    answer = world.commit(7)
    assert answer.topics[0].partitions[0].error_code == 0
    assert await world.committed() == [7]


@virtual
async def test_sessions_end_in_time(world: RuntimeWorld) -> None:
    leader, follower = await world.stable_pair()
    for _ in range(3):
        await asyncio.sleep(9)
        assert world.heartbeat(leader, 1).error_code in (0, ErrorCode.REBALANCE_IN_PROGRESS)
    assert world.heartbeat(follower, 1).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    await asyncio.sleep(10)
    assert world.heartbeat(leader, 1).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert (await world.described()).group_state == "Empty"


@virtual
async def test_a_shard_is_loaded_by_its_first_request_only(world: RuntimeWorld) -> None:
    assert world.replicas.reads == []
    world.commit(1)
    world.commit(2)
    assert world.replicas.reads == [partition_for("g", PARTITIONS)]
    assert world.runtime.loaded_partitions == [partition_for("g", PARTITIONS)]


@virtual
async def test_groups_survive_a_restart(world: RuntimeWorld) -> None:
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
async def test_a_closed_connection_leaves_nothing_behind(world: RuntimeWorld) -> None:
    first, second = world.join(version=3), world.join(version=3)
    assert world.runtime.parked_count == 2
    first.abandon()
    assert world.runtime.parked_count == 1
    assert (await arrived(second)).error_code == 0
    assert world.runtime.parked_count == 0


@virtual
async def test_replies_wait_for_the_commit_in_order(world: RuntimeWorld) -> None:
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
async def test_a_read_waits_for_what_it_shows(world: RuntimeWorld) -> None:
    world.replicas.move(0)
    world.commit(5)
    reading = asyncio.ensure_future(world.committed())
    await asyncio.sleep(1)
    assert not reading.done()
    world.replicas.move(None)
    assert await reading == [5]


@virtual
async def test_a_cancelled_read_leaves_nothing_behind(world: RuntimeWorld) -> None:
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

    world = RuntimeWorld()
    run_virtual(scenario(), world.clock)


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.INVALID_PRODUCER_EPOCH),
    ],
)
def test_a_refused_append_is_the_matter_of_who_asked_alone(failure: ErrorCode, told: ErrorCode) -> None:
    async def scenario() -> None:
        world.commit(5, NEIGHBOUR)
        parked = world.join(version=3)
        loads = len(world.replicas.reads)
        world.replicas.failure = KafkaError(failure)
        assert world.commit(6, NEIGHBOUR).topics[0].partitions[0].error_code == told
        world.replicas.failure = None
        assert is_parked(parked)
        assert (await arrived(parked)).error_code == 0
        assert await world.committed(NEIGHBOUR) == [5]
        assert len(world.replicas.reads) == loads

    world = RuntimeWorld()
    run_virtual(scenario(), world.clock)


@virtual
async def test_an_append_that_fails_in_a_timeout_refuses_too(world: RuntimeWorld) -> None:
    leader, _ = await world.stable_pair()
    world.replicas.failure = KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
    await asyncio.sleep(60)
    assert world.runtime.loaded_partitions == []
    world.replicas.failure = None
    # What was not stored did not happen.
    assert world.heartbeat(leader, 1).error_code == 0


@virtual
async def test_a_commit_that_never_comes_refuses_all_who_wait(world: RuntimeWorld) -> None:
    world.replicas.move(0)
    commit = world.commit(5)
    parked = world.join(version=3)
    world.replicas.lose_leadership()
    assert (await arrived(commit)).topics[0].partitions[0].error_code == ErrorCode.NOT_COORDINATOR
    assert (await arrived(parked)).error_code == ErrorCode.NOT_COORDINATOR
    assert world.runtime.parked_count == 0


@virtual
async def test_losing_leadership_sends_clients_away(world: RuntimeWorld) -> None:
    parked = world.join(version=3)
    world.runtime.unload(partition_for("g", PARTITIONS))
    assert (await arrived(parked)).error_code == ErrorCode.NOT_COORDINATOR
    world.replicas.failure = KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert world.heartbeat("m", 1).error_code == ErrorCode.NOT_COORDINATOR
    assert world.runtime.list_groups(ListGroupsRequest()) == []


@virtual
async def test_an_error_in_the_core_drops_the_shard(world: RuntimeWorld) -> None:
    world.commit(5)
    parked = world.join(version=3)
    loaded = world.runtime._shards.loaded[partition_for("g", PARTITIONS)]
    loaded.shard.offsets = None  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        await world.committed()
    assert (await arrived(parked)).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert await world.committed() == [5]


@virtual
async def test_a_reply_may_set_off_the_next_request_at_once(world: RuntimeWorld) -> None:
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
async def test_offsets_expire_also_in_shards_nobody_asked_for(world: RuntimeWorld) -> None:
    world.commit(5)
    world.commit(6, group_id="other")
    world.restart()
    world.clock.now_s += 8 * 24 * 3600
    world.runtime = world.new_runtime()
    await world.runtime.expire_offsets()
    assert world.runtime.list_groups(ListGroupsRequest()) == []
    assert await world.committed() == []


@virtual
async def test_offsets_of_deleted_topics_go(world: RuntimeWorld) -> None:
    world.commit(5)
    world.runtime.forget_topics(["t"])
    assert await world.committed() == []


def test_without_the_offsets_topic_nobody_coordinates_until_somebody_asks_who() -> None:
    async def scenario() -> None:
        code = world.commit(1).topics[0].partitions[0].error_code
        assert code == ErrorCode.NOT_COORDINATOR
        assert world.heartbeat("m", 1).error_code == ErrorCode.NOT_COORDINATOR
        assert world.runtime.list_groups(ListGroupsRequest()) == []
        assert await world.runtime.coordinator_of("g") == 1
        assert world.commit(1).topics[0].partitions[0].error_code == 0

    world = RuntimeWorld(ready=False)
    run_virtual(scenario(), world.clock)


@virtual
async def test_a_partition_without_a_leader_has_no_coordinator(world: RuntimeWorld) -> None:
    world.metadata.image = world.metadata.with_offsets_topic(dict.fromkeys(range(PARTITIONS), -1))
    with pytest.raises(KafkaError) as caught:
        await world.runtime.coordinator_of("g")
    assert caught.value.code == ErrorCode.COORDINATOR_NOT_AVAILABLE


@virtual
async def test_unreadable_records_do_not_stop_the_loading(world: RuntimeWorld) -> None:
    world.commit(5)
    partition = partition_for("g", PARTITIONS)
    world.replicas.append_internal(OFFSETS_TOPIC, partition, [(b"\x00\x01\x00", b"\x00\x03")], 0)
    world.replicas.append_internal(OFFSETS_TOPIC, partition, [(b"\x00\x02\x00\x01x", b"\x00\x63")], 0)
    world.replicas.append_internal(OFFSETS_TOPIC, partition, [(b"\x00\x02\x00\x01x", b"")], 0)
    world.restart()
    assert await world.committed() == [5]


@virtual
async def test_transactional_offsets_count_by_their_markers(world: RuntimeWorld) -> None:
    world.commit(5)
    partition = partition_for("g", PARTITIONS)
    log = world.replicas.logs[partition]
    other = RuntimeWorld()
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

"""The group coordinator's driver without a broker: a log that is a list, metadata that the test sets, virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.coordinators.group_runtime import GroupRuntime
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.requests.later import Later, settled
from riacho.groups.config import GroupConfig
from riacho.groups.operations import (
    DESCRIBE_GROUP,
    HEARTBEAT,
    JOIN_GROUP,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    SYNC_GROUP,
)
from riacho.groups.share.heartbeat import StateToCreate
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Partition, Topic
from riacho.wire.messages.describe_groups_response import DescribedGroup
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from riacho.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup
from riacho.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from riacho.wire.records import Record, build_batch
from support.virtual_time import VirtualClock, run_virtual

OFFSETS_TOPIC = "__consumer_offsets"
PARTITIONS = 50
CALLER = Caller("client", "/127.0.0.1")
TOPIC_ID = b"t" * 16


def no_share_state(wanted: StateToCreate) -> None:
    """For tests that have no share groups."""
    raise AssertionError(f"{wanted} is not for this test")


class FakeReplicas:
    """One log per partition, in real batches. BufferedBytes commits stand for followers that have not fetched yet."""

    node_id = 1

    def __init__(self, topic: str = OFFSETS_TOPIC) -> None:
        self.topic = topic
        self.logs: dict[int, list[bytes]] = {}
        self.reads: list[int] = []
        self.high_watermark: int | None = None
        self.failure: KafkaError | None = None
        # What an append would be refused with, known before it is tried.
        self.unwritable: KafkaError | None = None
        self._moved = asyncio.Event()

    def append_internal(
        self,
        topic: str,
        partition: int,
        records: list[tuple[bytes, bytes | None]],
        now_ms: int,
        producer_id: int = -1,
        producer_epoch: int = -1,
    ) -> int:
        assert topic == self.topic
        if self.failure is not None:
            raise self.failure
        log = self.logs.setdefault(partition, [])
        batch = build_batch(
            [Record(n, 0, key, value) for n, (key, value) in enumerate(records)],
            base_offset=len(log),
            base_timestamp=now_ms,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            transactional=producer_id >= 0,
        )
        log.append(bytes(batch))
        return len(log) - 1

    def check_writable(self, topic: str, partition: int) -> None:
        if self.unwritable is not None:
            raise self.unwritable

    def end_offset(self, topic: str, partition: int) -> int:
        return len(self.logs.get(partition, []))

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


def led_by(leader: int) -> Partition:
    return Partition((leader,), (leader,), leader, 0, 0)


class FakeMetadata(MetadataCache):
    """Of node 1: an image of topic t with two partitions, and of the offsets topic when it is ready."""

    def __init__(self, ready: bool = True) -> None:
        topic = Topic("t", TOPIC_ID, (led_by(1), led_by(1)))
        image = MetadataImage(end_offset=1, topics={"t": topic}, topics_by_id={TOPIC_ID: topic})
        super().__init__(BrokerConfig(), image)
        if ready:
            self.create()

    def create(self) -> None:
        self.image = self.with_offsets_topic({})

    def with_offsets_topic(self, leaders: Mapping[int, int]) -> MetadataImage:
        """The image with the offsets topic's leaders; node 1 leads what is not named."""
        partitions = tuple(led_by(leaders.get(index, 1)) for index in range(PARTITIONS))
        topic = Topic(OFFSETS_TOPIC, b"o" * 16, partitions)
        return replace(self.image, topics={**self.image.topics, OFFSETS_TOPIC: topic})

    async def ensure_offsets_topic(self) -> None:
        self.create()


class RuntimeWorld:
    def __init__(self, ready: bool = True) -> None:
        self.clock = VirtualClock()
        self.replicas = FakeReplicas()
        self.metadata = FakeMetadata(ready)
        self.runtime = self.new_runtime()

    def new_runtime(self) -> GroupRuntime:
        names = iter(f"id{n}" for n in range(1_000))
        return GroupRuntime(
            GroupConfig(),
            self.replicas,
            self.clock,
            self.metadata,
            lambda: next(names),
            create_share_state=no_share_state,
        )

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
        return self.runtime.ask(JOIN_GROUP, request, version, CALLER)

    def sync(self, member_id: str, generation: int, assignments: dict[str, bytes] | None = None) -> Any:
        brought = [SyncGroupRequestAssignment(member_id=m, assignment=a) for m, a in (assignments or {}).items()]
        return self.runtime.ask(
            SYNC_GROUP,
            SyncGroupRequest(group_id="g", member_id=member_id, generation_id=generation, assignments=brought),
        )

    def heartbeat(self, member_id: str, generation: int) -> Any:
        request = HeartbeatRequest(group_id="g", generation_id=generation, member_id=member_id)
        return self.runtime.ask(HEARTBEAT, request)

    def commit(self, offset: int, group_id: str = "g") -> Any:
        partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=offset, committed_metadata="")
        topic = OffsetCommitRequestTopic(name="t", partitions=[partition])
        return self.runtime.ask(OFFSET_COMMIT, OffsetCommitRequest(group_id=group_id, topics=[topic]), 9)

    async def committed(self, group_id: str = "g") -> list[int]:
        asked = OffsetFetchRequestGroup(group_id=group_id, topics=None)
        answer = await settled(self.runtime.ask(OFFSET_FETCH, asked, require_stable=False))
        return [partition.committed_offset for topic in answer.topics for partition in topic.partitions]

    async def described(self) -> DescribedGroup:
        return await settled(self.runtime.ask(DESCRIBE_GROUP, "g", 6))

    async def stable_pair(self) -> tuple[str, str]:
        first, second = self.join(version=3), self.join(version=3)
        leader, follower = [(await arrived(join)).member_id for join in (first, second)]
        parked = self.sync(follower, 1)
        assert is_parked(parked)
        assert (await arrived(self.sync(leader, 1, {leader: b"a", follower: b"b"}))).assignment == b"a"
        assert (await arrived(parked)).assignment == b"b"
        return leader, follower


def is_parked(outcome: Any) -> bool:
    return type(outcome) is Later and not outcome.done


async def arrived(outcome: Any) -> Any:
    """The response, once it is there."""
    if type(outcome) is not Later:
        return outcome
    future = asyncio.get_running_loop().create_future()
    outcome.then(future.set_result)
    return await asyncio.wait_for(future, 3_600)


Scenario = Callable[[RuntimeWorld], Coroutine[Any, Any, None]]


def virtual(scenario: Scenario) -> Callable[[], None]:
    def test() -> None:
        async def main() -> None:
            await scenario(world)

        world = RuntimeWorld()
        run_virtual(main(), world.clock)

    test.__name__ = scenario.__name__
    return test

"""What every coordinator does, with one that counts: each key has a number, which is added to and read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from riacho.base.coordination import NO_PRODUCER_ID, CoordinatorDecision, CoordinatorRecord
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import partition_for
from riacho.base.operation import Operation, reading
from riacho.broker.coordinators.coordinator_runtime import CoordinatorRuntime
from riacho.broker.requests.later import settled
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Partition, Topic
from support.group_runtime_world import FakeReplicas, is_parked
from support.virtual_time import VirtualClock, run_virtual

TOPIC = "__counts"
PARTITIONS = 3
MINE = partition_for("k", PARTITIONS)


class Answer(NamedTuple):
    code: ErrorCode
    total: int = 0


class CountShard:
    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def add(self, request_id: int, now_ms: int, key: str, number: int, *, times: int = 1) -> CoordinatorDecision:
        count = self.counts.get(key, 0) + number * times
        decision = CoordinatorDecision(records=[CoordinatorRecord(key.encode(), str(count).encode())])
        decision.answer(request_id, Answer(ErrorCode.NONE, count))
        return decision

    def count(self, key: str) -> Answer:
        return Answer(ErrorCode.NONE, self.counts.get(key, 0))

    def apply(self, key: bytes, value: bytes | None, producer_id: int = NO_PRODUCER_ID) -> None:
        assert value is not None
        self.counts[key.decode()] = int(value)

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """Nobody counts within a transaction."""

    def finish_loading(self, now_ms: int) -> CoordinatorDecision:
        return CoordinatorDecision()

    def next_deadline_ms(self) -> int | None:
        return None

    def expire(self, now_ms: int) -> CoordinatorDecision:
        return CoordinatorDecision()

    def abandon(self, code: ErrorCode) -> CoordinatorDecision:
        return CoordinatorDecision()


def refused(key: str, code: ErrorCode) -> Answer:
    return Answer(code)


ADD = Operation(lambda key: key, CountShard.add, refused)
COUNT = reading(CountShard.count, key=lambda key: key, refused=refused)


class World:
    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.replicas = FakeReplicas(TOPIC)
        self.image = MetadataImage()
        self.created = 0
        self.runtime = self.new_runtime()

    def new_runtime(self) -> CoordinatorRuntime[CountShard]:
        return CoordinatorRuntime(TOPIC, self.replicas, self.clock, self, self.create_topic, CountShard, 5_000)

    async def create_topic(self) -> None:
        self.created += 1
        self.lead(1)

    def lead(self, leader: int) -> None:
        old = self.image
        topic = Topic(TOPIC, b"c" * 16, (Partition((1, 2), (1, 2), leader, 0, 0),) * PARTITIONS)
        self.image = replace(old, topics={TOPIC: topic})
        self.runtime.image_changed(old, self.image)

    async def add(self, number: int) -> Answer:
        return await settled(self.runtime.ask(ADD, "k", number))


def virtual(scenario: Callable[[World], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    def test() -> None:
        async def main() -> None:
            await scenario(world)
            world.runtime.close()

        world = World()
        run_virtual(main(), world.clock)

    test.__name__ = scenario.__name__
    return test


@virtual
async def test_who_asks_for_the_coordinator_has_its_topic_made(world: World) -> None:
    assert await world.add(1) == Answer(ErrorCode.NOT_COORDINATOR)
    with pytest.raises(KafkaError) as raised:
        world.runtime.coordinator_node("k")
    assert raised.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert await world.runtime.coordinator_of("k") == 1
    assert await world.runtime.partition_of("k") == MINE
    assert world.created == 1
    assert await world.add(1) == Answer(ErrorCode.NONE, 1)


@virtual
async def test_what_else_is_known_of_a_request_reaches_what_decides_it(world: World) -> None:
    world.lead(1)
    assert await settled(world.runtime.ask(ADD, "k", 2, times=3)) == Answer(ErrorCode.NONE, 6)
    assert await settled(world.runtime.ask(COUNT, "k")) == Answer(ErrorCode.NONE, 6)
    assert world.runtime.led_partition_of("k") == MINE


@virtual
async def test_a_reply_waits_for_its_commit_and_a_read_for_what_it_has_seen(world: World) -> None:
    world.lead(1)
    world.replicas.move(0)
    added, read = world.runtime.ask(ADD, "k", 1), world.runtime.ask(COUNT, "k")
    assert is_parked(added)
    assert is_parked(read)
    assert world.runtime.parked_count == 2
    world.replicas.move(None)
    assert [await settled(added), await settled(read)] == [Answer(ErrorCode.NONE, 1)] * 2


@virtual
async def test_while_nothing_may_be_written_there_is_still_reading(world: World) -> None:
    world.lead(1)
    await world.add(4)
    world.replicas.unwritable = KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
    assert await world.add(1) == Answer(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert await settled(world.runtime.ask(COUNT, "k")) == Answer(ErrorCode.NONE, 4)


@virtual
async def test_another_coordinator_takes_over_with_what_is_in_the_log(world: World) -> None:
    world.lead(1)
    await world.add(4)
    world.replicas.move(0)
    parked = world.runtime.ask(ADD, "k", 1)
    world.lead(2)
    assert await settled(parked) == Answer(ErrorCode.NOT_COORDINATOR)
    assert await world.runtime.coordinator_of("k") == 2
    world.replicas.move(None)
    world.runtime = world.new_runtime()
    world.lead(1)
    assert await settled(world.runtime.ask(COUNT, "k")) == Answer(ErrorCode.NONE, 5)


@virtual
async def test_an_append_that_fails_refuses_and_leaves_what_was_stored(world: World) -> None:
    world.lead(1)
    await world.add(4)
    world.replicas.failure = KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert await world.add(1) == Answer(ErrorCode.NOT_COORDINATOR)
    world.replicas.failure = None
    assert await settled(world.runtime.ask(COUNT, "k")) == Answer(ErrorCode.NONE, 4)


@virtual
async def test_a_batch_that_is_refused_is_refused_to_who_asked_and_the_shard_goes_on(world: World) -> None:
    world.lead(1)
    await world.add(4)
    loads = world.replicas.reads.count(MINE)
    world.replicas.high_watermark = 1
    waiting = world.runtime.ask(ADD, "k", 2)
    for code, told in (
        (ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.INVALID_PRODUCER_EPOCH),
    ):
        world.replicas.failure = KafkaError(code)
        assert await world.add(1) == Answer(told)
    world.replicas.failure = None
    world.replicas.move(None)
    assert await settled(waiting) == Answer(ErrorCode.NONE, 6)
    assert await settled(world.runtime.ask(COUNT, "k")) == Answer(ErrorCode.NONE, 6)
    assert world.replicas.reads.count(MINE) == loads


@virtual
async def test_when_nobody_knows_what_a_failed_append_left_the_shard_is_loaded_again(world: World) -> None:
    world.lead(1)
    await world.add(4)
    loads = world.replicas.reads.count(MINE)
    world.replicas.failure = KafkaError(ErrorCode.KAFKA_STORAGE_ERROR)
    assert await world.add(1) == Answer(ErrorCode.NOT_COORDINATOR)
    world.replicas.failure = None
    assert await settled(world.runtime.ask(COUNT, "k")) == Answer(ErrorCode.NONE, 4)
    assert world.replicas.reads.count(MINE) > loads

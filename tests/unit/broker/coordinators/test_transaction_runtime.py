"""The transaction coordinator's driver: markers only after the commit, and none when the leadership is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import partition_for
from riacho.broker.coordinators.transaction_markers import OnWritten
from riacho.broker.coordinators.transaction_runtime import TransactionRuntime
from riacho.broker.requests.later import settled
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topic_names import TRANSACTION_STATE
from riacho.metadata.image.topics import Partition, Topic
from riacho.transactions.config import TransactionConfig
from riacho.transactions.end import END_TXN
from riacho.transactions.init_producer_id import INIT_PRODUCER_ID
from riacho.transactions.markers import MarkersDue
from riacho.transactions.shard import DESCRIBE_TRANSACTION
from riacho.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnTopic, AddPartitionsToTxnTransaction
from riacho.wire.messages.end_txn_request import EndTxnRequest
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.list_transactions_request import ListTransactionsRequest
from support.group_runtime_world import FakeReplicas, arrived, is_parked
from support.virtual_time import VirtualClock, run_virtual

PARTITIONS = 3
ID = "transactional"
MINE = partition_for(ID, PARTITIONS)
WHERE = ("t", 0)


class StateReplicas(FakeReplicas):
    def __init__(self) -> None:
        super().__init__(TRANSACTION_STATE)
        self.epoch = 4

    def leader_epoch(self, topic: str, partition: int) -> int:
        return self.epoch


class Markers:
    def __init__(self) -> None:
        self.due: list[tuple[MarkersDue, int, int]] = []
        self.forgotten: list[int] = []

    def add(self, due: MarkersDue, partition: int, coordinator_epoch: int, on_written: OnWritten) -> None:
        self.due.append((due, partition, coordinator_epoch))

    def forget(self, partitions: Iterable[int]) -> None:
        self.forgotten.extend(partitions)

    def image_changed(self) -> None:
        """Nothing waits here."""


class World:
    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.replicas = StateReplicas()
        self.markers = Markers()
        self.ids_taken = 0
        self.image = self.image_led_by(1)
        self.runtime = self.new_runtime()

    def image_led_by(self, leader: int) -> MetadataImage:
        partition = Partition((leader,), (leader,), leader, self.replicas.epoch, 0)
        topic = Topic(TRANSACTION_STATE, b"x" * 16, (partition,) * PARTITIONS)
        return MetadataImage(topics={TRANSACTION_STATE: topic}, features={"transaction.version": 2})

    def new_runtime(self) -> TransactionRuntime:
        return TransactionRuntime(
            TransactionConfig(), self.replicas, self.clock, self, self.take_producer_id, self.markers
        )

    async def ensure_transaction_topic(self) -> None:
        """It is there."""

    async def take_producer_id(self) -> int:
        self.ids_taken += 1
        return 1_000 + self.ids_taken

    async def initialised(self) -> Any:
        request = InitProducerIdRequest(transactional_id=ID, transaction_timeout_ms=60_000)
        return await settled(self.runtime.ask_with_producer_id(INIT_PRODUCER_ID, request, 5))

    def add(self, started: Any) -> Any:
        transaction = AddPartitionsToTxnTransaction(
            transactional_id=ID,
            producer_id=started.producer_id,
            producer_epoch=started.producer_epoch,
            topics=[AddPartitionsToTxnTopic(name="t", partitions=[0])],
        )
        return self.runtime.add_partitions_of(transaction)

    def end(self, started: Any) -> Any:
        request = EndTxnRequest(
            transactional_id=ID, producer_id=started.producer_id, producer_epoch=started.producer_epoch, committed=True
        )
        return self.runtime.ask_with_producer_id(END_TXN, request, 5)

    async def state(self) -> str:
        return (await settled(self.runtime.ask(DESCRIBE_TRANSACTION, ID))).transaction_state


def virtual(scenario: Callable[[World], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    def test() -> None:
        async def main() -> None:
            await scenario(world)

        world = World()
        run_virtual(main(), world.clock)

    test.__name__ = scenario.__name__
    return test


@virtual
async def test_a_transaction_from_start_to_end(world: World) -> None:
    started = await world.initialised()
    assert started.error_code == 0
    await arrived(world.add(started))
    ended = await settled(world.end(started))
    assert (ended.error_code, ended.producer_epoch) == (0, started.producer_epoch + 1)
    [(due, partition, coordinator_epoch)] = world.markers.due
    assert (due.partitions, due.committed, partition, coordinator_epoch) == (frozenset({WHERE}), True, MINE, 4)
    assert await world.state() == "PrepareCommit"
    world.runtime.markers_written(due, [WHERE])
    assert await world.state() == "CompleteCommit"


@virtual
async def test_one_producer_id_serves_many_requests_that_need_none(world: World) -> None:
    started = await world.initialised()
    for _ in range(5):
        started = await world.initialised()
    assert started.producer_epoch == 5
    assert world.ids_taken == 2  # the one in use, and the spare


@virtual
async def test_markers_wait_for_the_commit_however_late_it_is(world: World) -> None:
    started = await world.initialised()
    await arrived(world.add(started))
    world.replicas.high_watermark = len(world.replicas.logs[MINE])
    outcome = asyncio.ensure_future(settled(world.end(started)))
    await asyncio.sleep(0.1)
    assert not outcome.done()
    refused = await outcome  # after the commit timeout
    assert refused.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert world.markers.due == []
    await asyncio.sleep(20)
    world.replicas.move(None)
    await asyncio.sleep(0.1)
    assert [due.partitions for due, _, _ in world.markers.due] == [frozenset({WHERE})]


@virtual
async def test_a_new_coordinator_finds_what_was_decided(world: World) -> None:
    started = await world.initialised()
    await arrived(world.add(started))
    await settled(world.end(started))
    world.runtime.close()
    world.markers.due.clear()
    world.runtime = world.new_runtime()
    world.runtime.start()
    await asyncio.sleep(0.1)
    assert [due.partitions for due, _, _ in world.markers.due] == [frozenset({WHERE})]


@virtual
async def test_markers_of_a_partition_that_moves_are_forgotten(world: World) -> None:
    await world.initialised()
    old, world.image = world.image, world.image_led_by(2)
    world.runtime.image_changed(old, world.image)
    assert world.markers.forgotten == list(range(PARTITIONS))
    assert world.runtime.coordinator_node(ID) == 2


@virtual
async def test_markers_that_cannot_be_recorded_are_told_again(world: World) -> None:
    started = await world.initialised()
    await arrived(world.add(started))
    await settled(world.end(started))
    [(due, _, _)] = world.markers.due
    world.replicas.unwritable = KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
    with pytest.raises(KafkaError):
        world.runtime.markers_written(due, [WHERE])
    assert world.runtime.loaded_partitions == [MINE]
    world.replicas.unwritable = None
    world.runtime.markers_written(due, [WHERE])
    assert await world.state() == "CompleteCommit"


@virtual
async def test_a_transaction_that_takes_too_long_is_aborted(world: World) -> None:
    started = await world.initialised()
    await arrived(world.add(started))
    await asyncio.sleep(61)
    [(due, _, _)] = world.markers.due
    assert (due.committed, due.producer_epoch) == (False, started.producer_epoch + 1)


@virtual
async def test_listing_and_idle_ids(world: World) -> None:
    await world.initialised()
    assert [each.transactional_id for each in world.runtime.list(ListTransactionsRequest())] == [ID]
    await asyncio.sleep(8 * 24 * 3_600)
    await world.runtime.expire_ids()
    assert world.runtime.list(ListTransactionsRequest()) == []


async def _prepared(world: World) -> MarkersDue:
    started = await world.initialised()
    await arrived(world.add(started))
    await settled(world.end(started))
    [(due, _, _)] = world.markers.due
    world.markers.due.clear()
    return due


@virtual
async def test_a_shard_that_failed_is_loaded_again_though_nobody_asks(world: World) -> None:
    due = await _prepared(world)
    world.replicas.failure = KafkaError(ErrorCode.KAFKA_STORAGE_ERROR)
    with pytest.raises(KafkaError):
        world.runtime.markers_written(due, [WHERE])
    assert world.runtime.loaded_partitions == []
    await asyncio.sleep(30)
    world.replicas.failure = None
    await asyncio.sleep(10)
    assert world.runtime.loaded_partitions == [MINE]
    assert [again for again, _, _ in world.markers.due] == [due]


@virtual
async def test_a_shard_loaded_by_news_of_markers_has_them_all_written_again(world: World) -> None:
    """Told of them at once, it would complete, and what it has just sent out would hit the next transaction."""
    due = await _prepared(world)
    world.runtime.close()
    world.runtime = world.new_runtime()
    world.runtime.markers_written(due, [WHERE])
    assert [again for again, _, _ in world.markers.due] == [due]
    assert await world.state() == "PrepareCommit"


@virtual
async def test_markers_that_were_written_before_their_effect_came_are_not_written_again(world: World) -> None:
    due = await _prepared(world)
    world.runtime.close()
    world.replicas.high_watermark = 0
    world.runtime = world.new_runtime()
    world.runtime.start()
    await asyncio.sleep(0.1)
    assert world.markers.due == []
    world.runtime.markers_written(due, [WHERE])
    world.replicas.move(None)
    await asyncio.sleep(0.1)
    assert await world.state() == "CompleteCommit"
    assert world.markers.due == []


@virtual
async def test_a_new_epoch_of_the_same_leader_starts_over(world: World) -> None:
    due = await _prepared(world)
    world.replicas.epoch += 2
    old, world.image = world.image, world.image_led_by(1)
    world.runtime.image_changed(old, world.image)
    assert world.markers.forgotten == list(range(PARTITIONS))
    await asyncio.sleep(1)
    assert world.markers.due == [(due, MINE, 6)]


@virtual
async def test_who_waits_behind_markers_is_told_in_time(world: World) -> None:
    started = await world.initialised()
    await arrived(world.add(started))
    world.replicas.high_watermark = len(world.replicas.logs[MINE])
    ended = asyncio.ensure_future(settled(world.end(started)))
    await asyncio.sleep(3)
    behind = world.add(started)
    assert is_parked(behind)
    await ended
    refused = await asyncio.wait_for(arrived(behind), 4)
    code = refused.topic_results[0].results_by_partition[0].partition_error_code
    assert code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    world.replicas.move(None)
    await asyncio.sleep(6)
    assert len(world.markers.due) == 1


@virtual
async def test_a_shard_that_was_let_go_writes_nothing(world: World) -> None:
    await world.initialised()
    loaded = world.runtime._shards.loaded[MINE]
    old, world.image = world.image, world.image_led_by(2)
    world.runtime.image_changed(old, world.image)
    written = len(world.replicas.logs[MINE])
    with pytest.raises(KafkaError) as refused:
        loaded.run(lambda shard, now_ms: shard.expire_ids(now_ms + 30 * 24 * 3_600_000))
    assert refused.value.code is ErrorCode.NOT_COORDINATOR
    assert len(world.replicas.logs[MINE]) == written

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.coordination import CoordinatorDecision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.state_batches import StateBatch
from riacho.shares.state_records import ShareKey, Snapshot, StoredState, Update, decode_record
from riacho.shares.state_shard import StateShard

TOPIC_ID = bytes(range(16))
KEY = ShareKey("g1", TOPIC_ID, 0)


class World:
    """A shard, and the log of all it wrote."""

    def __init__(self, updates_per_snapshot: int = 4) -> None:
        self.updates_per_snapshot = updates_per_snapshot
        self.topics = {TOPIC_ID: 2}
        self.log: list[tuple[bytes, bytes | None]] = []
        self.shard = self.new_shard()

    def new_shard(self) -> StateShard:
        return StateShard(self.updates_per_snapshot, lambda topic, index: index < self.topics.get(topic, 0))

    def perform(self, decision: CoordinatorDecision) -> Any:
        self.log += decision.records
        decision.apply_to(self.shard)
        return decision.reply[0].response if decision.reply else None

    def initialize(self, state_epoch: int = 1, start_offset: int = 0, key: ShareKey = KEY) -> Any:
        return self.perform(self.shard.initialize(1, 7, key, state_epoch, start_offset))

    def write(
        self, *batches: StateBatch, leader_epoch: int = 0, state_epoch: int = 1, start: int = 0, complete: int = 0
    ) -> Any:
        change = StoredState(0, state_epoch, leader_epoch, start, complete, batches)
        return self.perform(self.shard.write(1, 8, KEY, change))

    def read(self, leader_epoch: int = 0) -> Any:
        return self.perform(self.shard.read(1, 9, KEY, leader_epoch))

    def kinds(self) -> list[str]:
        return [type(decode_record(key, value)).__name__ for key, value in self.log]

    def reload(self) -> StateShard:
        shard = self.new_shard()
        for key, value in self.log:
            shard.apply(key, value)
        return shard


def code(outcome: Any) -> ErrorCode:
    assert isinstance(outcome, KafkaError)
    return outcome.code


def test_nothing_is_read_or_written_before_it_is_initialized() -> None:
    world = World()
    assert code(world.read()) is ErrorCode.INVALID_REQUEST
    assert code(world.write()) is ErrorCode.INVALID_REQUEST
    summary = world.perform(world.shard.read_summary(1, 9, KEY))
    assert summary == StoredState(0, 0, 0, -1, -1)
    assert world.perform(world.shard.delete(1, 9, KEY)) is None
    assert world.log == []


def test_writes_are_laid_over_one_another() -> None:
    world = World()
    assert world.initialize() is None
    assert world.write(StateBatch(0, 9, 2, 1), StateBatch(10, 12, 0, 2), complete=10) is None
    assert world.write(StateBatch(10, 10, 2, 3), start=5, complete=6) is None
    found = world.read()
    assert found.start_offset == 5
    assert found.state_batches == (StateBatch(5, 9, 2, 1), StateBatch(10, 10, 2, 3), StateBatch(11, 12, 0, 2))
    assert world.perform(world.shard.read_summary(1, 9, KEY)).delivery_complete_count == 6
    assert world.reload().states == world.shard.states


def test_after_so_many_updates_comes_a_snapshot() -> None:
    world = World(updates_per_snapshot=2)
    world.initialize()
    for offset in range(5):
        world.write(StateBatch(offset, offset, 2, 1), start=0, complete=offset + 1)
    assert world.kinds() == ["Snapshot", "Update", "Update", "Snapshot", "Update", "Update"]
    last = decode_record(*world.log[3])
    assert isinstance(last, Snapshot)
    assert last.state is not None
    assert last.state.state_batches == (StateBatch(0, 2, 2, 1),)
    assert (last.state.snapshot_epoch, last.state.write_timestamp_ms) == (1, 8)
    update = decode_record(*world.log[5])
    assert isinstance(update, Update)
    assert update.change.snapshot_epoch == 1
    assert world.reload().states == world.shard.states


def test_no_updates_at_all_makes_every_write_a_snapshot() -> None:
    world = World(updates_per_snapshot=0)
    world.initialize()
    world.write(StateBatch(0, 0, 2, 1))
    assert world.kinds() == ["Snapshot", "Snapshot"]


def test_an_older_leader_is_refused_once_a_newer_one_has_read() -> None:
    world = World()
    world.initialize()
    assert world.read(3).leader_epoch == 3
    assert code(world.read(2)) is ErrorCode.FENCED_LEADER_EPOCH
    assert code(world.write(leader_epoch=2)) is ErrorCode.FENCED_LEADER_EPOCH
    world.shard = world.reload()
    assert code(world.write(leader_epoch=2)) is ErrorCode.FENCED_LEADER_EPOCH
    assert world.write(leader_epoch=3) is None
    records = len(world.log)
    world.read(3)
    assert len(world.log) == records


def test_a_higher_state_epoch_starts_anew_and_refuses_writers_of_the_old_one() -> None:
    world = World()
    world.initialize(1)
    world.write(StateBatch(0, 9, 2, 1))
    assert code(world.initialize(0, 5)) is ErrorCode.FENCED_STATE_EPOCH
    assert world.initialize(2, 40) is None
    assert code(world.write(StateBatch(10, 10, 2, 1))) is ErrorCode.FENCED_STATE_EPOCH
    found = world.read()
    assert (found.state_epoch, found.start_offset, found.state_batches) == (2, 40, ())
    assert world.reload().states == world.shard.states


def test_what_is_not_said_stays_as_it_is() -> None:
    world = World()
    world.initialize(3, 10)
    world.read(4)
    assert world.write(StateBatch(12, 12, 2, 1), leader_epoch=-1, state_epoch=-1, start=-1) is None
    found = world.read(4)
    assert (found.state_epoch, found.leader_epoch, found.start_offset) == (3, 4, 10)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (ShareKey("g1", TOPIC_ID, -1), ErrorCode.INVALID_REQUEST),
        (ShareKey("g1", TOPIC_ID, 2), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (ShareKey("g1", b"x" * 16, 0), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_partitions_that_do_not_exist_have_no_state(key: ShareKey, expected: ErrorCode) -> None:
    world = World()
    assert code(world.initialize(key=key)) is expected
    assert code(world.perform(world.shard.read_summary(1, 9, key))) is expected
    # That it was never initialized is what these two say first, as Apache Kafka does.
    assert code(world.perform(world.shard.read(1, 0, key, 0))) is ErrorCode.INVALID_REQUEST
    assert code(world.perform(world.shard.write(1, 0, key, StoredState(0, 0, 0, 0, 0)))) is ErrorCode.INVALID_REQUEST


def test_the_state_of_a_topic_that_is_gone_is_neither_read_nor_written() -> None:
    world = World()
    world.initialize()
    world.topics.clear()
    assert code(world.read()) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert code(world.write()) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert world.perform(world.shard.delete(1, 9, KEY)) is None
    assert world.shard.states == {}


def test_a_deleted_share_partition_starts_from_nothing() -> None:
    world = World()
    world.initialize(5)
    world.read(9)
    assert world.perform(world.shard.delete(1, 9, KEY)) is None
    assert code(world.read(9)) is ErrorCode.INVALID_REQUEST
    assert world.initialize(1) is None
    assert world.read(0).state_epoch == 1
    assert world.reload().states == world.shard.states


def test_snapshots_make_all_before_them_needless() -> None:
    world = World(updates_per_snapshot=100)
    other = ShareKey("g2", TOPIC_ID, 1)
    world.initialize()
    world.initialize(key=other)
    for offset in range(20):
        world.write(StateBatch(offset, offset, 2 if offset % 3 else 0, 1), complete=offset)
    start = len(world.log)
    world.perform(world.shard.snapshot([KEY, other], 99))
    expected = world.shard.states
    world.log = world.log[start:]
    assert world.reload().states == expected
    assert len(world.log) == 2


def test_snapshots_let_go_of_topics_that_are_gone() -> None:
    world = World()
    world.initialize()
    world.topics.clear()
    world.perform(world.shard.snapshot([KEY, ShareKey("g9", TOPIC_ID, 0)], 99))
    assert world.shard.states == {}


def test_initialize_asked_twice_takes_nothing_away() -> None:
    """The group coordinator asks again when the first answer is late, and by then records may be finished."""
    world = World()
    world.initialize(1, -1)
    world.write(StateBatch(50, 54, 2, 1), start=50, complete=5)
    assert world.initialize(1, -1) is None
    assert world.read().start_offset == 50
    assert world.read().state_batches == (StateBatch(50, 54, 2, 1),)
    assert world.initialize(1, 7) is None
    assert (world.read().start_offset, world.read().state_batches) == (7, ())


def test_a_write_that_comes_late_does_not_take_the_group_back() -> None:
    world = World()
    world.initialize()
    world.write(StateBatch(0, 4, 2, 1), start=0, complete=5)
    world.write(StateBatch(7, 7, 2, 1), start=5, complete=1)
    assert world.write(StateBatch(0, 4, 2, 1), start=0, complete=5) is None
    found = world.read()
    assert (found.start_offset, found.delivery_complete_count) == (5, 1)
    assert found.state_batches == (StateBatch(7, 7, 2, 1),)
    assert world.reload().states == world.shard.states

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from support.transaction_world import OFFSETS, T0, T1, TransactionWorld


@pytest.fixture
def world() -> TransactionWorld:
    """With a prepared transaction of three partitions."""
    world = TransactionWorld()
    producer = world.initialised()
    world.add(producer, T0, T1)
    world.add_offsets(producer)
    world.commit(producer)
    return world


def described(world: TransactionWorld) -> set[tuple[str, int]]:
    topics = world.shard.describe("tx").topics
    return {(topic.topic, partition) for topic in topics for partition in topic.partitions}


def test_the_last_marker_completes_the_transaction(world: TransactionWorld) -> None:
    (due,) = world.due
    world.confirm(due, [T0])
    assert (world.state, described(world)) == ("PrepareCommit", {T1, OFFSETS})
    world.confirm(due, [T0, OFFSETS])
    assert (world.state, described(world)) == ("PrepareCommit", {T1})
    world.pass_time(5)
    world.confirm(due, [T1])
    assert (world.state, described(world)) == ("CompleteCommit", set())
    assert world.transaction().last_update_ms == world.now_ms


def test_partitions_that_are_not_of_the_transaction_do_not_count(world: TransactionWorld) -> None:
    world.confirm(world.due[0], [("u", 0), ("t", 9), ("v", 1)])
    assert described(world) == {T0, T1, OFFSETS}


def test_news_of_another_transaction_changes_nothing(world: TransactionWorld) -> None:
    (due,) = world.due
    before = len(world.log)
    for producer_id, producer_epoch in ((due.producer_id + 1, due.producer_epoch), (due.producer_id, 0)):
        decision = world.shard.markers_written("tx", producer_id, producer_epoch, due.partitions, world.now_ms)
        assert not decision.records
    assert not world.shard.markers_written("other", 1, 1, [T0], world.now_ms).records
    assert described(world) == {T0, T1, OFFSETS}
    world.confirm(due, due.partitions)
    world.confirm(due, due.partitions)
    assert len(world.log) == before + 1


def test_after_a_fail_over_all_are_sent_again(world: TransactionWorld) -> None:
    (due,) = world.due
    world.confirm(due, [T0])
    world.restart()
    assert world.due == [due]
    assert described(world) == {T0, T1, OFFSETS}
    world.write_markers()
    assert world.state == "CompleteCommit"
    world.restart()
    assert world.due == []


def test_a_prepared_transaction_without_partitions_completes_on_load() -> None:
    """Another coordinator may have stopped in between."""
    world = TransactionWorld()
    producer = world.initialised()
    world.abort(producer)
    world.log.pop()
    world.restart()
    assert (world.state, world.due) == ("CompleteAbort", [])


def test_nobody_waits_in_the_shard(world: TransactionWorld) -> None:
    decision = world.shard.abandon(ErrorCode.NOT_COORDINATOR)
    assert (decision.records, decision.reply, decision.effects) == ([], [], [])

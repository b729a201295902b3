from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.transactions.config import TransactionConfig
from riacho.transactions.state import ONGOING
from riacho.transactions.timeouts import Timeouts
from riacho.transactions.transaction import Transaction
from support.transaction_world import ID, T0, T1, TransactionWorld


@pytest.mark.parametrize("transaction_version", [1, 2])
def test_a_transaction_that_takes_too_long_is_aborted_and_fenced(transaction_version: int) -> None:
    world = TransactionWorld(transaction_version=transaction_version)
    pid, epoch = world.initialised(timeout_ms=100)
    assert world.shard.next_deadline_ms() is None
    world.add((pid, epoch), T0)
    world.pass_time(60)
    world.add((pid, epoch), T1)
    # The time runs from the first partition on, and the last millisecond is the producer's.
    world.pass_time(40)
    assert world.state == "Ongoing"
    world.pass_time(1)
    assert (world.state, world.producer) == ("PrepareAbort", (pid, epoch + 1))
    (due,) = world.due
    assert (due.producer_epoch, due.committed, due.partitions) == (epoch + 1, False, {T0, T1})
    assert world.shard.next_deadline_ms() is None
    world.write_markers()
    assert world.add((pid, epoch), T0) is ErrorCode.PRODUCER_FENCED


def test_v1_the_late_producer_is_fenced() -> None:
    world = TransactionWorld(transaction_version=1)
    producer = world.initialised(timeout_ms=100)
    world.add(producer, T0, version=3)
    world.pass_time(101)
    world.write_markers()
    assert world.commit(producer, 4) is ErrorCode.PRODUCER_FENCED
    assert world.abort(producer, 4) is ErrorCode.PRODUCER_FENCED


def test_v2_the_late_producer_may_abort_and_go_on() -> None:
    world = TransactionWorld()
    producer = world.initialised(timeout_ms=100)
    world.add(producer, T0)
    world.pass_time(101)
    world.write_markers()
    assert world.commit(producer) is ErrorCode.INVALID_TXN_STATE
    response = world.ask_end(producer, committed=False)
    assert (response.producer_id, response.producer_epoch) == world.producer
    assert world.add(world.producer, T0) is ErrorCode.NONE


def test_an_ended_transaction_has_no_timeout() -> None:
    world = TransactionWorld()
    producer = world.initialised(timeout_ms=100)
    world.add(producer, T0)
    world.commit(producer)
    assert world.shard.next_deadline_ms() is None
    world.write_markers()
    world.pass_time(50)
    world.add(world.producer, T0)
    assert world.shard.next_deadline_ms() == world.now_ms + 101


def test_timeouts_go_on_after_a_fail_over() -> None:
    world = TransactionWorld()
    world.add(world.initialised(timeout_ms=100), T0)
    deadline_ms = world.shard.next_deadline_ms()
    world.restart()
    assert world.shard.next_deadline_ms() == deadline_ms
    world.pass_time(500)
    assert world.state == "PrepareAbort"


def test_a_pause_between_two_looks() -> None:
    world = TransactionWorld(TransactionConfig(timeout_check_interval_ms=1_000))
    for number, timeout_ms in enumerate((100, 100, 150)):
        name = f"tx-{number}"
        world.add(world.initialised(name, timeout_ms=timeout_ms), T0, transactional_id=name)
    world.pass_time(101)
    assert [due.transactional_id for due in world.due] == ["tx-0", "tx-1"]
    world.pass_time(999)
    assert len(world.due) == 2
    assert not world.shard.expire(world.now_ms).records
    world.pass_time(1)
    assert len(world.due) == 3


def test_v2_the_last_epoch_waits_for_a_producer_id() -> None:
    world = TransactionWorld()
    pid, _ = world.initialised(timeout_ms=100)
    world.edit(producer_epoch=32_766)
    world.add((pid, 32_766), T0)
    world.pass_time(101)
    assert (world.state, world.wanting_id) == ("Ongoing", [ID])
    # Nobody had one: it is asked for again.
    world.pass_time(10_001)
    assert world.wanting_id == [ID, ID]
    world.give_producer_ids()
    assert (world.state, world.due[0].producer_epoch) == ("PrepareAbort", 32_767)
    world.write_markers()
    assert world.producer[0] > pid
    assert world.producer[1] == 0
    assert world.ask_end((pid, 32_766), committed=False).producer_id == world.producer[0]


def test_a_producer_id_that_comes_too_late_is_not_used() -> None:
    world = TransactionWorld()
    pid, _ = world.initialised(timeout_ms=100)
    world.edit(producer_epoch=32_766)
    world.add((pid, 32_766), T0)
    world.pass_time(101)
    world.commit((pid, 32_766))
    world.write_markers()
    fresh = world.producer
    world.add(fresh, T0)
    before = len(world.log)
    world.give_producer_ids()
    assert not world.shard.abort_timed_out("other", world.now_ms).records
    assert (world.state, len(world.log)) == ("Ongoing", before)


def test_v1_the_last_epoch_needs_no_producer_id() -> None:
    world = TransactionWorld(transaction_version=1)
    pid, _ = world.initialised(timeout_ms=100)
    world.edit(producer_epoch=32_766)
    world.add((pid, 32_766), T0, version=3)
    world.pass_time(101)
    assert (world.state, world.producer) == ("PrepareAbort", (pid, 32_767))
    assert not world.wanting_id


def test_transactions_that_end_in_time_leave_nothing_behind() -> None:
    timeouts = Timeouts(10_000)
    for number in range(10_000):
        started = Transaction(
            transactional_id="x", producer_id=1, timeout_ms=900_000, state=ONGOING, start_ms=number, last_update_ms=0
        )
        timeouts.follow(started)
        timeouts.forget("x")
    assert len(timeouts._heap) < 2_000
    assert timeouts.next_ms() is None

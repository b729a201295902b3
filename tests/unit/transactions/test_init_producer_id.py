from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.transactions.config import TransactionConfig
from riacho.transactions.init_producer_id import INIT_PRODUCER_ID
from riacho.transactions.transaction import NO_TIMEOUT_MS
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from support.transaction_world import ID, T0, TransactionWorld

NONE = ErrorCode.NONE


def code_of(world: TransactionWorld, **how: object) -> ErrorCode:
    return ErrorCode(world.init(**how).error_code)  # type: ignore[arg-type]


def test_a_new_id_gets_a_producer_id_and_epoch_0() -> None:
    world = TransactionWorld()
    assert world.initialised(timeout_ms=1_234) == (1_000, 0)
    transaction = world.transaction()
    assert (transaction.state.label, transaction.timeout_ms, transaction.start_ms) == ("Empty", 1_234, -1)
    assert transaction.last_update_ms == world.now_ms
    assert len(world.log) == 1


def test_without_a_transactional_id_anyone_gets_a_producer_id() -> None:
    world = TransactionWorld()
    response = world.init(None, timeout_ms=-1)
    assert (response.error_code, response.producer_id, response.producer_epoch) == (NONE, 1_000, 0)
    assert not world.log


def test_a_decision_takes_a_producer_id_only_where_it_needs_one() -> None:
    world = TransactionWorld()
    request = InitProducerIdRequest(transactional_id=ID, transaction_timeout_ms=60_000)
    taken = []
    for producer_epoch in (None, None, 32_766):
        if producer_epoch is not None:
            world.edit(producer_epoch=producer_epoch)
        before = len(world.taken_producer_ids)
        world.run(world.decide(INIT_PRODUCER_ID, request, 5))
        taken.append(len(world.taken_producer_ids) > before)
    # A new id, another epoch of it, and a producer id whose epochs are used up.
    assert taken == [True, False, True]
    world.decide(INIT_PRODUCER_ID, InitProducerIdRequest(transactional_id=None), 5)
    assert len(world.taken_producer_ids) == 3


def test_coming_again_bumps_the_epoch() -> None:
    world = TransactionWorld()
    world.initialised()
    assert world.initialised(timeout_ms=5) == (1_000, 1)
    assert world.transaction().timeout_ms == 5


@pytest.mark.parametrize("timeout_ms", [-1, 0, 900_001])
def test_a_timeout_out_of_bounds(timeout_ms: int) -> None:
    world = TransactionWorld()
    assert code_of(world, timeout_ms=timeout_ms) is ErrorCode.INVALID_TRANSACTION_TIMEOUT
    assert not world.log


def test_the_longest_timeout_is_fine() -> None:
    assert code_of(TransactionWorld(), timeout_ms=900_000) is NONE


def test_bad_requests() -> None:
    world = TransactionWorld()
    assert code_of(world, transactional_id="") is ErrorCode.INVALID_REQUEST
    assert code_of(world, producer_id=5, timeout_ms=0) is ErrorCode.INVALID_REQUEST
    assert code_of(world, transactional_id=None, producer_id=5) is ErrorCode.INVALID_REQUEST
    assert code_of(world, producer_epoch=5) is ErrorCode.INVALID_REQUEST
    refused = world.init("")
    assert (refused.producer_id, refused.producer_epoch) == (-1, -1)
    assert not world.log


# KIP-360: a client that says what it has


def test_a_client_goes_on_with_what_it_has() -> None:
    world = TransactionWorld()
    pid, epoch = world.initialised()
    assert world.initialised(producer_id=pid, producer_epoch=epoch) == (pid, 1)


def test_a_repeated_request_gets_the_same_answer() -> None:
    world = TransactionWorld()
    pid, epoch = world.initialised()
    first = world.initialised(producer_id=pid, producer_epoch=epoch)
    assert world.initialised(producer_id=pid, producer_epoch=epoch) == first


def test_a_repeated_request_is_fenced_after_a_newcomer() -> None:
    world = TransactionWorld()
    pid, epoch = world.initialised()
    world.initialised(producer_id=pid, producer_epoch=epoch)
    world.initialised()
    assert code_of(world, producer_id=pid, producer_epoch=epoch) is ErrorCode.PRODUCER_FENCED


def test_a_repeated_request_is_fenced_after_a_fail_over() -> None:
    """The last epoch is not in the log, in Kafka neither."""
    world = TransactionWorld()
    pid, epoch = world.initialised()
    world.initialised(producer_id=pid, producer_epoch=epoch)
    world.restart()
    assert code_of(world, producer_id=pid, producer_epoch=epoch) is ErrorCode.PRODUCER_FENCED


@pytest.mark.parametrize(
    ("version", "code"),
    [(3, ErrorCode.INVALID_PRODUCER_EPOCH), (4, ErrorCode.PRODUCER_FENCED), (5, ErrorCode.PRODUCER_FENCED)],
)
def test_what_a_fenced_producer_is_told_by_version(version: int, code: ErrorCode) -> None:
    world = TransactionWorld()
    pid, epoch = world.initialised()
    world.initialised()
    assert code_of(world, producer_id=pid, producer_epoch=epoch, version=version) is code
    assert code_of(world, producer_id=pid + 50, producer_epoch=1, version=version) is code


def test_an_expired_id_takes_whoever_comes() -> None:
    world = TransactionWorld()
    assert world.initialised(producer_id=77, producer_epoch=9) == (1_000, 0)


# An open transaction


@pytest.mark.parametrize("transaction_version", [0, 1, 2])
def test_an_open_transaction_is_aborted_and_its_producer_fenced(transaction_version: int) -> None:
    world = TransactionWorld(transaction_version=transaction_version)
    old = world.initialised()
    world.add(old, T0, version=3)
    assert code_of(world) is ErrorCode.CONCURRENT_TRANSACTIONS
    assert (world.state, world.producer) == ("PrepareAbort", (old[0], 1))
    assert code_of(world) is ErrorCode.CONCURRENT_TRANSACTIONS
    (due,) = world.due
    assert (due.producer_epoch, due.committed, due.partitions) == (1, False, {T0})
    assert due.transaction_version == (2 if transaction_version == 2 else 0)
    world.write_markers()
    assert world.state == "CompleteAbort"
    assert world.add(old, T0) is ErrorCode.PRODUCER_FENCED
    assert world.initialised() == (old[0], 2)


def test_a_fenced_producer_does_not_abort_an_open_transaction() -> None:
    world = TransactionWorld()
    producer = world.initialised()
    world.add(producer, T0)
    assert code_of(world, producer_id=55, producer_epoch=0) is ErrorCode.PRODUCER_FENCED
    assert world.state == "Ongoing"


@pytest.mark.parametrize("committed", [True, False])
def test_while_markers_are_being_written(committed: bool) -> None:
    world = TransactionWorld()
    producer = world.initialised()
    world.add(producer, T0)
    world.ask_end(producer, committed=committed)
    assert code_of(world) is ErrorCode.CONCURRENT_TRANSACTIONS
    # Also who would be fenced: the epoch is about to change.
    assert code_of(world, producer_id=55, producer_epoch=0) is ErrorCode.CONCURRENT_TRANSACTIONS


# Epochs that are used up


def test_another_producer_id_when_the_epochs_are_used_up() -> None:
    world = TransactionWorld()
    pid, _ = world.initialised()
    world.edit(producer_epoch=32_765)
    assert world.initialised() == (pid, 32_766)
    fresh, epoch = world.initialised()
    assert fresh > pid
    assert epoch == 0
    assert world.transaction().previous_producer_id == pid


def test_a_repeated_request_for_another_producer_id() -> None:
    world = TransactionWorld()
    pid, _ = world.initialised()
    world.edit(producer_epoch=32_766)
    fresh = world.initialised(producer_id=pid, producer_epoch=32_766)
    assert fresh[1] == 0
    assert world.initialised(producer_id=pid, producer_epoch=32_766) == fresh
    assert code_of(world, producer_id=pid, producer_epoch=32_765) is ErrorCode.PRODUCER_FENCED


def test_a_repeated_request_that_used_up_the_epochs() -> None:
    world = TransactionWorld()
    pid, _ = world.initialised()
    world.edit(producer_epoch=32_765)
    assert world.initialised(producer_id=pid, producer_epoch=32_765) == (pid, 32_766)
    assert world.initialised(producer_id=pid, producer_epoch=32_765) == (pid, 32_766)
    assert code_of(world, producer_id=pid, producer_epoch=12) is ErrorCode.PRODUCER_FENCED


@pytest.mark.parametrize("transaction_version", [1, 2])
def test_fencing_the_last_epoch(transaction_version: int) -> None:
    world = TransactionWorld(transaction_version=transaction_version)
    pid, _ = world.initialised()
    world.edit(producer_epoch=32_766)
    world.add((pid, 32_766), T0)
    assert code_of(world) is ErrorCode.CONCURRENT_TRANSACTIONS
    assert world.due[0].producer_epoch == 32_767
    assert world.due[0].producer_id == pid
    world.write_markers()
    fresh, epoch = world.initialised()
    assert fresh > pid
    # With transactions v2 the abort brought another producer id already.
    assert epoch == (1 if transaction_version == 2 else 0)


# KIP-939


def test_two_phase_commit_has_to_be_enabled() -> None:
    world = TransactionWorld()
    assert code_of(world, version=6, enable2_pc=True) is ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert code_of(world, version=6, keep_prepared_txn=True) is ErrorCode.UNSUPPORTED_VERSION
    assert ID not in world.shard.transactions


def test_two_phase_commit_has_no_timeout() -> None:
    world = TransactionWorld(TransactionConfig(two_phase_commit=True))
    producer = world.initialised(version=6, enable2_pc=True, timeout_ms=-1)
    world.add(producer, T0)
    assert world.transaction().timeout_ms == NO_TIMEOUT_MS
    assert world.shard.next_deadline_ms() is None


def test_v1_a_fenced_producer_is_not_taken_for_a_repeated_request() -> None:
    world = TransactionWorld(transaction_version=1)
    pid, epoch = world.initialised()
    world.initialised(producer_id=pid, producer_epoch=epoch)
    world.add((pid, 1), T0, version=3)
    world.init()
    world.write_markers()
    assert code_of(world, producer_id=pid, producer_epoch=epoch) is ErrorCode.PRODUCER_FENCED

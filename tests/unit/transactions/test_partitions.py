from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from support.transaction_world import OFFSETS, T0, T1, TransactionWorld

NONE = ErrorCode.NONE


@pytest.fixture
def world() -> TransactionWorld:
    return TransactionWorld()


@pytest.mark.parametrize(("version", "client_version"), [(0, 0), (3, 0), (4, 2), (5, 2)])
def test_the_first_partition_opens_the_transaction(world: TransactionWorld, version: int, client_version: int) -> None:
    producer = world.initialised()
    world.pass_time(10)
    assert world.add(producer, T0, version=version) is NONE
    transaction = world.transaction()
    assert (transaction.state.label, transaction.partitions) == ("Ongoing", {T0})
    assert transaction.start_ms == transaction.last_update_ms == world.now_ms
    assert transaction.client_version == client_version


def test_more_partitions(world: TransactionWorld) -> None:
    producer = world.initialised()
    world.add(producer, T0)
    start_ms = world.now_ms
    world.pass_time(10)
    assert world.add(producer, T0, T1) is NONE
    assert world.transaction().partitions == {T0, T1}
    assert (world.transaction().start_ms, world.transaction().last_update_ms) == (start_ms, start_ms + 10)


def test_known_partitions_write_nothing(world: TransactionWorld) -> None:
    producer = world.initialised()
    world.add(producer, T0, T1)
    before = len(world.log)
    assert world.add(producer, T1) is NONE
    assert len(world.log) == before


def test_the_next_transaction_starts_anew(world: TransactionWorld) -> None:
    producer = world.initialised()
    world.add(producer, T0)
    world.commit(producer)
    world.write_markers()
    world.pass_time(10)
    assert world.add((producer[0], 1), T1) is NONE
    assert world.transaction().partitions == {T1}
    assert world.transaction().start_ms == world.now_ms


def test_offsets_are_a_partition_too(world: TransactionWorld) -> None:
    producer = world.initialised()
    assert world.add_offsets(producer) is NONE
    assert world.transaction().partitions == {OFFSETS}
    assert world.transaction().client_version == 0


def test_who_may_not_add(world: TransactionWorld) -> None:
    pid, epoch = world.initialised()
    world.initialised()
    for add in (world.add, world.add_offsets):
        where = (T0,) if add == world.add else ()
        assert add((pid, epoch), *where) is ErrorCode.PRODUCER_FENCED
        assert add((pid, epoch + 2), *where) is ErrorCode.PRODUCER_FENCED
        assert add((pid + 1, 1), *where) is ErrorCode.INVALID_PRODUCER_ID_MAPPING
        assert add((pid, 1), *where, transactional_id="other") is ErrorCode.INVALID_PRODUCER_ID_MAPPING
        assert add((pid, 1), *where, transactional_id="") is ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(("version", "code"), [(1, ErrorCode.INVALID_PRODUCER_EPOCH), (2, ErrorCode.PRODUCER_FENCED)])
def test_what_a_fenced_producer_is_told_by_version(world: TransactionWorld, version: int, code: ErrorCode) -> None:
    producer = world.initialised()
    world.initialised()
    assert world.add(producer, T0, version=version) is code
    assert world.add_offsets(producer, version=version) is code


@pytest.mark.parametrize("version", [4, 5])
def test_while_markers_are_being_written(world: TransactionWorld, version: int) -> None:
    """Before any check of the epoch: a client of transactions v2 has its new one already."""
    pid, epoch = world.initialised()
    world.add((pid, epoch), T0)
    world.ask_end((pid, epoch), committed=True, version=version)
    for each in (epoch, epoch + 1):
        assert world.add((pid, each), T1) is ErrorCode.CONCURRENT_TRANSACTIONS
        assert world.add_offsets((pid, each)) is ErrorCode.CONCURRENT_TRANSACTIONS


# Verification on behalf of a partition's leader


def test_verification(world: TransactionWorld) -> None:
    producer = world.initialised()
    world.add(producer, T0)
    before = len(world.log)
    assert world.verify(producer, T0) is NONE
    assert world.verify(producer, T1) is ErrorCode.TRANSACTION_ABORTABLE
    assert world.verify(producer, T0, T1) == {T0: NONE, T1: ErrorCode.TRANSACTION_ABORTABLE}
    assert len(world.log) == before


def test_verification_of_others(world: TransactionWorld) -> None:
    pid, epoch = world.initialised()
    assert world.verify((pid, epoch), T0) is ErrorCode.TRANSACTION_ABORTABLE
    assert world.verify((pid, epoch + 1), T0) is ErrorCode.PRODUCER_FENCED
    assert world.verify((pid + 1, epoch), T0) is ErrorCode.INVALID_PRODUCER_ID_MAPPING
    assert world.add((pid, epoch), T0, transactional_id="", verify_only=True) is ErrorCode.INVALID_REQUEST
    missing = world.add((pid, epoch), T0, transactional_id="other", verify_only=True)
    assert missing is ErrorCode.INVALID_PRODUCER_ID_MAPPING


def test_verification_while_markers_are_being_written(world: TransactionWorld) -> None:
    """Here the epoch counts first."""
    pid, epoch = world.initialised()
    world.add((pid, epoch), T0)
    world.commit((pid, epoch))
    assert world.verify((pid, epoch), T0) is ErrorCode.PRODUCER_FENCED
    assert world.verify((pid, epoch + 1), T0) is ErrorCode.CONCURRENT_TRANSACTIONS

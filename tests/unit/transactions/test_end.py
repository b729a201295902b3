from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.transactions.markers import MarkersDue
from support.transaction_world import ID, T0, T1, TransactionWorld

NONE = ErrorCode.NONE
FENCED = ErrorCode.PRODUCER_FENCED
INVALID_TXN_STATE = ErrorCode.INVALID_TXN_STATE
CONCURRENT = ErrorCode.CONCURRENT_TRANSACTIONS


def in_state(state: str, version: int) -> tuple[TransactionWorld, tuple[int, int]]:
    """A world whose transaction has come to this state, ended by that version, and its producer now."""
    world = TransactionWorld()
    pid, epoch = world.initialised()
    if state == "Empty":
        return world, (pid, epoch)
    world.add((pid, epoch), T0, version=3 if version < 5 else 5)
    if state != "Ongoing":
        world.ask_end((pid, epoch), committed=state.endswith("Commit"), version=version)
    if state.startswith("Complete"):
        world.write_markers()
    assert world.state == state
    return world, world.producer


@pytest.mark.parametrize("committed", [True, False])
def test_v2_bumps_the_epoch_and_marks_with_the_new_one(committed: bool) -> None:
    world, (pid, epoch) = in_state("Ongoing", 5)
    world.add((pid, epoch), T1)
    start_ms = world.now_ms
    world.pass_time(10)
    response = world.ask_end((pid, epoch), committed=committed)
    assert (response.error_code, response.producer_id, response.producer_epoch) == (NONE, pid, epoch + 1)
    assert world.state == ("PrepareCommit" if committed else "PrepareAbort")
    assert world.due == [MarkersDue(ID, pid, epoch + 1, committed, frozenset({T0, T1}), 2)]
    assert world.transaction().start_ms == start_ms
    world.write_markers()
    assert world.state == ("CompleteCommit" if committed else "CompleteAbort")
    assert world.producer == (pid, epoch + 1)


@pytest.mark.parametrize("committed", [True, False])
def test_v1_keeps_the_epoch(committed: bool) -> None:
    world, (pid, epoch) = in_state("Ongoing", 4)
    response = world.ask_end((pid, epoch), committed=committed, version=4)
    assert (response.error_code, response.producer_id, response.producer_epoch) == (NONE, -1, -1)
    assert world.due == [MarkersDue(ID, pid, epoch, committed, frozenset({T0}), 0)]
    world.write_markers()
    assert world.producer == (pid, epoch)
    assert world.add((pid, epoch), T1) is NONE


# (state, epoch of the request against the current one) -> (what an abort, what a commit is told)
V1_TABLE = {
    ("Empty", 0): (INVALID_TXN_STATE, INVALID_TXN_STATE),
    ("Empty", -1): (FENCED, FENCED),
    ("Ongoing", 0): (NONE, NONE),
    ("Ongoing", -1): (FENCED, FENCED),
    ("Ongoing", 1): (FENCED, FENCED),
    ("PrepareCommit", 0): (CONCURRENT, CONCURRENT),
    ("PrepareCommit", -1): (FENCED, FENCED),
    ("PrepareAbort", 0): (CONCURRENT, CONCURRENT),
    ("CompleteCommit", 0): (INVALID_TXN_STATE, NONE),
    ("CompleteCommit", -1): (FENCED, FENCED),
    ("CompleteAbort", 0): (NONE, INVALID_TXN_STATE),
}
V2_TABLE = {
    ("Empty", 0): (NONE, INVALID_TXN_STATE),
    ("Empty", -1): (FENCED, FENCED),
    ("Empty", 1): (FENCED, FENCED),
    ("Ongoing", 0): (NONE, NONE),
    ("Ongoing", -1): (FENCED, FENCED),
    ("Ongoing", 1): (FENCED, FENCED),
    ("PrepareCommit", 0): (CONCURRENT, CONCURRENT),
    ("PrepareCommit", -1): (CONCURRENT, CONCURRENT),
    ("PrepareAbort", -1): (CONCURRENT, CONCURRENT),
    ("PrepareAbort", -2): (CONCURRENT, CONCURRENT),
    ("CompleteCommit", 0): (NONE, INVALID_TXN_STATE),
    ("CompleteCommit", -1): (INVALID_TXN_STATE, NONE),
    ("CompleteCommit", 1): (FENCED, FENCED),
    ("CompleteAbort", 0): (NONE, INVALID_TXN_STATE),
    ("CompleteAbort", -1): (NONE, INVALID_TXN_STATE),
    ("CompleteAbort", -2): (FENCED, FENCED),
}
CASES = [
    (version, state, ahead, committed, codes[committed])
    for version, table in ((4, V1_TABLE), (5, V2_TABLE))
    for (state, ahead), codes in table.items()
    for committed in (False, True)
]


@pytest.mark.parametrize(("version", "state", "ahead", "committed", "code"), CASES)
def test_what_is_answered_when(version: int, state: str, ahead: int, committed: bool, code: ErrorCode) -> None:
    world, (pid, epoch) = in_state(state, version)
    before = len(world.log)
    response = world.ask_end((pid, epoch + ahead), committed=committed, version=version)
    assert ErrorCode(response.error_code) is code
    if code is not NONE:
        assert len(world.log) == before
        assert (response.producer_id, response.producer_epoch) == (-1, -1)


@pytest.mark.parametrize("version", [4, 5])
def test_another_producer_id(version: int) -> None:
    world, (pid, epoch) = in_state("Ongoing", version)
    assert world.commit((pid + 1, epoch), version) is ErrorCode.INVALID_PRODUCER_ID_MAPPING
    unknown = world.ask_end((pid, epoch), committed=True, version=version, transactional_id="other")
    assert unknown.error_code == ErrorCode.INVALID_PRODUCER_ID_MAPPING
    empty = world.ask_end((pid, epoch), committed=True, version=version, transactional_id="")
    assert empty.error_code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(("version", "code"), [(1, ErrorCode.INVALID_PRODUCER_EPOCH), (2, FENCED), (5, FENCED)])
def test_what_a_fenced_producer_is_told_by_version(version: int, code: ErrorCode) -> None:
    world, (pid, epoch) = in_state("Ongoing", version)
    assert world.commit((pid, epoch + 1), version) is code


@pytest.mark.parametrize("committed", [True, False])
def test_v2_a_repeated_request_gets_the_same_answer_also_after_a_fail_over(committed: bool) -> None:
    world, producer = in_state("Ongoing", 5)
    first = world.ask_end(producer, committed=committed)
    assert world.ask_end(producer, committed=committed).error_code == CONCURRENT
    world.write_markers()
    before = len(world.log)
    assert world.ask_end(producer, committed=committed) == first
    world.restart()
    assert world.ask_end(producer, committed=committed) == first
    assert len(world.log) == before


@pytest.mark.parametrize("state", ["Empty", "CompleteCommit", "CompleteAbort"])
def test_v2_aborts_nothing(state: str) -> None:
    """The client may not know whether a partition has been added on its behalf."""
    world, (pid, epoch) = in_state(state, 5)
    world.pass_time(10)
    response = world.ask_end((pid, epoch), committed=False)
    assert (response.error_code, response.producer_id, response.producer_epoch) == (NONE, pid, epoch + 1)
    assert (world.state, world.due) == ("CompleteAbort", [])
    assert world.transaction().start_ms == world.now_ms
    assert world.reloaded().transactions[ID].state.label == "CompleteAbort"


def test_v2_the_last_epoch_brings_another_producer_id() -> None:
    world, (pid, _) = in_state("Empty", 5)
    world.edit(producer_epoch=32_766)
    world.add((pid, 32_766), T0)
    response = world.ask_end((pid, 32_766), committed=True)
    fresh = response.producer_id
    assert (response.error_code, response.producer_epoch) == (NONE, 0)
    assert fresh > pid
    (due,) = world.due
    assert (due.producer_id, due.producer_epoch) == (pid, 32_767)
    assert world.transaction().next_producer_id == fresh
    world.restart()
    assert world.due == [due]
    world.write_markers()
    transaction = world.transaction()
    assert world.producer == (fresh, 0)
    assert (transaction.previous_producer_id, transaction.next_producer_id) == (pid, -1)
    assert world.ask_end((pid, 32_766), committed=True) == response
    assert world.abort((pid, 32_766)) is INVALID_TXN_STATE
    assert world.add((fresh, 0), T0) is NONE
    assert world.commit((pid, 32_766)) is ErrorCode.INVALID_PRODUCER_ID_MAPPING


def test_v2_an_abort_of_nothing_at_the_last_epoch() -> None:
    world, (pid, _) = in_state("Empty", 5)
    world.edit(producer_epoch=32_766)
    response = world.ask_end((pid, 32_766), committed=False)
    assert (response.error_code, response.producer_epoch, world.state) == (NONE, 0, "CompleteAbort")
    assert world.producer == (response.producer_id, 0)


def test_v2_a_broken_epoch_can_still_be_aborted() -> None:
    world, (pid, _) = in_state("Ongoing", 5)
    world.edit(producer_epoch=32_767)
    assert world.abort((pid, 32_767)) is NONE
    world.write_markers()
    assert world.producer[1] == 0


def test_a_client_may_change_from_v1_to_v2() -> None:
    world, producer = in_state("CompleteCommit", 4)
    world.add(producer, T0)
    assert world.ask_end(producer, committed=True, version=5).producer_epoch == producer[1] + 1


def test_a_producer_that_was_fenced_learns_that_its_transaction_is_aborted() -> None:
    world, producer = in_state("Ongoing", 5)
    world.init()
    world.write_markers()
    assert world.commit(producer) is INVALID_TXN_STATE
    assert world.abort(producer) is NONE
    world.initialised()
    assert world.abort(producer) is FENCED


def test_v2_needs_room_in_the_log() -> None:
    world = TransactionWorld(transaction_version=0)
    producer = world.initialised()
    assert world.add(producer, T0) is ErrorCode.UNSUPPORTED_VERSION
    assert world.abort(producer) is ErrorCode.UNSUPPORTED_VERSION
    assert world.add(producer, T0, version=3) is NONE
    assert world.add(producer, T0) is NONE
    assert world.verify(producer, T0) is NONE
    assert world.commit(producer) is ErrorCode.UNSUPPORTED_VERSION
    assert world.commit(producer, version=4) is NONE


def test_the_feature_may_be_taken_back_while_markers_are_being_written() -> None:
    world, (pid, _) = in_state("Empty", 5)
    world.edit(producer_epoch=32_766)
    world.add((pid, 32_766), T0)
    fresh = world.ask_end((pid, 32_766), committed=True).producer_id
    world.transaction_version = 0
    world.restart()
    world.write_markers()
    assert world.producer == (fresh, 0)
    assert world.initialised() == (fresh, 1)


def test_v2_only_the_last_epoch_of_the_previous_producer_id_is_a_repeated_request() -> None:
    world, (pid, _) = in_state("Empty", 5)
    world.edit(producer_epoch=32_766)
    world.add((pid, 32_766), T0)
    world.commit((pid, 32_766))
    world.write_markers()
    assert world.commit((pid, 32_765)) is ErrorCode.INVALID_PRODUCER_ID_MAPPING

"""The share coordinator's APIs as raw conversations. The answers are Apache Kafka's, checked beside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.raw import RawConnection
from conformance.running_broker import RunningBroker
from conformance.share_member import ShareState, new_topic
from riacho.base.ids import uuid_text

UNKNOWN_PARTITION, INVALID_REQUEST, FENCED_LEADER_EPOCH, FENCED_STATE_EPOCH = 3, 42, 74, 124
AVAILABLE, ACKNOWLEDGED, ARCHIVED = 0, 2, 4


@pytest.fixture
def state(broker: RunningBroker, name: str) -> Iterator[ShareState]:
    with RawConnection(broker.address) as connection:
        state = ShareState(connection, name, new_topic(connection, name))
        state.find()
        yield state


def test_nothing_is_read_or_written_before_it_is_initialized(state: ShareState) -> None:
    assert (state.read().error_code, state.write().error_code) == (INVALID_REQUEST, INVALID_REQUEST)
    assert state.delete().error_code == 0
    summary = state.summary()
    assert (summary.error_code, summary.start_offset, summary.delivery_complete_count) == (0, -1, -1)


def test_writes_are_laid_over_one_another(state: ShareState) -> None:
    assert state.initialize().error_code == 0
    assert state.write((0, 9, ACKNOWLEDGED, 1), (10, 12, AVAILABLE, 2)).error_code == 0
    assert state.batches() == [(0, 9, ACKNOWLEDGED, 1), (10, 12, AVAILABLE, 2)]
    assert state.write((11, 11, ARCHIVED, 3), start_offset=5).error_code == 0
    assert state.read().start_offset == 5
    assert state.batches() == [
        (5, 9, ACKNOWLEDGED, 1),
        (10, 10, AVAILABLE, 2),
        (11, 11, ARCHIVED, 3),
        (12, 12, AVAILABLE, 2),
    ]
    # What is repeated late changes nothing: fewer deliveries do not undo more.
    assert state.write((11, 11, AVAILABLE, 2), start_offset=5).error_code == 0
    assert (11, 11, ARCHIVED, 3) in state.batches()


def test_older_leaders_are_refused_once_a_newer_one_has_read(state: ShareState) -> None:
    state.initialize()
    assert state.read(3).error_code == 0
    assert state.read(2).error_code == FENCED_LEADER_EPOCH
    assert state.write(leader_epoch=2).error_code == FENCED_LEADER_EPOCH
    assert state.write(leader_epoch=-1).error_code == 0
    assert state.summary().leader_epoch == 3


def test_a_newer_state_epoch_starts_anew(state: ShareState) -> None:
    state.initialize(state_epoch=1)
    state.write((0, 4, ACKNOWLEDGED, 1))
    assert state.initialize(state_epoch=0).error_code == FENCED_STATE_EPOCH
    assert state.initialize(state_epoch=2, start_offset=7).error_code == 0
    assert state.write((7, 7, ACKNOWLEDGED, 1), state_epoch=1).error_code == FENCED_STATE_EPOCH
    found = state.read()
    assert (found.state_epoch, found.start_offset, found.state_batches) == (2, 7, [])


def test_many_writes_are_all_there(state: ShareState) -> None:
    """More than there are updates to a snapshot."""
    state.initialize()
    for offset in range(0, 1_100, 2):
        assert state.write((offset, offset, ACKNOWLEDGED, 1)).error_code == 0
    assert state.batches() == [(offset, offset, ACKNOWLEDGED, 1) for offset in range(0, 1_100, 2)]


def test_deleted_is_gone(state: ShareState) -> None:
    state.initialize(state_epoch=4)
    state.write((0, 4, ACKNOWLEDGED, 1), state_epoch=4)
    assert state.delete().error_code == 0
    assert state.read().error_code == INVALID_REQUEST
    assert state.initialize(state_epoch=1).error_code == 0
    assert state.batches() == []


def test_partitions_that_do_not_exist_have_no_state(state: ShareState) -> None:
    assert state.initialize(partition=-1).error_code == INVALID_REQUEST
    assert state.initialize(partition=9).error_code == UNKNOWN_PARTITION
    assert state.read(partition=9).error_code == INVALID_REQUEST
    state.topic_id = bytes(range(16))
    assert state.initialize().error_code == UNKNOWN_PARTITION


def test_a_request_without_a_group_gets_no_results(state: ShareState) -> None:
    answer = state.connection.ask(
        "ReadShareGroupState",
        0,
        group_id="",
        topics=[{"topic_id": state.topic_id, "partitions": [{"partition": 0, "leader_epoch": 0}]}],
    )
    assert answer.results == []


def test_a_key_that_names_no_share_partition_has_no_coordinator(state: ShareState) -> None:
    topic_id = uuid_text(state.topic_id)
    keys = ["junk", f"g:{topic_id}:x", "g:zz:0", f":{topic_id}:0"]
    answer = state.connection.ask("FindCoordinator", 6, key_type=2, coordinator_keys=keys)
    assert [(each.key, each.error_code, each.node_id) for each in answer.coordinators] == [
        (key, INVALID_REQUEST, -1) for key in keys
    ]

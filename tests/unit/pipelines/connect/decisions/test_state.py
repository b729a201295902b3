"""The config topic: decisions give Kafka's records, and reading them gives the state back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from riacho.base.decision import Decision
from riacho.pipelines.connect import records
from riacho.pipelines.connect.decisions import decisions as deciding
from riacho.pipelines.connect.decisions.jobs import Report, State
from riacho.pipelines.connect.decisions.state import ConfigState
from riacho.pipelines.connect.records import Checkpoint, TargetState
from riacho.pipelines.connect.stores.source_offsets import SourceOffsets
from riacho.pipelines.connect.stores.statuses import Statuses
from riacho.single_writer.record import Append, LogRecord
from riacho.web.errors import ApiError

CONFIG = {"connector.class": "X", "name": "a-1"}


class Log:
    def __init__(self) -> None:
        self.state = ConfigState()
        self.written: list[tuple[str, Any]] = []

    def change(self, decide: Callable[[], Decision[Append, Any]]) -> Any:
        decision = decide()
        for record in decision.records:
            assert record.key is not None
            value = None if record.value is None else json.loads(record.value)
            self.written.append((record.key.decode(), value))
            self.state.apply(LogRecord(record.key, record.value, len(self.written), 0))
        return decision.reply

    def replayed(self, tombstones: bool = True) -> ConfigState:
        """From what compaction leaves: the last of each key, and its tombstone only for a while."""
        last = {key: (at, value) for at, (key, value) in enumerate(self.written) if tombstones or value is not None}
        state = ConfigState()
        for key, (at, value) in sorted(last.items(), key=lambda each: each[1][0]):
            text = None if value is None else records.encode(value)
            state.apply(LogRecord(key.encode(), text, at, 0))
        return state


@pytest.fixture
def log() -> Log:
    return Log()


def _created(log: Log, target: TargetState | None = None) -> None:
    log.change(lambda: deciding.decide_create(log.state, "a-1", CONFIG, target))


def test_the_records_are_kafkas(log: Log) -> None:
    _created(log, TargetState.STOPPED)
    log.change(lambda: deciding.decide_target_state(log.state, "a-1", TargetState.STARTED))
    log.change(lambda: deciding.decide_tasks(log.state, "a-1", [{"k": "0"}, {"k": "1"}]))
    log.change(lambda: deciding.decide_restart(log.state, "a-1", True, False))
    log.change(lambda: deciding.decide_logger("x.y", "DEBUG"))
    assert log.written == [
        ("target-state-a-1", {"state": "PAUSED", "state.v2": "STOPPED"}),
        ("connector-a-1", {"properties": CONFIG}),
        ("target-state-a-1", {"state": "STARTED", "state.v2": "STARTED"}),
        ("task-a-1-0", {"properties": {"k": "0"}}),
        ("task-a-1-1", {"properties": {"k": "1"}}),
        ("commit-a-1", {"tasks": 2}),
        ("restart-connector-a-1", {"include-tasks": True, "only-failed": False}),
        ("logger-cluster-x.y", {"level": "DEBUG"}),
    ]


def test_what_is_read_back_is_what_was_decided(log: Log) -> None:
    _created(log, TargetState.PAUSED)
    log.change(lambda: deciding.decide_tasks(log.state, "a-1", [{"k": "0"}]))
    checkpoint = log.change(lambda: deciding.decide_checkpoint(log.state, "a-1", None))
    for state in (log.state, log.replayed()):
        wanted = state.connectors["a-1"]
        assert (wanted.config, wanted.target_state, wanted.tasks) == (CONFIG, TargetState.PAUSED, [{"k": "0"}])
        assert state.checkpoint("a-1") == checkpoint


def test_a_connector_that_is_deleted_and_made_anew_has_nothing_of_the_old(log: Log) -> None:
    _created(log, TargetState.STOPPED)
    log.change(lambda: deciding.decide_checkpoint(log.state, "a-1", None))
    log.change(lambda: deciding.decide_delete(log.state, "a-1"))
    assert log.state.connectors == {}
    assert log.replayed().connectors == {}
    _created(log)
    for state in (log.state, log.replayed()):
        assert state.connectors["a-1"].target_state is TargetState.STARTED
        assert state.connectors["a-1"].tasks == []
        assert state.checkpoint("a-1") is None


def test_tasks_of_a_deleted_connector_are_not_those_of_the_next(log: Log) -> None:
    _created(log)
    log.change(lambda: deciding.decide_tasks(log.state, "a-1", [{"k": "0"}]))
    log.change(lambda: deciding.decide_delete(log.state, "a-1"))
    _created(log)
    for state in (log.state, log.replayed(), log.replayed(tombstones=False)):
        assert state.connectors["a-1"].tasks == []


def test_a_patch_of_what_was_changed_meanwhile_is_not_written(log: Log) -> None:
    _created(log)
    patch = {"mine": "1"}
    validated = {**CONFIG, **patch}
    log.change(lambda: deciding.decide_config(log.state, "a-1", {**CONFIG, "theirs": "2"}))
    assert log.change(lambda: deciding.decide_patch(log.state, "a-1", patch, validated)) is None
    assert log.state.connectors["a-1"].config == {**CONFIG, "theirs": "2"}
    validated = {**CONFIG, "theirs": "2", **patch}
    assert log.change(lambda: deciding.decide_patch(log.state, "a-1", patch, validated)).config == validated
    log.change(lambda: deciding.decide_delete(log.state, "a-1"))
    with pytest.raises(ApiError, match="not found"):
        log.change(lambda: deciding.decide_patch(log.state, "a-1", patch, validated))


def test_tasks_count_from_their_commit_on(log: Log) -> None:
    _created(log)
    log.state.apply(LogRecord(b"task-a-1-0", b'{"properties":{"k":"0"}}', 9, 0))
    assert log.state.connectors["a-1"].tasks == []
    log.state.apply(LogRecord(b"commit-a-1", b'{"tasks":1}', 10, 0))
    assert log.state.connectors["a-1"].tasks == [{"k": "0"}]


def test_stopping_takes_the_tasks_away(log: Log) -> None:
    _created(log)
    log.change(lambda: deciding.decide_tasks(log.state, "a-1", [{"k": "0"}]))
    log.change(lambda: deciding.decide_target_state(log.state, "a-1", TargetState.STOPPED))
    assert log.state.connectors["a-1"].tasks == []
    log.change(lambda: deciding.decide_tasks(log.state, "a-1", [{"k": "late"}]))
    assert log.state.connectors["a-1"].tasks == []


def test_offsets_are_changed_of_stopped_connectors_only(log: Log) -> None:
    with pytest.raises(ApiError, match="Connector a-1 not found"):
        deciding.decide_offsets_changed(log.state, "a-1")
    _created(log)
    with pytest.raises(ApiError, match="must be in the STOPPED state"):
        deciding.decide_offsets_changed(log.state, "a-1")
    log.change(lambda: deciding.decide_target_state(log.state, "a-1", TargetState.STOPPED))
    first: Checkpoint = log.change(lambda: deciding.decide_offsets_changed(log.state, "a-1"))
    second: Checkpoint = log.change(lambda: deciding.decide_offsets_changed(log.state, "a-1"))
    assert (first.generation, second.generation) == (1, 2)
    assert log.change(lambda: deciding.decide_checkpoint(log.state, "a-1", first)) == second


def test_what_is_not_there(log: Log) -> None:
    for decide in (deciding.decide_delete, lambda s, n: deciding.decide_target_state(s, n, TargetState.PAUSED)):
        with pytest.raises(ApiError) as refused:
            decide(log.state, "a")
        assert refused.value.status == 404
    _created(log)
    with pytest.raises(ApiError) as refused:
        _created(log)
    assert (refused.value.status, refused.value.message) == (409, "Connector a-1 already exists")


def test_a_patch_changes_adds_and_takes_away(log: Log) -> None:
    _created(log)
    assert deciding.patched(log.state, "a-1", {"connector.class": "Y", "k": "v", "name": None}) == {
        "connector.class": "Y",
        "k": "v",
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"\xff", b"{}"),
        (b"connector-x", b"not json"),
        (b"connector-x", b"[]"),
        (b"target-state-x", b'{"state":"ODD"}'),
        (b"commit-x", b'{"tasks":"two"}'),
        (b"riacho-checkpoint-x", b'{"generation":"1"}'),
        (b"session-key", b'{"key":"secret"}'),
        (None, b"{}"),
    ],
)
def test_records_that_are_not_understood_are_passed_over(log: Log, key: bytes | None, value: bytes) -> None:
    log.state.apply(LogRecord(key, value, 0, 0))
    assert log.state.connectors == {}


def test_statuses_are_kafkas_and_come_back() -> None:
    statuses = Statuses()
    report = Report("a-1", 4, State.RUNNING, 2, State.UNASSIGNED, "poison", 1)
    changes = statuses.reported(report, "h:1", "9")
    assert [key for key, _ in changes] == [b"status-connector-a-1", b"status-task-a-1-0", b"status-task-a-1-1"]
    assert changes[0][1] == b'{"state":"RUNNING","trace":null,"worker_id":"h:1","generation":4,"version":"9"}'
    for key, value in [*changes, *statuses.topics_used("a-1", ["t", "t"], 5)]:
        statuses.apply(key, value)
    assert [(task, status.state, status.trace) for task, status in statuses.tasks_of("a-1")] == [
        (0, "UNASSIGNED", None),
        (1, "FAILED", "poison"),
    ]
    assert statuses.topics == {"a-1": {"t"}}
    assert statuses.topics_used("a-1", ["t"], 6) == []
    assert statuses.generation == 4
    stopped = statuses.reported(Report("a-1", 5, State.STOPPED, 0, State.STOPPED), "h:1", None)
    assert stopped[1:] == [(b"status-task-a-1-0", None), (b"status-task-a-1-1", None)]
    for key, value in statuses.forgotten("a-1"):
        statuses.apply(key, value)
    assert (statuses.connectors, statuses.tasks, statuses.topics) == ({}, {}, {})


def test_offsets_have_kafkas_keys_and_one_spelling() -> None:
    offsets = SourceOffsets()
    changes = offsets.changes("a", [{"partition": {"x": 1, "y": "é"}, "offset": {"position": 8}}])
    assert changes == [('["a",{"x":1,"y":"é"}]'.encode(), b'{"position":8}')]
    for key, value in changes:
        offsets.apply(key, value)
    assert offsets.of("a") == [{"partition": {"x": 1, "y": "é"}, "offset": {"position": 8}}]
    assert offsets.changes("a", [{"partition": {"y": "é", "x": 1}, "offset": {"position": 8}}]) == []
    assert offsets.changes("a", [{"partition": {"y": "é", "x": 1}, "offset": None}]) == [(changes[0][0], None)]
    assert offsets.reset("a") == [(changes[0][0], None)]
    offsets.apply(changes[0][0], None)
    assert offsets.of("a") == []

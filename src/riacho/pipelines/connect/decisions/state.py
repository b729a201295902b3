"""What is wanted, as the log of `connect-configs` says: each connector's config, target state, tasks and checkpoint.

`apply` is the one writer; decisions (`decisions.py`) read it and return records. Task configs count from the moment of
their commit on, as in Kafka: until then they wait aside. `version` moves with everything that may change what has to
run, and whoever runs it waits for that.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from riacho.pipelines.connect import records
from riacho.pipelines.connect.records import Checkpoint, TargetState
from riacho.single_writer.record import LogRecord

_log = logging.getLogger("riacho.connect")


@dataclass(slots=True)
class Wanted:
    """One connector."""

    config: dict[str, str]
    target_state: TargetState = TargetState.STARTED
    tasks: list[dict[str, str]] = field(default_factory=list)


class ConfigState:
    def __init__(self) -> None:
        self.connectors: dict[str, Wanted] = {}
        # Outlives the connector while its target state does, as it may come before the connector in the log.
        self._target_states: dict[str, TargetState] = {}
        self._checkpoints: dict[str, Checkpoint] = {}
        self._tasks: dict[str, dict[int, dict[str, str]]] = {}
        self._committed: dict[str, list[dict[str, str]]] = {}
        self.loggers: dict[str, str] = {}
        self.version = 0
        self.on_change: Callable[[], None] = _nobody
        self.on_logger: Callable[[str, str], None] = _nobody_logs

    def checkpoint(self, name: str) -> Checkpoint | None:
        return self._checkpoints.get(name)

    # leadership.ReplicatedState

    def apply(self, record: LogRecord) -> None:
        try:
            key = (record.key or b"").decode()
        except UnicodeDecodeError:
            return
        value = None if record.value is None else records.decode(record.value)
        if value is not None and not isinstance(value, dict):
            _log.warning("record of the config topic is not understood key=%s offset=%d", key, record.offset)
            return
        for prefix, act in _APPLY:
            if key.startswith(prefix):
                act(self, key.removeprefix(prefix), value)
                self._changed()
                return

    def clear(self) -> None:
        for table in (self.connectors, self._target_states, self._checkpoints, self._tasks, self._committed):
            table.clear()
        self.loggers.clear()
        self._changed()

    def _changed(self) -> None:
        self.version += 1
        self.on_change()

    def _apply_connector(self, name: str, value: dict[str, Any] | None) -> None:
        if value is None:
            self.connectors.pop(name, None)
            self._committed.pop(name, None)
            self._tasks.pop(name, None)
            self._checkpoints.pop(name, None)
            return
        config = _texts(value.get("properties"))
        state = self._target_states.get(name, TargetState.STARTED)
        self.connectors[name] = Wanted(config, state, self._committed.get(name, []))

    def _apply_target_state(self, name: str, value: dict[str, Any] | None) -> None:
        if value is None:
            self._target_states.pop(name, None)
            return
        said = value.get("state.v2") or value.get("state")
        if not isinstance(said, str) or said not in TargetState.__members__:
            _log.warning("target state is not understood connector=%s state=%s", name, said)
            return
        self._target_states[name] = TargetState[said]
        if name in self.connectors:
            self.connectors[name].target_state = TargetState[said]

    def _apply_task(self, rest: str, value: dict[str, Any] | None) -> None:
        task = records.task_of(rest, "")
        if task is not None and value is not None:
            self._tasks.setdefault(task[0], {})[task[1]] = _texts(value.get("properties"))

    def _apply_commit(self, name: str, value: dict[str, Any] | None) -> None:
        count = 0 if value is None else value.get("tasks", 0)
        waiting = self._tasks.pop(name, {})
        before = self._committed.get(name, [])
        if not isinstance(count, int):
            return
        # Compaction keeps the last of each task, so one that is missing here is of an earlier commit.
        tasks = [waiting.get(at, before[at] if at < len(before) else {}) for at in range(count)]
        self._committed[name] = tasks
        if name in self.connectors:
            self.connectors[name].tasks = tasks

    def _apply_logger(self, logger: str, value: dict[str, Any] | None) -> None:
        if value is None or not isinstance(value.get("level"), str):
            self.loggers.pop(logger, None)
            return
        self.loggers[logger] = value["level"]
        self.on_logger(logger, value["level"])

    def _apply_checkpoint(self, name: str, value: dict[str, Any] | None) -> None:
        match value:
            case {"generation": int(generation), "id": str(id_)}:
                self._checkpoints[name] = Checkpoint(generation, id_)
            case None:
                self._checkpoints.pop(name, None)


_APPLY: tuple[tuple[str, Callable[[ConfigState, str, dict[str, Any] | None], None]], ...] = (
    (records.CONNECTOR, ConfigState._apply_connector),
    (records.TARGET_STATE, ConfigState._apply_target_state),
    (records.TASK, ConfigState._apply_task),
    (records.COMMIT, ConfigState._apply_commit),
    (records.LOGGER, ConfigState._apply_logger),
    (records.CHECKPOINT, ConfigState._apply_checkpoint),
)


def _texts(properties: Any) -> dict[str, str]:
    """Null values are in configs that Kafka's own workers took: a setting that is not there."""
    given = properties if isinstance(properties, dict) else {}
    return {str(name): str(value) for name, value in given.items() if value is not None}


def _nobody() -> None:
    """Nobody waits for changes."""


def _nobody_logs(logger: str, level: str) -> None:
    """Nobody sets levels."""

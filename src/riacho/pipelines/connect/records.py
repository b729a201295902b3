"""The records of Connect's three topics, with Kafka's own keys and JSON, so that Kafka's tools can read them.

`connect-configs` holds what is wanted: `connector-<name>`, `task-<name>-<n>`, `commit-<name>` (how many of the tasks
count), `target-state-<name>`, `restart-connector-<name>`, `logger-cluster-<logger>`. One key is ours, which Kafka's
workers skip: `riacho-checkpoint-<name>`, by which a checkpoint directory is known to belong to the offsets.
`connect-status` holds what is: `status-connector-<name>`, `status-task-<name>-<n>`,
`status-topic-<topic>:connector-<name>`. `connect-offsets` has `["<name>",{partition}]` as keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from riacho.single_writer.record import Append

CONNECTOR = "connector-"
TASK = "task-"
COMMIT = "commit-"
TARGET_STATE = "target-state-"
RESTART = "restart-connector-"
LOGGER = "logger-cluster-"
CHECKPOINT = "riacho-checkpoint-"

STATUS_CONNECTOR = "status-connector-"
STATUS_TASK = "status-task-"
STATUS_TOPIC = "status-topic-"
_TOPIC_OF = ":connector-"


class TargetState(Enum):
    STARTED = "STARTED"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"


class Checkpoint(NamedTuple):
    """Which directory goes with the offsets: another generation is begun whenever they were changed by hand, or when
    the worker that is to run the connector does not have the directory."""

    generation: int
    id: str

    @property
    def directory(self) -> str:
        return f"{self.generation}-{self.id}"


def encode(value: Any) -> bytes:
    """As Kafka's converter writes it: without spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def decode(value: bytes) -> Any:
    """None where it is not JSON."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


# What is wanted


def connector_record(name: str, config: Mapping[str, str]) -> Append:
    return _record(CONNECTOR + name, {"properties": dict(config)})


def target_state_record(name: str, state: TargetState) -> Append:
    """Workers before KIP-875 know no STOPPED: for them it is PAUSED."""
    older = TargetState.PAUSED if state is TargetState.STOPPED else state
    return _record(TARGET_STATE + name, {"state": older.value, "state.v2": state.value})


def task_records(name: str, configs: Sequence[Mapping[str, str]]) -> list[Append]:
    """The tasks count once the commit is there."""
    tasks = [_record(f"{TASK}{name}-{at}", {"properties": dict(config)}) for at, config in enumerate(configs)]
    return [*tasks, _record(COMMIT + name, {"tasks": len(configs)})]


def restart_record(name: str, include_tasks: bool, only_failed: bool) -> Append:
    return _record(RESTART + name, {"include-tasks": include_tasks, "only-failed": only_failed})


def logger_record(logger: str, level: str) -> Append:
    return _record(LOGGER + logger, {"level": level})


def checkpoint_record(name: str, checkpoint: Checkpoint) -> Append:
    return _record(CHECKPOINT + name, checkpoint._asdict())


def deletion_records(name: str) -> list[Append]:
    """As Kafka deletes a connector; its tasks stay behind. That none of them count is said too: when compaction has
    taken the connector and its tombstone away, they would be those of the next connector of that name."""
    gone = [Append((prefix + name).encode(), None) for prefix in (CONNECTOR, TARGET_STATE, CHECKPOINT)]
    return [*task_records(name, []), *gone]


def task_of(key: str, prefix: str) -> tuple[str, int] | None:
    """(connector, task) of `task-<name>-<n>`; names may have dashes, numbers do not."""
    name, dash, number = key.removeprefix(prefix).rpartition("-")
    return (name, int(number)) if dash and number.isdecimal() and len(number) < 10 else None


# What is


def status_topic_key(topic: str, connector: str) -> str:
    return f"{STATUS_TOPIC}{topic}{_TOPIC_OF}{connector}"


def topic_of(key: str) -> tuple[str, str] | None:
    """(topic, connector): a topic has no colon in its name, a connector may."""
    topic, found, connector = key.removeprefix(STATUS_TOPIC).partition(_TOPIC_OF)
    return (topic, connector) if found else None


# How far


def offset_key(connector: str, partition: Mapping[str, Any]) -> bytes:
    return encode([connector, partition])


def offset_of(key: bytes) -> tuple[str, dict[str, Any]] | None:
    """(connector, partition)."""
    match decode(key):
        case [str(connector), dict(partition)]:
            return connector, partition
    return None


def _record(key: str, value: Mapping[str, Any]) -> Append:
    return Append(key.encode(), encode(value))

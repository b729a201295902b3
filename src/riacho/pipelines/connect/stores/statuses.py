"""What is, as the topic `connect-status` says: states of connectors and tasks, topics that connectors have used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from riacho.pipelines.connect import records
from riacho.pipelines.connect.decisions.jobs import Report, State

# Key and value of a record to be written; None is a tombstone.
Change = tuple[bytes, bytes | None]


class Status(NamedTuple):
    state: str
    worker_id: str
    generation: int
    trace: str | None = None
    version: str | None = None

    def record(self) -> bytes:
        return records.encode(
            {
                "state": self.state,
                "trace": self.trace,
                "worker_id": self.worker_id,
                "generation": self.generation,
                "version": self.version,
            }
        )


class Statuses:
    """`apply` is the one writer; the same record twice means the same.

    Generations only grow, from one leader to the next: a state of an earlier one than is known was on its way for too
    long, and says nothing.
    """

    def __init__(self) -> None:
        self.connectors: dict[str, Status] = {}
        self.tasks: dict[str, dict[int, Status]] = {}
        # connector -> topics
        self.topics: dict[str, set[str]] = {}

    @property
    def generation(self) -> int:
        """The highest that was ever reported."""
        tasks = (status for by_task in self.tasks.values() for status in by_task.values())
        return max((status.generation for status in (*self.connectors.values(), *tasks)), default=0)

    def tasks_of(self, name: str) -> list[tuple[int, Status]]:
        return sorted(self.tasks.get(name, {}).items())

    def apply(self, key: bytes, value: bytes | None) -> None:
        text = key.decode(errors="replace")
        decoded = None if value is None else records.decode(value)
        if text.startswith(records.STATUS_CONNECTOR):
            _put(self.connectors, text.removeprefix(records.STATUS_CONNECTOR), _status(decoded))
        elif text.startswith(records.STATUS_TASK):
            task = records.task_of(text, records.STATUS_TASK)
            if task is not None:
                _put(self.tasks.setdefault(task[0], {}), task[1], _status(decoded))
                if not self.tasks[task[0]]:
                    del self.tasks[task[0]]
        elif text.startswith(records.STATUS_TOPIC):
            self._apply_topic(text, decoded)

    def _apply_topic(self, key: str, decoded: Any) -> None:
        found = records.topic_of(key)
        if found is None:
            return
        topic, connector = found
        used = self.topics.setdefault(connector, set())
        if decoded is None:
            used.discard(topic)
        else:
            used.add(topic)
        if not used:
            del self.topics[connector]

    # What to write

    def reported(self, report: Report, worker_id: str, version: str | None) -> list[Change]:
        whole = Status(report.state.value, worker_id, report.generation, None, version)
        if report.failed_task is None:
            whole = whole._replace(trace=report.trace)
        changes: list[Change] = [(_connector_key(report.name), whole.record())]
        known = self.tasks.get(report.name, {})
        if report.tasks is None or report.task_state is None:
            return changes
        for task in range(report.tasks):
            is_failed = task == report.failed_task or report.task_state is State.FAILED
            state = State.FAILED if is_failed else report.task_state
            status = whole._replace(state=state.value, trace=report.trace if is_failed else None)
            changes.append((_task_key(report.name, task), status.record()))
        return changes + [(_task_key(report.name, task), None) for task in known if task >= report.tasks]

    def forgotten(self, name: str) -> list[Change]:
        gone = [_connector_key(name), *(_task_key(name, task) for task in self.tasks.get(name, {}))]
        return [(key, None) for key in gone] + self.topics_reset(name)

    def topics_used(self, name: str, topics: Sequence[str], now_ms: int) -> list[Change]:
        """Of those that are new."""
        known = self.topics.get(name, set())
        return [
            (
                records.status_topic_key(topic, name).encode(),
                records.encode({"topic": {"name": topic, "connector": name, "task": 0, "discoverTimestamp": now_ms}}),
            )
            for topic in dict.fromkeys(topics)
            if topic not in known
        ]

    def topics_reset(self, name: str) -> list[Change]:
        return [(records.status_topic_key(topic, name).encode(), None) for topic in sorted(self.topics.get(name, ()))]


def _put(table: dict[Any, Status], key: Any, status: Status | None) -> None:
    known = table.get(key)
    if status is None:
        table.pop(key, None)
    elif known is None or known.generation <= status.generation:
        table[key] = status


def _status(decoded: Any) -> Status | None:
    match decoded:
        case {"state": str(state), "worker_id": str(worker_id), "generation": int(generation)}:
            return Status(state, worker_id, generation, decoded.get("trace"), decoded.get("version"))
    return None


def _connector_key(name: str) -> bytes:
    return f"{records.STATUS_CONNECTOR}{name}".encode()


def _task_key(name: str, task: int) -> bytes:
    return f"{records.STATUS_TASK}{name}-{task}".encode()

"""Connectors, tasks and their states in the form in which the API shows them."""

from __future__ import annotations

from typing import Any

from riacho.pipelines.connect.api.service import Service
from riacho.pipelines.connect.decisions.jobs import State
from riacho.pipelines.connect.stores.statuses import Status

Json = dict[str, Any]


def info(name: str, config: dict[str, str], tasks: int, kind: str) -> Json:
    found = [{"connector": name, "task": task} for task in range(tasks)]
    return {"name": name, "config": config, "tasks": found, "type": kind}


async def info_of(service: Service, name: str) -> Json:
    wanted = service.wanted(name)
    return info(name, wanted.config, len(wanted.tasks), await service.type_of(name))


async def status_of(service: Service, name: str) -> Json | None:
    status = service.statuses.connectors.get(name)
    if status is None:
        if name not in service.state.connectors:
            return None
        # It was created a moment ago; nobody has taken it up yet.
        status = Status(State.UNASSIGNED.value, service.status_writer.worker_id, 0)
    kind, version = await service.plugin_of(name)
    # One that has not run since this worker leads is shown without.
    doing = service.progress.of(name).doing
    found = [(task, _with_progress(_versioned(each, version), doing)) for task, each in service.statuses.tasks_of(name)]
    tasks = [task_json(task, each) for task, each in found]
    return {
        "name": name,
        "connector": _state(_with_progress(_versioned(status, version), doing)),
        "tasks": tasks,
        "type": kind,
    }


def _with_progress(status: Status, doing: str | None) -> Status:
    """Kafka has no word for what is on its way: what it waits for stands where a failure has its trace."""
    is_waiting = status.state == State.UNASSIGNED.value and status.trace is None
    return status._replace(trace=doing) if is_waiting else status


def _versioned(status: Status, version: str) -> Status:
    return status if status.version is not None else status._replace(version=version or None)


def task_json(task: int, status: Status) -> Json:
    return {"id": task, **_state(status)}


def _state(status: Status) -> Json:
    shown: Json = {"state": status.state, "worker_id": status.worker_id}
    if status.trace is not None:
        shown["trace"] = status.trace
    if status.version is not None:
        shown["version"] = status.version
    return shown

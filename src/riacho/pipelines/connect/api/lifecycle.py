"""What connectors are at, and how that is changed: status, pause, resume, stop, restart; their tasks."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.pipelines.connect import errors
from riacho.pipelines.connect.api.connectors import TaskId
from riacho.pipelines.connect.api.service import Service
from riacho.pipelines.connect.api.showing import status_of, task_json
from riacho.pipelines.connect.api.table import endpoint, name_of
from riacho.pipelines.connect.decisions.decisions import decide_restart, decide_target_state
from riacho.pipelines.connect.decisions.jobs import State
from riacho.pipelines.connect.records import TargetState
from riacho.web.answers import JsonAnswer, json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Handler, Query

_INCLUDE_TASKS = Query("includeTasks", bool, "Whether to restart the tasks too.", False)
_ONLY_FAILED = Query("onlyFailed", bool, "Whether to restart only what has failed.", False)
_WRITES = (409, 500)


class StateOf(msgspec.Struct, omit_defaults=True):
    state: str
    worker_id: str
    trace: str | None = None
    version: str | None = None


class TaskStateOf(msgspec.Struct, omit_defaults=True):
    id: int
    state: str
    worker_id: str
    trace: str | None = None
    version: str | None = None


class ConnectorStatus(msgspec.Struct):
    name: str
    connector: StateOf
    tasks: list[TaskStateOf]
    type: str


class TaskInfo(msgspec.Struct):
    id: TaskId
    config: dict[str, str]


def endpoints(service: Service) -> list[Endpoint]:
    state = service.state

    async def status(call: Call) -> Response:
        found = await status_of(service, name_of(call))
        if found is None:
            raise errors.no_connector_status(name_of(call))
        return json_answer(found)

    async def tasks(call: Call) -> Response:
        name = name_of(call)
        configs = enumerate(service.wanted(name).tasks)
        return json_answer([{"id": {"connector": name, "task": at}, "config": config} for at, config in configs])

    async def task_status(call: Call) -> Response:
        name, task = name_of(call), call.number("task")
        found = service.statuses.tasks.get(name, {}).get(task)
        if found is None:
            raise errors.no_task_status(name, task)
        return json_answer(task_json(task, found))

    def to(target_state: TargetState, code: int) -> Handler:
        async def put(call: Call) -> Response:
            name = name_of(call)
            return await service.change(
                call,
                lambda: decide_target_state(state, name, target_state),
                lambda _: JsonAnswer(b"", code),
            )

        return put

    async def restart(call: Call) -> Response:
        name = name_of(call)
        include_tasks, only_failed = call.flag("includeTasks"), call.flag("onlyFailed")

        async def done(_: None) -> Response:
            found = await status_of(service, name)
            assert found is not None, "the decision has seen it"
            chosen = _restarting(found, include_tasks, only_failed)
            if chosen:
                service.supervisor.restart(name)
            return json_answer(found, 202) if include_tasks or only_failed else no_content()

        return await service.change(call, lambda: decide_restart(state, name, include_tasks, only_failed), done)

    async def restart_task(call: Call) -> Response:
        name, task = name_of(call), call.number("task")

        async def act() -> Response:
            wanted = state.connectors.get(name)
            if wanted is None:
                raise errors.unknown_connector(name, colon=True)
            if not 0 <= task < len(wanted.tasks):
                raise errors.unknown_task(name, task)
            service.supervisor.restart(name)
            return no_content()

        return await service.at_leader(call, act)

    one = "/connectors/{connector}"
    number = {"task": int}
    return [
        endpoint("GET", f"{one}/status", status, "What the connector and its tasks are at.",
                 answers={200: ConnectorStatus}),
        endpoint("GET", f"{one}/tasks", tasks, "The tasks and what they are told.", answers={200: list[TaskInfo]}),
        endpoint("GET", f"{one}/tasks/{{task}}/status", task_status, "What a task is at.",
                 answers={200: TaskStateOf}, segments=number),
        endpoint("POST", f"{one}/tasks/{{task}}/restart", restart_task, "Restart a task.", answers={204: None},
                 codes=_WRITES, segments=number),
        endpoint("PUT", f"{one}/pause", to(TargetState.PAUSED, 202), "Let the connector rest, with its tasks.",
                 answers={202: None}, codes=_WRITES),
        endpoint("PUT", f"{one}/resume", to(TargetState.STARTED, 202), "Let it go on.", answers={202: None},
                 codes=_WRITES),
        endpoint("PUT", f"{one}/stop", to(TargetState.STOPPED, 204), "Let it rest, without tasks.",
                 answers={204: None}, codes=_WRITES),
        endpoint("POST", f"{one}/restart", restart, "Restart the connector.", query=(_INCLUDE_TASKS, _ONLY_FAILED),
                 answers={202: ConnectorStatus, 204: None}, codes=_WRITES),
    ]  # fmt: skip


def _restarting(status: dict[str, Any], include_tasks: bool, only_failed: bool) -> bool:
    """Whether something is to be restarted; the status is marked with what is."""
    parts = [status["connector"], *(status["tasks"] if include_tasks else ())]
    chosen = [part for part in parts if not only_failed or part["state"] == State.FAILED.value]
    for part in chosen:
        part["state"] = State.RESTARTING.value
        part.pop("trace", None)
    return bool(chosen)

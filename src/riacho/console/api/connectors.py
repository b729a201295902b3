"""Connectors: what they are at with their tasks, and how they are made, changed and moved. Secrets never leave."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from starlette.responses import Response

from riacho.console.api.listing import PAGE_QUERY, Page, cut, fields_of
from riacho.console.door.audit_log import note
from riacho.console.parts import Parts
from riacho.console.services.connect import Connect, Expanded, OffsetPair, Status
from riacho.console.services.connector_secrets import Secrets
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Handler
from riacho.web.errors import ApiError

_SETTINGS_MAX = 1_000
_PAIRS_MAX = 10_000
_FAILED, _RUNNING, _UNASSIGNED = "FAILED", "RUNNING", "UNASSIGNED"
_CLASS = "connector.class"
_DEAD_LETTERS = "errors.deadletterqueue.topic.name"
_SORTS = fields_of("name", "type", "class_name", "state", "tasks", "tasks_failed")

Config = Annotated[dict[str, str], msgspec.Meta(max_length=_SETTINGS_MAX)]


class ConnectorRow(msgspec.Struct, rename={"class_name": "class"}):
    name: str
    type: str
    class_name: str
    state: str
    worker: str
    tasks: int
    tasks_running: int
    tasks_failed: int
    # The first line of why, where something failed.
    problem: str | None
    topics: list[str]
    dead_letters_topic: str | None


class ConnectorTask(msgspec.Struct):
    id: int
    state: str
    worker: str
    trace: str | None


class ConnectorPage(msgspec.Struct, rename={"class_name": "class"}):
    name: str
    type: str
    class_name: str
    state: str
    worker: str
    trace: str | None
    tasks: list[ConnectorTask]
    # Secrets are dots; sent back as they are, they stay what they were.
    config: dict[str, str]
    hidden: list[str]
    # That it has used; None where workers do not keep them.
    topics: list[str] | None
    dead_letters_topic: str | None


class NewConnector(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    config: Config
    initial_state: Literal["RUNNING", "PAUSED", "STOPPED"] | None = None


class ConnectorConfig(msgspec.Struct, forbid_unknown_fields=True):
    config: Config


class Restart(msgspec.Struct, forbid_unknown_fields=True):
    include_tasks: bool = True
    only_failed: bool = False


class ConnectorOffsets(msgspec.Struct, forbid_unknown_fields=True):
    offsets: Annotated[list[OffsetPair], msgspec.Meta(max_length=_PAIRS_MAX)]


class Said(msgspec.Struct):
    message: str


def endpoints(parts: Parts) -> list[Endpoint]:
    def connect_of(call: Call) -> Connect:
        return parts.clusters.of(call).services.connect

    async def get_all(call: Call) -> Response:
        connect = connect_of(call)
        known = await connect.all.now()
        rows = [_row(name, each) for name, each in known.value.items()]
        found = cut(call, rows, lambda row: row.name, _SORTS, "name")
        items = [await _without_secrets(connect, row, known.value[row.name]) for row in found.rows]
        page = Page(items, found.total, found.page, found.page_size, known.as_of_ms, known.stale_reason)
        return json_answer(page)

    async def get(call: Call) -> Response:
        connect, name = connect_of(call), call.segment("n")
        found = await connect.one(name)
        secrets = await connect.secrets(found.info.config)
        return json_answer(_page(name, found, secrets, await connect.topics(name)))

    async def post(call: Call) -> Response:
        connect = connect_of(call)
        new: NewConnector = await call.read(NewConnector)
        note(call, name=new.name, connector=new.config.get(_CLASS))
        await connect.create(new.name, new.config, new.initial_state)
        return json_answer({"name": new.name}, 201)

    async def put(call: Call) -> Response:
        connect, name = connect_of(call), call.segment("n")
        given: ConnectorConfig = await call.read(ConnectorConfig)
        before = (await connect.one(name)).info.config
        config = (await connect.secrets(before)).restored(given.config)
        note(call, changed=", ".join(sorted(_changed(before, config))))
        await connect.configure(name, config)
        return no_content()

    async def delete(call: Call) -> Response:
        await connect_of(call).delete(call.segment("n"))
        return no_content()

    def to(verb: str) -> Handler:
        async def post_state(call: Call) -> Response:
            await connect_of(call).put_state(call.segment("n"), verb)
            return no_content()

        return post_state

    async def post_restart(call: Call) -> Response:
        wanted: Restart = await call.read(Restart) if await call.body() else Restart()
        note(call, include_tasks=wanted.include_tasks, only_failed=wanted.only_failed)
        await connect_of(call).restart(
            call.segment("n"), include_tasks=wanted.include_tasks, only_failed=wanted.only_failed
        )
        return no_content()

    async def post_restart_task(call: Call) -> Response:
        await connect_of(call).restart_task(call.segment("n"), call.number("task"))
        return no_content()

    async def get_offsets(call: Call) -> Response:
        return json_answer(ConnectorOffsets(await connect_of(call).offsets(call.segment("n"))))

    async def patch_offsets(call: Call) -> Response:
        given: ConnectorOffsets = await call.read(ConnectorOffsets)
        if not given.offsets:
            raise ApiError(422, 42210, "There are no offsets to move.")
        note(call, offsets=len(given.offsets))
        return json_answer(Said(await connect_of(call).alter_offsets(call.segment("n"), given.offsets)))

    async def delete_offsets(call: Call) -> Response:
        return json_answer(Said(await connect_of(call).reset_offsets(call.segment("n"))))

    base = "/api/v1/clusters/{c}/connectors"
    one = base + "/{n}"
    shared: dict[str, Any] = {"tag": "connectors"}
    done = {204: None}
    return [
        Endpoint("GET", base, get_all, "Connectors, and what they are at.", query=PAGE_QUERY,
                 answers={200: Page[ConnectorRow]}, **shared),
        Endpoint("POST", base, post, "Create one.", body=NewConnector, answers={201: dict[str, str]}, **shared),
        Endpoint("GET", one, get, "One, with its tasks and its config.", answers={200: ConnectorPage}, **shared),
        Endpoint("PUT", one, put, "Change its config.", body=ConnectorConfig, answers=done, **shared),
        Endpoint("DELETE", one, delete, "Delete it.", answers=done, **shared),
        Endpoint("POST", one + "/restart", post_restart, "Restart it, with its tasks.", body=Restart,
                 optional_body=True, answers=done, **shared),
        Endpoint("POST", one + "/tasks/{task}/restart", post_restart_task, "Restart one task.", answers=done,
                 segments={"task": int}, **shared),
        Endpoint("POST", one + "/pause", to("pause"), "Let it rest, with its tasks.", answers=done, **shared),
        Endpoint("POST", one + "/resume", to("resume"), "Let it go on.", answers=done, **shared),
        Endpoint("POST", one + "/stop", to("stop"), "Let it rest, without tasks.", answers=done, **shared),
        Endpoint("GET", one + "/offsets", get_offsets, "How far it has read.", answers={200: ConnectorOffsets},
                 **shared),
        Endpoint("PATCH", one + "/offsets", patch_offsets, "Move some offsets of one that is stopped; null takes one "
                 "away.", body=ConnectorOffsets, answers={200: Said}, **shared),
        Endpoint("DELETE", one + "/offsets", delete_offsets, "Forget the offsets of one that is stopped.",
                 answers={200: Said}, **shared),
    ]  # fmt: skip


def _row(name: str, found: Expanded) -> ConnectorRow:
    config, status = found.info.config, found.status
    tasks = [] if status is None else status.tasks
    traces = [] if status is None else [each.trace for each in (status.connector, *tasks) if each.trace]
    return ConnectorRow(
        name=name,
        type=_type(found),
        class_name=config.get(_CLASS, ""),
        state=_state(status),
        worker="" if status is None else status.connector.worker_id,
        tasks=len(tasks),
        tasks_running=sum(each.state == _RUNNING for each in tasks),
        tasks_failed=sum(each.state == _FAILED for each in tasks),
        problem=_first_line(traces[0]) if traces else None,
        topics=_topics(config),
        dead_letters_topic=config.get(_DEAD_LETTERS) or None,
    )


async def _without_secrets(connect: Connect, row: ConnectorRow, found: Expanded) -> ConnectorRow:
    if row.problem is None:
        return row
    secrets = await connect.secrets(found.info.config)
    return msgspec.structs.replace(row, problem=secrets.without(row.problem))


def _page(name: str, found: Expanded, secrets: Secrets, topics: list[str] | None) -> ConnectorPage:
    config, status = found.info.config, found.status

    def shown(trace: str | None) -> str | None:
        return None if not trace else secrets.without(trace)

    return ConnectorPage(
        name=name,
        type=_type(found),
        class_name=config.get(_CLASS, ""),
        state=_state(status),
        worker="" if status is None else status.connector.worker_id,
        trace=None if status is None else shown(status.connector.trace),
        tasks=[
            ConnectorTask(each.id, each.state, each.worker_id, shown(each.trace))
            for each in ([] if status is None else status.tasks)
        ],
        config=secrets.shown(),
        hidden=secrets.hidden(),
        topics=topics,
        dead_letters_topic=config.get(_DEAD_LETTERS) or None,
    )


def _type(found: Expanded) -> str:
    return found.info.type if found.status is None or found.status.type == "unknown" else found.status.type


def _state(status: Status | None) -> str:
    return _UNASSIGNED if status is None else status.connector.state


def _topics(config: dict[str, str]) -> list[str]:
    """Those that it names itself."""
    named = config.get("topics") or config.get("topic") or config.get("kafka.topic") or ""
    return [each.strip() for each in named.split(",") if each.strip()]


def _first_line(trace: str) -> str:
    return trace.strip().partition("\n")[0][:500]


def _changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}

"""`/connectors`: list, create, show and delete connectors; `/connectors/{connector}/config`: their configs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from riacho.pipelines.connect import errors
from riacho.pipelines.connect.api.service import Service
from riacho.pipelines.connect.api.showing import info, info_of, status_of
from riacho.pipelines.connect.api.table import Config, endpoint, name_of, patch_of, read, texts
from riacho.pipelines.connect.decisions.decisions import (
    Written,
    decide_config,
    decide_create,
    decide_delete,
    decide_patch,
    patched,
)
from riacho.pipelines.connect.records import TargetState
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_EXPAND = Query("expand", list, "`status`, `info` or both: what to tell of each connector.")
_STATES = {"RUNNING": TargetState.STARTED, "PAUSED": TargetState.PAUSED, "STOPPED": TargetState.STOPPED}
_WRITES = (400, 409, 500)


class CreateConnector(msgspec.Struct, forbid_unknown_fields=True):
    name: str | None = None
    config: Config | None = None
    initial_state: Literal["RUNNING", "PAUSED", "STOPPED"] | None = None


class TaskId(msgspec.Struct):
    connector: str
    task: int


class ConnectorInfo(msgspec.Struct):
    name: str
    config: dict[str, str]
    tasks: list[TaskId]
    type: str


def endpoints(service: Service) -> list[Endpoint]:
    state = service.state

    async def list_all(call: Call) -> Response:
        expanded = [word for word in call.texts("expand") if word in ("status", "info")]
        if not call.texts("expand"):
            return json_answer(list(state.connectors))
        found: dict[str, Any] = {}
        for name in list(state.connectors):
            shown = {}
            if "status" in expanded:
                shown["status"] = await status_of(service, name)
            if "info" in expanded and name in state.connectors:
                shown["info"] = await info_of(service, name)
            found[name] = shown
        return json_answer(found)

    async def create(call: Call) -> Response:
        given: CreateConnector = await read(call, CreateConnector)
        name = (given.name or "").strip()
        missing = [setting for setting, value in (given.config or {}).items() if value is None]
        if missing:
            raise errors.invalid_config([errors.NULL_VALUE] * len(missing))
        config = _named(name, texts(given.config))
        target = None if given.initial_state is None else _STATES[given.initial_state]

        async def act() -> Response:
            validated = await service.validate(name, config)
            written = await service.replicated_log.change(lambda: decide_create(state, name, config, target))
            return _created(call, name, written, validated.type)

        return await service.at_leader(call, act)

    async def get(call: Call) -> Response:
        return json_answer(await info_of(service, name_of(call)))

    async def delete(call: Call) -> Response:
        name = name_of(call)
        return await service.change(call, lambda: decide_delete(state, name), lambda _: no_content())

    async def get_config(call: Call) -> Response:
        return json_answer(service.wanted(name_of(call)).config)

    async def put_config(call: Call) -> Response:
        name = name_of(call).strip()
        config = _named(name, texts(await read(call, Config)))
        return await service.at_leader(call, lambda: _store(call, name, config))

    async def patch_config(call: Call) -> Response:
        name = name_of(call)
        patch = patch_of(await read(call, Config))

        async def act() -> Response:
            while True:
                config = _named(name, patched(state, name, patch))
                validated = await service.validate(name, config)
                written = await service.replicated_log.change(partial(decide_patch, state, name, patch, config))
                if written is not None:
                    return json_answer(info(name, written.config, written.tasks, validated.type))
                # Somebody else changed it meanwhile.

        return await service.at_leader(call, act)

    async def _store(call: Call, name: str, config: dict[str, str]) -> Response:
        validated = await service.validate(name, config)
        written = await service.replicated_log.change(lambda: decide_config(state, name, config))
        if written.is_new:
            return _created(call, name, written, validated.type)
        return json_answer(info(name, written.config, written.tasks, validated.type))

    path, one = "/connectors", "/connectors/{connector}"
    written = {200: ConnectorInfo, 201: ConnectorInfo}
    return [
        endpoint("GET", path, list_all, "The connectors' names, or more of each with `expand`.", query=(_EXPAND,),
                 answers={200: list[str] | dict[str, Any]}),
        endpoint("POST", path, create, "Create a connector.", body=CreateConnector, answers={201: ConnectorInfo},
                 codes=_WRITES),
        endpoint("GET", one, get, "A connector: its config and its tasks.", answers={200: ConnectorInfo}),
        endpoint("DELETE", one, delete, "Stop a connector and forget its config.", answers={204: None},
                 codes=(409, 500)),
        endpoint("GET", f"{one}/config", get_config, "A connector's config, secrets not filled in.",
                 answers={200: dict[str, str]}),
        endpoint("PUT", f"{one}/config", put_config, "Replace a connector's config; creates it where there is none.",
                 body=Config, answers=written, codes=_WRITES),
        endpoint("PATCH", f"{one}/config", patch_config, "Change some settings; null takes one away.", body=Config,
                 answers={200: ConnectorInfo}, codes=_WRITES),
    ]  # fmt: skip


def _named(name: str, config: Mapping[str, str]) -> dict[str, str]:
    given = config.get("name")
    if given is not None and given != name:
        raise errors.name_mismatch(given, name)
    return {**config, "name": name}


def _created(call: Call, name: str, written: Written, kind: str) -> Response:
    location = f"{str(call.base_url).rstrip('/')}/connectors/{quote(name, safe='')}"
    return json_answer(info(name, written.config, written.tasks, kind), 201, headers={"Location": location})

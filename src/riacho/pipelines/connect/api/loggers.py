"""`/admin/loggers`: how much the worker logs, or with `scope=cluster` every worker (KIP-495, KIP-976)."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.pipelines.connect import errors
from riacho.pipelines.connect.api.log_levels import LEVELS
from riacho.pipelines.connect.api.service import Service
from riacho.pipelines.connect.api.table import endpoint, read
from riacho.pipelines.connect.decisions.decisions import decide_logger
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_SCOPE = Query("scope", str, "`worker`: this one; `cluster`: all.", "worker")
_NAME_MAX = 255


class LoggerLevel(msgspec.Struct):
    level: str
    last_modified: int | None


class WantedLevel(msgspec.Struct):
    level: str | None = None


def endpoints(service: Service) -> list[Endpoint]:
    async def list_all(call: Call) -> Response:
        return json_answer(service.levels.all())

    async def get(call: Call) -> Response:
        found = service.levels.one(call.segment("logger"))
        if found is None:
            raise errors.no_such_logger(call.segment("logger"))
        return json_answer(found)

    async def put(call: Call) -> Response:
        logger = call.segment("logger")
        given: WantedLevel = await read(call, WantedLevel)
        if given.level is None:
            raise errors.level_missing()
        level = given.level.upper()
        if level not in LEVELS:
            raise errors.invalid_level(given.level)
        if len(logger) > _NAME_MAX:
            raise errors.no_such_logger(logger)
        if (call.text("scope") or "worker").lower() == "cluster":
            return await service.change(call, lambda: decide_logger(logger, level), lambda _: no_content())
        return json_answer(service.levels.set(logger, level))

    one = "/admin/loggers/{logger}"
    return [
        endpoint("GET", "/admin/loggers", list_all, "The loggers and their levels.",
                 answers={200: dict[str, LoggerLevel]}),
        endpoint("GET", one, get, "A logger's level.", answers={200: LoggerLevel}),
        endpoint("PUT", one, put, "Set it, of this logger and those below.", query=(_SCOPE,), body=WantedLevel,
                 answers={200: list[str], 204: None}, codes=(400, 409, 500)),
    ]  # fmt: skip

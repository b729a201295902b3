"""POST /ksql: statements, one or many, each with an answer; POST /ksql/terminate: the end of all queries."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.pipelines.sql.endpoints.media import ANSWERS, REQUESTS
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.errors import statement_error
from riacho.pipelines.sql.server.requests import KsqlRequest
from riacho.pipelines.sql.server.service import Service
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

BODY_BYTES_MAX = 2 * 1024 * 1024


class TerminateRequest(msgspec.Struct, rename="camel"):
    delete_topic_list: list[str] = []


def endpoints(service: Service) -> list[Endpoint]:
    async def run(call: Call) -> Response:
        request = await call.read(KsqlRequest)

        async def act() -> Response:
            await service.until_sequence(request.command_sequence_number)
            try:
                service.refuse_headless()
                session = service.session(request.streams_properties, request.session_variables)
            except KsqlError as error:
                raise statement_error(error, request.ksql[:1_000]) from None
            return json_answer(await service.executor.execute(request.ksql, session))

        return await service.at_leader(call, act)

    async def terminate(call: Call) -> Response:
        request = await call.read(TerminateRequest)

        async def act() -> Response:
            try:
                service.refuse_headless()
                await service.executor.terminate(request.delete_topic_list)
            except KsqlError as error:
                raise statement_error(error, "TERMINATE ALL;") from None
            return json_answer([])

        return await service.at_leader(call, act)

    about = "Carries out statements; SELECT and PRINT have endpoints of their own."
    errors = {40001: "A statement cannot be taken.", 40002: "A query was sent here.", 50301: "No server leads."}
    shared: dict[str, Any] = {"request_types": REQUESTS, "answer_types": ANSWERS, "body_bytes_max": BODY_BYTES_MAX}
    return [
        Endpoint("POST", "/ksql", run, about, body=KsqlRequest, errors=errors, **shared),
        Endpoint("POST", "/ksql/terminate", terminate, "Ends all persistent queries.", body=TerminateRequest, **shared),
    ]

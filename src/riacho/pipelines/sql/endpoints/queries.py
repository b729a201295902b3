"""POST /query and /query-stream, /close-query, and the WebSocket /ws/query: rows of SELECT, lines of PRINT."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from riacho.pipelines.sql.endpoints.media import ANSWERS, DELIMITED, JSON, KSQL_JSON, REQUESTS
from riacho.pipelines.sql.endpoints.row_streams import (
    close,
    delimited,
    error_line,
    json_array,
    rows_of,
    streamed_rows,
)
from riacho.pipelines.sql.endpoints.statements import BODY_BYTES_MAX
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.entities import type_schema
from riacho.pipelines.sql.server.errors import bad_request, statement_error
from riacho.pipelines.sql.server.requests import CloseQueryRequest, KsqlRequest, QueryStreamRequest
from riacho.pipelines.sql.server.selects import Printing
from riacho.pipelines.sql.server.service import Service
from riacho.pipelines.sql.server.session import Session
from riacho.web.answers import ANSWER_TYPE, json_answer, stream_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.websocket.web_socket import WebSocket, websocket_answer

_TEXT = "text/plain; charset=utf-8"


def endpoints(service: Service) -> list[Endpoint]:
    async def query_stream(call: Call) -> Response:
        request = await call.read(QueryStreamRequest)
        found = await service.selects.start(
            request.sql, _session(service, request.properties, request.session_variables, request.sql)
        )
        if isinstance(found, Printing):
            return Closing(stream_answer(_lines(found), media_type=_TEXT), found.close)
        chosen = call.scope.get(ANSWER_TYPE)
        if chosen in (JSON, KSQL_JSON):
            return Closing(stream_answer(json_array(found), media_type=chosen), partial(close, found))
        return Closing(stream_answer(delimited(found), media_type=DELIMITED), partial(close, found))

    async def query(call: Call) -> Response:
        request = await call.read(KsqlRequest)
        await service.until_sequence(request.command_sequence_number)
        session = _session(service, request.streams_properties, request.session_variables, request.ksql)
        found = await service.selects.start(request.ksql, session)
        if isinstance(found, Printing):
            return Closing(stream_answer(_lines(found), media_type=_TEXT), found.close)
        return Closing(stream_answer(streamed_rows(found)), partial(close, found))

    async def close_query(call: Call) -> Response:
        request = await call.read(CloseQueryRequest)
        if not await service.selects.push.close(request.query_id):
            raise bad_request(f"No query with id {request.query_id[:200]}")
        return json_answer({})

    async def websocket(call: Call) -> Response:
        try:
            request = msgspec.json.decode(call.query_params.get("request", "{}"), type=KsqlRequest)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise bad_request(f"The request is not valid JSON: {error}") from None
        session = _session(service, request.streams_properties, request.session_variables, request.ksql)

        async def talk(socket: WebSocket) -> None:
            await service.until_sequence(request.command_sequence_number)
            found = await service.selects.start(request.ksql, session)
            try:
                await _talk(socket, found)
            except KsqlError as error:
                await socket.send_text(msgspec.json.encode({"error": error_line(error)}).decode())
            finally:
                await (found.close() if isinstance(found, Printing) else close(found))

        return websocket_answer(talk)

    shared: dict[str, Any] = {"request_types": REQUESTS, "body_bytes_max": BODY_BYTES_MAX}
    streamed = (DELIMITED, JSON, KSQL_JSON)
    delimited_requests = (*REQUESTS, DELIMITED)
    errors = {
        40001: "The query cannot be run.",
        40003: "Too many push queries run.",
        50300: "A table is behind its topic.",
    }
    return [
        Endpoint(
            "POST",
            "/query-stream",
            query_stream,
            "Rows of a query: a header, then an array a line.",
            body=QueryStreamRequest,
            errors=errors,
            answer_types=streamed,
            request_types=delimited_requests,
            body_bytes_max=BODY_BYTES_MAX,
        ),
        Endpoint(
            "POST",
            "/query",
            query,
            "Rows of a query, or PRINT.",
            body=KsqlRequest,
            errors=errors,
            answer_types=ANSWERS,
            **shared,
        ),
        Endpoint(
            "POST",
            "/close-query",
            close_query,
            "Ends a push query.",
            body=CloseQueryRequest,
            answer_types=streamed,
            request_types=delimited_requests,
        ),
        Endpoint(
            "GET",
            "/ws/query",
            websocket,
            "Rows of a query, a message each.",
            query=(Query("request", str, "The request, as JSON."), Query("access_token", str, "Not looked at.")),
            is_websocket=True,
        ),
    ]


def _session(service: Service, properties: dict[str, Any], variables: dict[str, str], text: str) -> Session:
    try:
        return service.session(properties, variables)
    except KsqlError as error:
        raise statement_error(error, text[:1_000]) from None


class Closing(Response):
    """An answer after which, however it ends, something is closed: also where nobody was there to take a byte of it,
    and the pieces were never begun."""

    def __init__(self, answer: Response, close: Callable[[], Awaitable[None]]) -> None:
        self.status_code = answer.status_code
        self.background = None
        self._answer = answer
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._answer(scope, receive, send)
        finally:
            await self._close()


async def _lines(printing: Printing) -> AsyncIterator[bytes]:
    try:
        async for line in printing.lines():
            yield line.encode() + b"\n"
    except KsqlError as error:
        yield f"Error: {error.message}\n".encode()
    finally:
        await printing.close()


async def _talk(socket: WebSocket, found: Any) -> None:
    if isinstance(found, Printing):
        async for line in found.lines():
            await socket.send_text(line)
        return
    schema = [{"name": column.name, "schema": type_schema(column.type)} for column in found.schema]
    await socket.send_text(msgspec.json.encode(schema).decode())
    async for rows in rows_of(found):
        for row in rows:
            await socket.send_text(msgspec.json.encode({"row": {"columns": row}}).decode())

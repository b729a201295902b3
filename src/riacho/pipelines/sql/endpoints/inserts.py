"""POST /inserts-stream: rows of a stream as JSON objects, a line each, acknowledged as the brokers confirm them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
from starlette.responses import Response

from riacho.pipelines.sql.endpoints.media import DELIMITED, JSON, KSQL_JSON, REQUESTS
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.errors import bad_request
from riacho.pipelines.sql.server.requests import InsertsTarget
from riacho.pipelines.sql.server.service import Service
from riacho.pipelines.sql.server.stream_inserts import StreamInserts
from riacho.web.answers import stream_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

LINE_BYTES_MAX = 1024 * 1024
# Rows that are on their way to the brokers at a time: more are read when some of them have arrived.
_UNDER_WAY_MAX = 500


def endpoints(service: Service) -> list[Endpoint]:
    async def inserts_stream(call: Call) -> Response:
        lines = _lines(call)
        first = await anext(lines, None)
        if first is None:
            raise bad_request('The first line has to name the target: {"target": "MY_STREAM"}.')
        try:
            target = msgspec.json.decode(first, type=InsertsTarget)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise bad_request(f"The first line has to name the target: {error}") from None
        try:
            inserts = service.executor.stream_inserts(target.target)
        except KsqlError as error:
            raise bad_request(error.message) from None
        return stream_answer(_acknowledged(inserts, lines), is_duplex=True)

    return [
        Endpoint(
            "POST",
            "/inserts-stream",
            inserts_stream,
            "Inserts rows: the target, then a row a line; each is acknowledged.",
            body=InsertsTarget,
            is_stream=True,
            request_types=(*REQUESTS, DELIMITED),
            answer_types=(DELIMITED, JSON, KSQL_JSON),
        )
    ]


async def _lines(call: Call) -> AsyncIterator[bytes]:
    """ApiError where one is too long."""
    left = b""
    async for piece in call.stream():
        left += piece
        *whole, left = left.split(b"\n")
        for line in whole:
            if line.strip():
                yield line
        if len(left) > LINE_BYTES_MAX:
            raise bad_request(f"A line is longer than the allowed {LINE_BYTES_MAX} bytes.")
    if left.strip():
        yield left


async def _acknowledged(inserts: StreamInserts, lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """In the order of the rows: an acknowledgement tells that those before it are stored too."""
    waiting: asyncio.Queue[asyncio.Task[None] | None] = asyncio.Queue(_UNDER_WAY_MAX)

    async def read() -> None:
        try:
            async for line in lines:
                await waiting.put(asyncio.create_task(inserts.insert(line)))
        finally:
            await waiting.put(None)

    reading = asyncio.create_task(read())
    sequence = 0
    try:
        while (task := await waiting.get()) is not None:
            try:
                await task
                answer: dict[str, object] = {"status": "ok", "seq": sequence}
            except KsqlError as error:
                answer = {"status": "error", "error_code": 50000, "message": error.message, "seq": sequence}
            yield msgspec.json.encode(answer) + b"\n"
            sequence += 1
        await reading
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        while not waiting.empty():
            left = waiting.get_nowait()
            if left is not None:
                left.cancel()

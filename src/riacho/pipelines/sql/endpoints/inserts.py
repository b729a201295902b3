"""POST /inserts-stream: rows of a stream as JSON objects, a line each, acknowledged as the brokers confirm them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import msgspec
from starlette.responses import Response

from riacho.pipelines.sql.endpoints.media import DELIMITED, JSON, KSQL_JSON, REQUESTS
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.errors import bad_request
from riacho.pipelines.sql.server.requests import InsertsTarget, texts
from riacho.pipelines.sql.server.service import Service
from riacho.pipelines.sql.server.session import Session
from riacho.pipelines.sql.server.stream_inserts import StreamInserts
from riacho.web.answers import ANSWER_TYPE, stream_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

LINE_BYTES_MAX = 1024 * 1024
# Rows that are on their way to the brokers at a time: more are read when some of them have arrived.
_UNDER_WAY_MAX = 500
_ENCODED_AT_ONCE = 200


def endpoints(service: Service) -> list[Endpoint]:
    async def inserts_stream(call: Call) -> Response:
        lines = _lines(call)
        found = await anext(lines, None)
        if found is None:
            raise bad_request('The first line has to name the target: {"target": "MY_STREAM"}.')
        first, *rest = found
        try:
            target = msgspec.json.decode(first, type=InsertsTarget)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise bad_request(f"The first line has to name the target: {error}") from None
        try:
            service.refuse_headless()
            Session.of(texts(target.properties), {})
            inserts = service.executor.stream_inserts(target.target)
        except KsqlError as error:
            raise bad_request(error.message) from None
        acknowledged = _acknowledged(inserts, rest, lines)
        is_array = call.scope.get(ANSWER_TYPE) in (JSON, KSQL_JSON)
        return stream_answer(_as_array(acknowledged) if is_array else acknowledged, is_duplex=True)

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


async def _lines(call: Call) -> AsyncIterator[list[bytes]]:
    """As many as have come. ApiError where one is too long."""
    left = bytearray()
    async for piece in call.stream():
        left += piece
        end = left.rfind(b"\n")
        if end >= 0:
            whole = bytes(left[:end]).split(b"\n")
            del left[: end + 1]
            found = [line for line in whole if line.strip()]
            _refuse_long(found)
            if found:
                yield found
        _refuse_long([left])
    if left.strip():
        yield [bytes(left)]


def _refuse_long(lines: Sequence[bytes | bytearray]) -> None:
    if any(len(line) > LINE_BYTES_MAX for line in lines):
        raise bad_request(f"A line is longer than the allowed {LINE_BYTES_MAX} bytes.")


async def _acknowledged(
    inserts: StreamInserts, first: list[bytes], more: AsyncIterator[list[bytes]]
) -> AsyncIterator[bytes]:
    """In the order of the rows: an acknowledgement tells that those before it are stored too."""
    waiting: asyncio.Queue[asyncio.Future[None] | ApiError | None] = asyncio.Queue(_UNDER_WAY_MAX)

    async def begin(lines: list[bytes]) -> None:
        for at in range(0, len(lines), _ENCODED_AT_ONCE):
            for future in await inserts.begun(lines[at : at + _ENCODED_AT_ONCE]):
                await waiting.put(future)

    async def read() -> None:
        try:
            await begin(first)
            async for lines in more:
                await begin(lines)
        except ApiError as error:
            await waiting.put(error)
        finally:
            await waiting.put(None)

    reading = asyncio.create_task(read())
    sequence = 0
    try:
        while (each := await waiting.get()) is not None:
            yield msgspec.json.encode(await _answer(each, sequence)) + b"\n"
            sequence += 1
        await reading
    finally:
        reading.cancel()
        while not waiting.empty():
            left = waiting.get_nowait()
            if isinstance(left, asyncio.Future) and left.done() and not left.cancelled():
                left.exception()
        await asyncio.gather(reading, return_exceptions=True)


async def _as_array(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """One JSON array, for who accepts nothing else."""
    before = b"["
    async for line in lines:
        yield before + line.rstrip()
        before = b",\n"
    yield b"]" if before != b"[" else b"[]"


async def _answer(row: asyncio.Future[None] | ApiError, sequence: int) -> dict[str, object]:
    try:
        if isinstance(row, ApiError):
            return {"status": "error", "error_code": row.error_code, "message": row.message, "seq": sequence}
        await row
    except KsqlError as error:
        return {"status": "error", "error_code": 50000, "message": error.message, "seq": sequence}
    return {"status": "ok", "seq": sequence}

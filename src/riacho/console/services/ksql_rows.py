"""Rows of a query, push or pull, as a KSQL server sends them: read by a thread a query, taken by the event loop.

Between the two is a bounded buffer: a page that reads slowly slows the thread, that the connection, and that the
server. Closing a query cuts its connection, by which the server ends it.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, TypeAlias

import msgspec

from riacho.client.http_client import HttpCall, HttpClient, HttpStream
from riacho.client.http_target import HttpError
from riacho.console.services.http_service import HttpService
from riacho.web.errors import ApiError

QUERIES_MAX = 32
LINE_BYTES_MAX = 4 << 20
BUFFER_BYTES_MAX = 1 << 20
SILENCE_S = 15.0
_ERROR_BYTES_MAX = 1 << 20
_CONNECT_TIMEOUT_S = 5.0
# Until its first row can be told of: a pull query reads a table before.
_HEAD_TIMEOUT_S = 60.0
_DELIMITED = "application/vnd.ksqlapi.delimited.v1"
_JSON = "application/vnd.ksql.v1+json"

Lines: TypeAlias = AsyncGenerator[list[bytes], None]


class RowStream:
    """One query. `take` gives what has come, line by line, None after the last; ApiError when it went wrong."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.call = HttpCall()
        self._loop = loop
        self._lines: deque[bytes] = deque()
        self._size_bytes = 0
        self._room = threading.Condition()
        self._some = asyncio.Event()
        self._has_ended = False
        self._is_closed = False
        self._error: ApiError | None = None

    # The thread's side

    def put(self, line: bytes) -> bool:
        """Waits for room. False where nobody takes any more."""
        with self._room:
            self._room.wait_for(lambda: self._is_closed or self._size_bytes < BUFFER_BYTES_MAX)
            if self._is_closed:
                return False
            self._lines.append(line)
            self._size_bytes += len(line)
        self._wake()
        return True

    def end(self, error: ApiError | None = None) -> None:
        with self._room:
            self._has_ended = True
            self._error = error
        self._wake()

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._some.set)
        except RuntimeError:
            # The loop has ended, and with it whoever would take.
            self.close()

    # The loop's side

    async def take(self) -> list[bytes] | None:
        """Nothing where nothing has come for a while."""
        try:
            async with asyncio.timeout(SILENCE_S):
                await self._some.wait()
        except TimeoutError:
            return []
        with self._room:
            taken = list(self._lines)
            self._lines.clear()
            self._size_bytes = 0
            self._room.notify_all()
            if not self._has_ended:
                self._some.clear()
        if taken:
            return taken
        if self._error is not None:
            raise self._error
        return None if self._has_ended else []

    def close(self) -> None:
        with self._room:
            self._is_closed = True
            self._room.notify_all()


class KsqlRows:
    def __init__(self, service: HttpService, timeout_s: float) -> None:
        self._service = service
        self._http = HttpClient()
        self._threads = ThreadPoolExecutor(QUERIES_MAX, thread_name_prefix="console-ksql")
        self._open: set[RowStream] = set()
        self._head_timeout_s = max(timeout_s, _HEAD_TIMEOUT_S)

    def close(self) -> None:
        for stream in list(self._open):
            self._end(stream)
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._http.close()

    async def lines(self, sql: str, properties: Mapping[str, str], *, is_print: bool) -> Lines:
        """Lines as they come, some at a time, and none now and then. ApiError where it is refused, also after some."""
        self._service.check_is_there()
        if len(self._open) >= QUERIES_MAX:
            message = f"{QUERIES_MAX} queries are open in the console already; close one."
            raise ApiError(503, 50311, message, headers={"Retry-After": "5"})
        path, body = _request(sql, properties, is_print=is_print)
        stream = RowStream(asyncio.get_running_loop())
        self._open.add(stream)
        try:
            self._threads.submit(self._read, stream, path, msgspec.json.encode(body), is_print)
            while (taken := await stream.take()) is not None:
                yield taken
        finally:
            self._end(stream)

    def _end(self, stream: RowStream) -> None:
        self._open.discard(stream)
        stream.close()
        self._http.cut(stream.call)

    # In a thread

    def _read(self, stream: RowStream, path: str, body: bytes, is_print: bool) -> None:
        try:
            self._read_from_one(stream, path, body, is_print)
        except ApiError as error:
            stream.end(error)
        except HttpError as error:
            stream.end(self._service.unreachable(error))
        except Exception as error:
            stream.end(ApiError(500, 50000, f"The console failed to read the rows: {type(error).__name__}."))
            raise
        else:
            stream.end()

    def _read_from_one(self, stream: RowStream, path: str, body: bytes, is_print: bool) -> None:
        failure: HttpError | None = None
        headers = {"Accept": _JSON if is_print else _DELIMITED, "Content-Type": _JSON}
        for at in self._service.order():
            try:
                with self._http.stream(
                    "POST",
                    self._service.urls[at] + path,
                    headers=headers,
                    body=body,
                    timeout_s=self._head_timeout_s,
                    connect_timeout_s=_CONNECT_TIMEOUT_S,
                    call=stream.call,
                ) as answer:
                    self._service.answered_by(at)
                    self._pass_on(stream, answer)
                    return
            except HttpError as error:
                failure = error
                if error.was_sent:
                    break
        assert failure is not None
        raise failure

    def _pass_on(self, stream: RowStream, answer: HttpStream) -> None:
        if not answer.is_good:
            found = _json(answer.rest(_ERROR_BYTES_MAX))
            raise self._service.refusal(answer.status, _phrase(answer.status), found)
        while line := answer.line(LINE_BYTES_MAX):
            if line.strip() and not stream.put(line):
                return


def _request(sql: str, properties: Mapping[str, str], *, is_print: bool) -> tuple[str, dict[str, Any]]:
    if is_print:
        return "/query", {"ksql": sql, "streamsProperties": properties}
    return "/query-stream", {"sql": sql, "properties": properties}


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown Status"

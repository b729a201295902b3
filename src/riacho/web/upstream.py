"""Calls of other services: a follower's to its leader, the REST proxy's to the schema registry.

`http.client` in a bounded number of threads, because the standard library has no HTTP client for the event loop and
these calls are few. Connections are kept and used again; one that the other side has closed meanwhile is noticed
before it is used, so that a call that changes something is never sent twice. A thread waits no longer than who asked:
when that one has gone, or the service stops, its connection is cut.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import math
import select
import socket
import ssl
import threading
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_IDEMPOTENT = frozenset({"GET", "HEAD"})
_IDLE_PER_HOST_MAX = 8
_HOSTS_MAX = 64
_WAITING_MAX = 1024


class UpstreamError(Exception):
    """The other service gave no answer; one sentence. `was_sent`: it may have acted on the call all the same."""

    def __init__(self, message: str, *, was_sent: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.was_sent = was_sent


class Answer(NamedTuple):
    """`headers` by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Target(NamedTuple):
    scheme: str
    host: str
    port: int


class _UnderWay:
    """A call that a thread is at, and the connection it waits for, which others may cut."""

    __slots__ = ("connection", "is_cut")

    def __init__(self) -> None:
        self.connection: http.client.HTTPConnection | None = None
        self.is_cut = False


class Upstream:
    def __init__(
        self,
        *,
        tls: ssl.SSLContext | None = None,
        basic_auth: tuple[str, str] | None = None,
        threads_max: int = 16,
        answer_bytes_max: int = 64 * 1024 * 1024,
        connect_timeout_s: float = math.inf,
    ) -> None:
        """`connect_timeout_s`: for connecting alone, where that is less than a call may take as a whole."""
        self._tls = tls
        self._connect_timeout_s = connect_timeout_s
        self._authorization = None if basic_auth is None else _basic(*basic_auth)
        self._answer_bytes_max = answer_bytes_max
        self._threads = ThreadPoolExecutor(threads_max, thread_name_prefix="upstream")
        self._lock = threading.Lock()
        self._idle: dict[_Target, deque[http.client.HTTPConnection]] = {}
        self._is_closed = False
        self._waiting = 0
        self._under_way: set[_UnderWay] = set()

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_s: float = 30.0,
    ) -> Answer:
        """UpstreamError when there is no answer; any status is an answer. Basic authentication of the user in the URL
        or, where `headers` has no Authorization, of this object."""
        target, path, sent = self._prepared(url, dict(headers or {}))
        if self._waiting >= _WAITING_MAX:
            raise UpstreamError(f"Too many calls wait for {_shown(target)}.")
        loop = asyncio.get_running_loop()
        self._waiting += 1
        call = _UnderWay()
        self._under_way.add(call)
        try:
            asked = loop.run_in_executor(
                self._threads, self._exchange, call, target, method, path, sent, body, timeout_s
            )
            # The thread's own limit is for each piece that it waits for; this one is for the whole.
            return await asyncio.wait_for(asked, timeout_s + 1.0)
        except TimeoutError:
            raise UpstreamError(_silent(target, timeout_s), was_sent=True) from None
        except RuntimeError:
            # What a pool of threads says that was shut down.
            raise UpstreamError("The service is stopping.") from None
        finally:
            self._waiting -= 1
            self._under_way.discard(call)
            self._cut(call)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection in connections:
                connection.close()
        # Python does not end before its threads do.
        for call in list(self._under_way):
            self._cut(call)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _cut(self, call: _UnderWay) -> None:
        with self._lock:
            call.is_cut = True
            sock = None if call.connection is None else call.connection.sock
            if sock is not None:
                with suppress(OSError):
                    # The plain socket's: that of TLS would take its state away from under the thread.
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def _prepared(self, url: str, headers: dict[str, str]) -> tuple[_Target, str, dict[str, str]]:
        try:
            parts = urlsplit(url)
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            raise UpstreamError(f"'{_without_user(url)}' is not a URL.") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UpstreamError(f"'{_without_user(url)}' is not an http or https URL.")
        if not any(name.lower() == "authorization" for name in headers):
            if parts.username is not None:
                headers["Authorization"] = _basic(unquote(parts.username), unquote(parts.password or ""))
            elif self._authorization is not None:
                headers["Authorization"] = self._authorization
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return _Target(parts.scheme, parts.hostname, port), path, headers

    def _exchange(
        self,
        call: _UnderWay,
        target: _Target,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None,
        timeout_s: float,
    ) -> Answer:
        kept = self._take(target, timeout_s)
        if kept is not None:
            try:
                return self._ask(call, kept, target, method, path, headers, body, timeout_s)
            except _Broken as broken:
                if method not in _IDEMPOTENT or call.is_cut:
                    raise broken.told() from None
        fresh = self._connect(target, timeout_s)
        try:
            return self._ask(call, fresh, target, method, path, headers, body, timeout_s)
        except _Broken as broken:
            raise broken.told() from None

    def _ask(
        self,
        call: _UnderWay,
        connection: http.client.HTTPConnection,
        target: _Target,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None,
        timeout_s: float,
    ) -> Answer:
        with self._lock:
            call.connection = connection
            is_cut = call.is_cut
        try:
            if is_cut:
                raise ConnectionAbortedError("nobody waits for the answer")
            connection.request(method, path, body=body, headers=dict(headers))
            response = connection.getresponse()
            content = response.read(self._answer_bytes_max + 1)
            if response.length and len(content) <= self._answer_bytes_max:
                raise http.client.IncompleteRead(content, response.length)
        except TimeoutError:
            connection.close()
            raise UpstreamError(_silent(target, timeout_s), was_sent=True) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise _Broken(target, error) from None
        if len(content) > self._answer_bytes_max:
            connection.close()
            raise UpstreamError(f"The answer of {_shown(target)} is too large.", was_sent=True)
        self._keep(call, target, connection, response.will_close)
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, content)

    def _connect(self, target: _Target, timeout_s: float) -> http.client.HTTPConnection:
        connect_timeout_s = min(timeout_s, self._connect_timeout_s)
        if target.scheme == "https":
            context = self._tls or ssl.create_default_context()
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                target.host, target.port, timeout=connect_timeout_s, context=context
            )
        else:
            connection = http.client.HTTPConnection(target.host, target.port, timeout=connect_timeout_s)
        try:
            connection.connect()
            connection.sock.settimeout(timeout_s)
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, UnicodeError) as error:
            connection.close()
            raise UpstreamError(f"{_shown(target)} cannot be reached: {_reason(error)}.") from None
        return connection

    def _take(self, target: _Target, timeout_s: float) -> http.client.HTTPConnection | None:
        while True:
            with self._lock:
                idle = self._idle.get(target)
                connection = idle.pop() if idle else None
            if connection is None:
                return None
            if connection.sock is not None and not _is_readable(connection.sock):
                connection.sock.settimeout(timeout_s)
                return connection
            # Nobody was asked anything: what there is to read is the end of the connection.
            connection.close()

    def _keep(self, call: _UnderWay, target: _Target, connection: http.client.HTTPConnection, will_close: bool) -> None:
        with self._lock:
            call.connection = None
            if not will_close and not self._is_closed and (target in self._idle or len(self._idle) < _HOSTS_MAX):
                idle = self._idle.setdefault(target, deque())
                if len(idle) < _IDLE_PER_HOST_MAX:
                    idle.append(connection)
                    return
        connection.close()


class _Broken(Exception):
    """The connection ended in the middle of a call."""

    def __init__(self, target: _Target, error: Exception) -> None:
        self._sentence = f"{_shown(target)} broke off the connection: {_reason(error)}."

    def told(self) -> UpstreamError:
        return UpstreamError(self._sentence, was_sent=True)


def _is_readable(sock: socket.socket) -> bool:
    with suppress(OSError, ValueError):
        poll = select.poll()
        poll.register(sock, select.POLLIN | select.POLLHUP)
        return bool(poll.poll(0))
    return True


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _shown(target: _Target) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    return f"{target.scheme}://{host}:{target.port}"


def _silent(target: _Target, timeout_s: float) -> str:
    return f"{_shown(target)} did not answer within {timeout_s:g} s."


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted ({error.verify_message.rstrip('.')})"
    if isinstance(error, ssl.SSLError):
        return f"the TLS handshake failed ({(error.reason or 'no reason given').lower().replace('_', ' ')})"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).rstrip(".")


def _without_user(url: str) -> str:
    """A URL may carry a password."""
    scheme, separator, rest = url.partition("://")
    return scheme + separator + rest.rpartition("@")[2]

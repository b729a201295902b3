"""HTTP/1.1 calls: of other services, a schema registry, an identity provider, an API that a connector reads or writes.

Blocking, over the standard library's `http.client`, for any number of threads; `web/upstream.py` is the front of it for
an event loop. Connections are kept and used again; one that the other side has closed meanwhile is noticed before it is
used, so that a call that changes something is never sent twice. What is read of an answer is bounded.
"""

# Long because: connection, proxy, limits and end of a call belong together, and every call is made here.
from __future__ import annotations

import http.client
import os
import select
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple, TypeAlias
from urllib.parse import urljoin

from riacho.client.http_proxy import proxy_for, proxy_login
from riacho.client.http_target import HttpAddress, HttpError, HttpTarget, address_of, reason_of

# Called with a URL and None before a connection for it is made, then with the address reached; raises to refuse it.
Guard = Callable[[str, str | None], None]

_IDEMPOTENT = frozenset({"GET", "HEAD"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_IDLE_PER_HOST_MAX = 8
_HOSTS_MAX = 64
_PIECE_BYTES = 64 * 1024


class HttpAnswer(NamedTuple):
    """`headers` by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def phrase(self) -> str:
        """What the status is called, as `Not Found`."""
        return http.client.responses.get(self.status, "Unknown Status")


class HttpCall:
    """A call that a thread is at, and the socket it waits at, which others may cut."""

    __slots__ = ("is_cut", "sock")

    def __init__(self) -> None:
        self.sock: socket.socket | None = None
        self.is_cut = False


class HttpStream:
    """An answer that is read as it comes."""

    def __init__(self, target: HttpTarget, response: http.client.HTTPResponse) -> None:
        self._target = target
        self._response = response
        self._lines: deque[bytes] = deque()
        self._begun = b""
        self.status = response.status
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.getheaders()}

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300

    def line(self, size_bytes_max: int) -> bytes:
        """The next one, with its end; empty after the last. HttpError where the connection breaks, or it is longer."""
        while not self._lines:
            if len(self._begun) > size_bytes_max:
                raise HttpError(f"A line of the answer of {self._target} is too large.", was_sent=True)
            piece = self._piece()
            if not piece:
                last, self._begun = self._begun, b""
                return last
            *whole, self._begun = (self._begun + piece).split(b"\n")
            self._lines.extend(whole)
        return self._lines.popleft() + b"\n"

    def rest(self, size_bytes_max: int) -> bytes:
        """As much as may be of what is left, where no line was asked for."""
        pieces: list[bytes] = []
        while sum(map(len, pieces)) < size_bytes_max and (piece := self._piece()):
            pieces.append(piece)
        return b"".join(pieces)[:size_bytes_max]

    def _piece(self) -> bytes:
        try:
            piece = self._response.read1(_PIECE_BYTES)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._target.broken(reason_of(error)) from None
        if not piece and self._response.length:
            raise self._target.broken("its answer is not complete")
        return piece


# In seconds, to connect and to wait for each piece.
_Limits: TypeAlias = tuple[float | None, float | None]


class _Request(NamedTuple):
    url: str
    target: HttpTarget
    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None
    connect_timeout_s: float | None
    timeout_s: float | None
    proxy: HttpAddress | None


class HttpClient:
    def __init__(
        self,
        *,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
        authorization: str | None = None,
        answer_bytes_max: int = 64 * 1024 * 1024,
        redirects_max: int = 0,
        takes_proxy: bool = False,
        guard: Guard | None = None,
    ) -> None:
        """`tls` is called when it is needed first. `takes_proxy`: as `http_proxy`, `https_proxy` and `no_proxy` say.
        Redirects are followed for GET and HEAD."""
        self._make_tls = tls
        self._tls: ssl.SSLContext | None = None
        self._authorization = authorization
        self._answer_bytes_max = answer_bytes_max
        self._redirects_max = redirects_max
        self._takes_proxy = takes_proxy
        self._guard = guard
        self._lock = threading.Lock()
        self._idle: dict[HttpTarget, deque[http.client.HTTPConnection]] = {}
        self._pid = os.getpid()
        self._is_closed = False

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_s: float = 30.0,
        connect_timeout_s: float | None = None,
        call: HttpCall | None = None,
    ) -> HttpAnswer:
        """HttpError when there is no answer; any status is an answer. Where `headers` has no Authorization, it is that
        of the user in the URL, else this object's. The time is for each piece that is waited for, and for connecting
        where that has none of its own."""
        limits_s = (timeout_s if connect_timeout_s is None else connect_timeout_s, timeout_s)
        request = self._prepared(method, url, dict(headers or {}), body, limits_s)
        call = call or HttpCall()
        answer = self._exchange(call, request)
        for _ in range(self._redirects_max):
            if answer.status not in _REDIRECTS or method not in _IDEMPOTENT or "location" not in answer.headers:
                break
            request = self._redirected(request, answer.headers["location"])
            answer = self._exchange(call, request)
        return answer

    @contextmanager
    def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_s: float | None = 30.0,
        connect_timeout_s: float | None = None,
        call: HttpCall | None = None,
    ) -> Iterator[HttpStream]:
        """As `request`, for an answer without an end: it comes on a connection of its own, and however long. The time
        is for its head, None where that may take any. `cut` ends it from another thread; HttpError then, or the end of
        the lines."""
        limits_s = (timeout_s if connect_timeout_s is None else connect_timeout_s, timeout_s)
        request = self._prepared(method, url, dict(headers or {}), body, limits_s)
        call = call or HttpCall()
        connection = self._connect(request)
        # Of an answer whose end is that of the connection, http.client leaves only the reading open.
        sock = connection.sock
        try:
            # Who has gone without a word is noticed by the kernel.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            with self._head(call, connection, request) as response:
                sock.settimeout(None)
                yield HttpStream(request.target, response)
        except _Broken as broken:
            raise broken.as_http_error() from None
        finally:
            with self._lock:
                call.sock = None
            connection.close()

    def reach(self, url: str, timeout_s: float = 30.0) -> None:
        """Connect, and keep the connection for a call. HttpError when nobody listens there."""
        request = self._prepared("GET", url, {}, None, (timeout_s, timeout_s))
        connection = self._take(request) or self._connect(request)
        self._keep(HttpCall(), request.target, connection)

    def cut(self, call: HttpCall) -> None:
        """End a call, from whatever thread: nobody waits for its answer."""
        with self._lock:
            call.is_cut = True
            if call.sock is not None:
                with suppress(OSError):
                    # The plain socket's: that of TLS would take its state away from under the thread.
                    socket.socket.shutdown(call.sock, socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of idle connections; those in use are closed after their calls."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection in connections:
                connection.close()

    def _prepared(
        self, method: str, url: str, headers: dict[str, str], body: bytes | None, limits_s: _Limits
    ) -> _Request:
        address = address_of(url)
        if not any(name.lower() == "authorization" for name in headers):
            authorization = address.authorization or self._authorization
            if authorization is not None:
                headers["Authorization"] = authorization
        target, path = address.target, address.path
        proxy = proxy_for(target) if self._takes_proxy else None
        if proxy is not None and target.scheme == "http":
            # There is no tunnel: the proxy reads the call, and needs the whole URL.
            path = f"{target}{path}"
            headers |= proxy_login(proxy)
        return _Request(url, target, method, path, headers, body, *limits_s, proxy)

    def _redirected(self, request: _Request, location: str) -> _Request:
        url = urljoin(request.url, location)
        headers = request.headers
        if address_of(url).target != request.target:
            # A login is for whom it was given.
            headers = {name: value for name, value in headers.items() if name.lower() != "authorization"}
        return self._prepared(request.method, url, headers, None, (request.connect_timeout_s, request.timeout_s))

    def _exchange(self, call: HttpCall, request: _Request) -> HttpAnswer:
        kept = self._take(request)
        if kept is not None:
            try:
                return self._ask(call, kept, request)
            except _Broken as broken:
                if request.method not in _IDEMPOTENT or call.is_cut:
                    raise broken.as_http_error() from None
        fresh = self._connect(request)
        try:
            return self._ask(call, fresh, request)
        except _Broken as broken:
            raise broken.as_http_error() from None

    def _ask(self, call: HttpCall, connection: http.client.HTTPConnection, request: _Request) -> HttpAnswer:
        target = request.target
        response = self._head(call, connection, request)
        try:
            content = response.read(self._answer_bytes_max + 1)
            if response.length and len(content) <= self._answer_bytes_max:
                raise http.client.IncompleteRead(content, response.length)
        except TimeoutError:
            connection.close()
            raise target.silent(request.timeout_s) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise _Broken(target, error) from None
        if len(content) > self._answer_bytes_max:
            connection.close()
            raise HttpError(f"The answer of {target} is too large.", was_sent=True)
        self._keep(call, target, connection)
        return HttpAnswer(response.status, {name.lower(): value for name, value in response.getheaders()}, content)

    def _head(
        self, call: HttpCall, connection: http.client.HTTPConnection, request: _Request
    ) -> http.client.HTTPResponse:
        with self._lock:
            call.sock = connection.sock
            is_cut = call.is_cut
        try:
            if is_cut:
                raise ConnectionAbortedError("nobody waits for the answer")
            connection.request(request.method, request.path, body=request.body, headers=request.headers)
            return connection.getresponse()
        except TimeoutError:
            connection.close()
            raise request.target.silent(request.timeout_s) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise _Broken(request.target, error) from None

    # Connections

    def _connect(self, request: _Request) -> http.client.HTTPConnection:
        if self._guard is not None:
            self._guard(request.url, None)
        target, connection = request.target, None
        try:
            connection = self._new_connection(request)
            connection.connect()
            if self._guard is not None:
                self._guard(request.url, str(connection.sock.getpeername()[0]))
            connection.sock.settimeout(request.timeout_s)
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, UnicodeError, http.client.HTTPException) as error:
            raise target.unreachable(reason_of(error)) from None
        else:
            made, connection = connection, None
            return made
        finally:
            if connection is not None:
                connection.close()

    def _new_connection(self, request: _Request) -> http.client.HTTPConnection:
        target, proxy = request.target, request.proxy
        host, port = (target if proxy is None else proxy.target)[1:]
        timeout_s = request.connect_timeout_s
        if target.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=timeout_s)
        if self._tls is None:
            self._tls = self._make_tls()
        connection = http.client.HTTPSConnection(host, port, timeout=timeout_s, context=self._tls)
        if proxy is not None:
            connection.set_tunnel(target.host, target.port, proxy_login(proxy))
        return connection

    def _take(self, request: _Request) -> http.client.HTTPConnection | None:
        while True:
            with self._lock:
                if self._pid != os.getpid():
                    # This process was forked: the connections are those of the other.
                    self._pid, self._idle = os.getpid(), {}
                idle = self._idle.get(request.target)
                connection = idle.pop() if idle else None
            if connection is None:
                return None
            if connection.sock is not None and not _is_readable(connection.sock):
                connection.sock.settimeout(request.timeout_s)
                return connection
            # Nobody was asked anything: what there is to read is the end of the connection.
            connection.close()

    def _keep(self, call: HttpCall, target: HttpTarget, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            call.sock = None
            is_open = connection.sock is not None
            if is_open and not self._is_closed and (target in self._idle or len(self._idle) < _HOSTS_MAX):
                idle = self._idle.setdefault(target, deque())
                if len(idle) < _IDLE_PER_HOST_MAX:
                    idle.append(connection)
                    return
        connection.close()


class _Broken(Exception):
    """The connection ended in the middle of a call."""

    def __init__(self, target: HttpTarget, error: Exception) -> None:
        self._target = target
        self._reason = reason_of(error)

    def as_http_error(self) -> HttpError:
        return self._target.broken(self._reason)


def _is_readable(sock: socket.socket) -> bool:
    with suppress(OSError, ValueError):
        poll = select.poll()
        poll.register(sock, select.POLLIN | select.POLLHUP)
        return bool(poll.poll(0))
    return True

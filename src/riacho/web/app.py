"""The ASGI application of a service: its table of endpoints behind routing, limits, authentication and error answers.

    application = App(name="schema-registry", endpoints=[...], media_type="application/vnd.schemaregistry.v1+json")

A call passes, in this order: the count of calls under way, Host and Origin, routing, authentication, media types,
handler; the body's limits apply where the handler reads it. Whatever a handler raises becomes an error answer here
and nowhere else; an exception that was not foreseen is logged with its trace and answered by one sentence.

These are plain statements, not a stack of middlewares: a layer that only passes on costs a coroutine for each message.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from time import perf_counter_ns
from typing import Any, Protocol

import msgspec
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from riacho.base.log_fields import field_value
from riacho.web.answers import ANSWER_TYPE, JsonAnswer
from riacho.web.body_budget import BodyBudget
from riacho.web.call import AT_END, HELD_BYTES, REQUEST_TYPE, BodyLimits, Call
from riacho.web.cors import Cors
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError, envelope, plain_error
from riacho.web.media_types import answer_type, is_form, request_type
from riacho.web.metrics import NO_ENDPOINT, ServiceMetrics
from riacho.web.own_endpoints import Health, own_endpoints
from riacho.web.router import Found, Router
from riacho.web.sites import Sites
from riacho.web.websocket.handshake import check_offer

_log = logging.getLogger("riacho.web")
_access = logging.getLogger("riacho.access")
# Of the page that led here: a login before its host, what was asked of it. None of the log's business.
_SECRETS_OF_ADDRESS = re.compile(r"(?<=//)[^/?#@]*@|[?#].*")
# The caller went away; nobody gets this status, it stands in the metrics.
_GONE = 499


class Authenticator(Protocol):
    async def authenticate(self, scope: Scope, path: str) -> None:
        """Puts `riacho.principal` and `riacho.roles` into the scope, or raises ApiError 401 or 403."""


class App:
    """`rewrite` maps a raw path to the one that is routed. `error_body` makes the body of an error's answer, where that
    is not the usual envelope. `headers` go with every answer that has none of that name itself. `on_start` is called
    with the addresses before the first call."""

    def __init__(
        self,
        name: str,
        endpoints: Iterable[Endpoint],
        *,
        media_type: str = "application/json",
        request_types: Iterable[str] = (),
        body_bytes_max: int = 10 * 1024 * 1024,
        body_timeout_s: float = 30.0,
        bodies_bytes_max: int = 256 * 1024 * 1024,
        concurrent_requests_max: int = 1024,
        authenticator: Authenticator | None = None,
        metrics: ServiceMetrics | None = None,
        cors: Cors | None = None,
        sites: Sites | None = None,
        rewrite: Callable[[str], str] | None = None,
        headers: Mapping[str, str] | None = None,
        internal_error_code: int = 500,
        error_body: Callable[[ApiError], Any] = envelope,
        health: Health | None = None,
        on_start: Callable[[Sequence[str]], Awaitable[None]] | None = None,
        on_stop: Callable[[], Awaitable[None]] | None = None,
        about: str = "",
    ) -> None:
        self.name = name
        self.about = about
        self.media_type = media_type
        self.metrics = metrics or ServiceMetrics(name)
        self.endpoints = own_endpoints(self, list(endpoints), health)
        self._router = Router(self.endpoints)
        # Taken by every endpoint besides its own.
        self._request_types = tuple(request_types)
        self._budget = BodyBudget(max(bodies_bytes_max, body_bytes_max))
        self._limits = BodyLimits(body_bytes_max, body_timeout_s, self._budget)
        self._concurrent_requests_max = concurrent_requests_max
        # Calls of endpoints with a bound of their own.
        self._followers = 0
        self._authenticator = authenticator
        self._cors = cors
        self._sites = sites
        self._rewrite = rewrite
        self._headers = {name.lower().encode(): value.encode() for name, value in (headers or {}).items()}
        self._internal_error_code = internal_error_code
        self._error_body = error_body
        self._on_start = on_start
        self._on_stop = on_stop

    @property
    def is_login_asked(self) -> bool:
        return self._authenticator is not None

    async def start(self, addresses: Sequence[str]) -> None:
        """Called by the server once its ports are taken and before anybody is let in."""
        if self._on_start is not None:
            await self._on_start(addresses)

    async def stop(self) -> None:
        if self._on_stop is not None:
            await self._on_stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._not_http(scope, receive, send)
            return
        started_ns = perf_counter_ns()
        status = _GONE
        self.metrics.in_flight += 1
        try:
            if self._cors is not None:
                send = self._cors.added_to(scope, send)
            if self._headers:
                send = _with_headers(send, self._headers)
            if scope["method"] == "HEAD":
                send = _without_body(send)
            response = await self._respond(scope, receive, send)
            status = response.status_code
            await response(scope, receive, send)
        except ClientDisconnect:
            status = _GONE
        except Exception:
            # The answer has begun: all that is left is to end the connection, which the server does.
            _log.exception("answer broke off service=%s method=%s path=%s", self.name, scope["method"], _shown(scope))
        finally:
            self.metrics.in_flight -= 1
            for end in scope.get(AT_END, ()):
                end()
            self._budget.change(-scope.get(HELD_BYTES, 0))
            endpoint = scope.get("riacho.endpoint", NO_ENDPOINT)
            elapsed_ns = perf_counter_ns() - started_ns
            self.metrics.finished(endpoint, status, elapsed_ns)
            if _access.isEnabledFor(logging.DEBUG):
                _log_access(scope, status, elapsed_ns)

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> Response:
        try:
            headers: Mapping[bytes, bytes] = dict(scope["headers"])
            if self._sites is not None:
                self._sites.check(headers)
            path = _raw_path(scope) if self._rewrite is None else self._rewrite(_raw_path(scope))
            found = self._router.find(scope["method"], path)
            if not isinstance(found, Found):
                return await self._not_found(scope, path, found)
            endpoint = found.endpoint
            scope["riacho.endpoint"] = (endpoint.method, endpoint.path)
            scope["path_params"] = found.path_params
            if not endpoint.is_public:
                self._take_room(scope, endpoint)
                if self._authenticator is not None:
                    await self._authenticator.authenticate(scope, path)
            self._negotiate(scope, headers, endpoint)
            if endpoint.is_websocket:
                check_offer(scope, headers)
            limits = self._limits
            if endpoint.body_bytes_max is not None:
                limits = limits._replace(size_bytes_max=endpoint.body_bytes_max)
            return await endpoint.handler(Call(scope, receive, send, limits))
        except ApiError as error:
            return self.error_answer(error, self._error_type(scope))
        except ClientDisconnect:
            raise
        except Exception:
            _log.exception("unforeseen error service=%s method=%s path=%s", self.name, scope["method"], _shown(scope))
            unforeseen = ApiError(500, self._internal_error_code, "Internal Server Error")
            return self.error_answer(unforeseen, self._error_type(scope))

    def error_answer(self, error: ApiError, media_type: str | None = None) -> JsonAnswer:
        """The answer to an error; also to what the server refuses before there is a call."""
        body = msgspec.json.encode(self._error_body(error))
        return JsonAnswer(body, error.status, media_type or self.media_type, error.headers)

    async def _not_found(self, scope: Scope, path: str, methods: frozenset[str]) -> Response:
        allow = {"Allow": ",".join(sorted({*methods, "OPTIONS"}))}
        if scope["method"] == "OPTIONS" and methods:
            # Open to all: a browser asks it before it may send who it is.
            preflight = {} if self._cors is None else self._cors.preflight(scope, methods)
            return JsonAnswer(b"", 200, None, {**allow, **preflight})
        if self._authenticator is not None:
            await self._authenticator.authenticate(scope, path)
        raise plain_error(405, allow) if methods else plain_error(404)

    def _take_room(self, scope: Scope, endpoint: Endpoint) -> None:
        if endpoint.is_followed:
            self._followers += 1
            scope.setdefault(AT_END, []).append(self._lost_follower)
        elif self.metrics.in_flight - self._followers > self._concurrent_requests_max:
            self.metrics.refused += 1
            raise ApiError(503, 503, "Too many requests are under way; try again later.", headers={"Retry-After": "1"})

    def _lost_follower(self) -> None:
        self._followers -= 1

    def _negotiate(self, scope: Scope, headers: Mapping[bytes, bytes], endpoint: Endpoint) -> None:
        accept = headers.get(b"accept")
        chosen = answer_type(None if accept is None else accept.decode("latin-1"), endpoint.answer_types)
        if chosen is None:
            raise plain_error(406)
        scope[ANSWER_TYPE] = chosen
        given = headers.get(b"content-type")
        content_type = None if given is None else given.decode("latin-1")
        taken = endpoint.request_types + self._request_types
        if not _has_body(headers) or (endpoint.body is None and not endpoint.is_stream):
            if endpoint.method != "GET" and is_form(content_type) and request_type(content_type, taken) is None:
                raise plain_error(415)
            return
        sent = request_type(content_type, taken)
        if sent is None or headers.get(b"content-encoding", b"identity").lower() != b"identity":
            raise plain_error(415)
        scope[REQUEST_TYPE] = sent

    def _error_type(self, scope: Scope) -> str:
        """Errors are JSON even where the answer would have been something else."""
        kind: str = scope.get(ANSWER_TYPE) or self.media_type
        return kind if kind.endswith(("/json", "+json")) else self.media_type

    async def _not_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1003})
            return
        # The lifespan protocol: other servers than ours, and test clients, start and stop a service by it.
        await receive()
        await self.start(())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.stop()
        await send({"type": "lifespan.shutdown.complete"})


def _has_body(headers: Mapping[bytes, bytes]) -> bool:
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"


def _raw_path(scope: Scope) -> str:
    raw: bytes | None = scope.get("raw_path")
    path: str = scope["path"] if raw is None else raw.decode("latin-1")
    return path


def _shown(scope: Scope) -> Any:
    """The endpoint's path: what callers put into theirs may be long, or none of the log's business."""
    return scope.get("riacho.endpoint", NO_ENDPOINT)[1]


def _log_access(scope: Scope, status: int, elapsed_ns: int) -> None:
    """Callers choose most of it."""
    headers: Mapping[bytes, bytes] = dict(scope["headers"])
    agent, referrer = (headers.get(name, b"").decode("latin-1") for name in (b"user-agent", b"referer"))
    _access.debug(
        "%s %s %s %s status=%d elapsed_us=%d agent=%s referrer=%s",
        (scope.get("client") or ("-", 0))[0],
        field_value(scope.get("riacho.principal") or ""),
        field_value(scope["method"]),
        field_value(_raw_path(scope)),
        status,
        elapsed_ns // 1_000,
        field_value(agent),
        field_value(_SECRETS_OF_ADDRESS.sub("", referrer)),
    )


def _with_headers(send: Send, headers: Mapping[bytes, bytes]) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            added = [each for each in headers.items() if each[0] not in own]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return with_headers


def _without_body(send: Send) -> Send:
    async def head_only(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return head_only

"""One call of an endpoint: Starlette's request, with path, query and body as the typed values that it asks for."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from riacho.web.answers import ANSWER_TYPE
from riacho.web.body_budget import BodyBudget
from riacho.web.errors import ApiError, not_found

PRINCIPAL = "riacho.principal"
ROLES = "riacho.roles"
REQUEST_TYPE = "riacho.request_type"
HELD_BYTES = "riacho.held_bytes"
AT_END = "riacho.at_end"
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_CLOSE = {"Connection": "close"}


class BodyLimits(NamedTuple):
    size_bytes_max: int = 10 * 1024 * 1024
    # From the first byte that is waited for to the last.
    timeout_s: float = 30.0
    # Shared by all calls; None where nobody counts.
    budget: BodyBudget | None = None


class Call(Request):
    """`path_params` holds the percent-decoded segments. `principal` is who calls, None where nobody was asked."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limits: BodyLimits | None = None) -> None:
        self.scope = scope
        self._receive = receive
        self._send = send
        self._stream_consumed = False
        self._is_disconnected = False
        self._form = None
        self._limits = limits or BodyLimits()

    @property
    def principal(self) -> str | None:
        principal: str | None = self.scope.get(PRINCIPAL)
        return principal

    @property
    def roles(self) -> frozenset[str]:
        roles: frozenset[str] = self.scope.get(ROLES, frozenset())
        return roles

    @property
    def answer_type(self) -> str:
        """The media type to answer in: the one of the endpoint's that the caller likes best."""
        kind: str = self.scope.get(ANSWER_TYPE) or "application/json"
        return kind

    @property
    def request_type(self) -> str | None:
        """The media type of the body, without parameters and in lower case; None where there is no body."""
        kind: str | None = self.scope.get(REQUEST_TYPE)
        return kind

    @property
    def is_gone(self) -> bool:
        """Whether the caller has hung up, as far as the server knows."""
        cycle = getattr(self._receive, "__self__", None)
        return bool(getattr(cycle, "disconnected", False))

    def segment(self, name: str) -> str:
        value: str = self.path_params[name]
        return value

    def number(self, name: str, bits: int = 31) -> int:
        """A segment that is a number; 404 otherwise, as the original answers where there is nothing to convert to."""
        return _integer(self.path_params[name], bits)

    def text(self, name: str, default: str | None = None) -> str | None:
        return self.query_params.get(name, default)

    def texts(self, name: str) -> list[str]:
        """Of a parameter that may be repeated."""
        return self.query_params.getlist(name)

    def flag(self, name: str, default: bool = False) -> bool:
        """As Java reads one: `true` in any case is true, everything else is false; given without a value is false."""
        value = self.query_params.get(name)
        return default if value is None else value.lower() == "true"

    def integer(self, name: str, default: int, bits: int = 63) -> int:
        """404, as the original answers where a parameter cannot be converted."""
        value = self.query_params.get(name)
        return default if value is None or value == "" else _integer(value, bits)

    async def body(self) -> bytes:
        """ApiError 413 when it is too large, 408 when it does not come in time. May be asked for again."""
        if not hasattr(self, "_body"):
            if await self._is_here():
                return self._body
            announced = self.headers.get("content-length", "0")
            if announced.isdecimal() and int(announced) > self._limits.size_bytes_max:
                raise self._too_large()
            try:
                async with asyncio.timeout(self._limits.timeout_s):
                    self._body = await self._whole_body()
            except TimeoutError:
                raise ApiError(408, 408, "The request body did not arrive in time.", headers=_CLOSE) from None
        return self._body

    def hold(self, size_bytes: int) -> None:
        """So many bytes of the body are in memory now, until the call ends. ApiError 503 when all calls together hold
        too many."""
        budget = self._limits.budget
        if budget is not None:
            budget.change(size_bytes - self.scope.get(HELD_BYTES, 0))
            self.scope[HELD_BYTES] = size_bytes

    def at_end(self, end: Callable[[], None]) -> None:
        """Called once the answer is sent or given up, whether or not any of it was asked for."""
        self.scope.setdefault(AT_END, []).append(end)

    async def read(self, kind: Any, *, is_lax: bool = False) -> Any:
        """The body as `kind`; ApiError 400 when it is not JSON, 422 when it is not that. `is_lax` is as Java's Jackson
        maps a body: a number or a boolean may stand in quotes, and what does not fit is 400 too."""
        body = await self.body()
        try:
            return msgspec.json.decode(body, type=kind, strict=not is_lax)
        except msgspec.ValidationError as error:
            status = 400 if is_lax else 422
            raise ApiError(status, status, str(error)) from None
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise ApiError(400, 400, f"The request body is not valid JSON: {error}") from None

    async def _is_here(self) -> bool:
        """Whether the body has come along with the head, as most do: then it is taken without a timer for it."""
        cycle = getattr(self._receive, "__self__", None)
        if self._stream_consumed or getattr(cycle, "more_body", True):
            return False
        message = await self._receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        self._stream_consumed = True
        if len(message["body"]) > self._limits.size_bytes_max:
            raise self._too_large()
        self.hold(len(message["body"]))
        self._body = message["body"]
        return True

    async def _whole_body(self) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in self.stream():
            size += len(piece)
            if size > self._limits.size_bytes_max:
                raise self._too_large()
            self.hold(size)
            pieces.append(piece)
        return b"".join(pieces)

    def _too_large(self) -> ApiError:
        limit = self._limits.size_bytes_max
        return ApiError(413, 413, f"The request body is larger than the allowed {limit} bytes.")


def _integer(text: str, bits: int) -> int:
    if _INTEGER.fullmatch(text) is None:
        raise not_found()
    number = int(text)
    if not -(1 << bits) <= number < 1 << bits:
        raise not_found()
    return number

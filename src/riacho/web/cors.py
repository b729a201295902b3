"""Cross-origin requests: which pages of other sites a browser may let call the service (`access.control.*`).

Off unless origins are named. With `*` every site may; credentials are never allowed along with it.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import Message, Scope, Send

_METHODS = ("GET", "POST", "HEAD")
_HEADERS = ("X-Requested-With", "Content-Type", "Accept", "Origin")
# How long a browser may cache an answer, in seconds.
_AGE_S = 1800


class Cors:
    """`methods` and `headers` empty: those that the original allows by default."""

    def __init__(self, origins: Iterable[str], methods: Iterable[str] = (), headers: Iterable[str] = ()) -> None:
        self._origins = frozenset(origins)
        self._methods = tuple(methods) or _METHODS
        self._headers = tuple(headers) or _HEADERS

    def added_to(self, scope: Scope, send: Send) -> Send:
        """A `send` that tells the browser it may show the answer to the page that asked."""
        origin = self._allowed_origin(scope)
        if origin is None:
            return send

        async def with_origin(message: Message) -> None:
            if message["type"] == "http.response.start":
                allowed = [(b"access-control-allow-origin", origin), (b"vary", b"Origin")]
                message = {**message, "headers": [*message["headers"], *allowed]}
            await send(message)

        return with_origin

    def preflight(self, scope: Scope, methods: frozenset[str]) -> dict[str, str]:
        """The answer to a browser's preflight request."""
        headers = dict(scope["headers"])
        if self._allowed_origin(scope) is None or b"access-control-request-method" not in headers:
            return {}
        return {
            "Access-Control-Allow-Methods": ",".join(self._methods),
            "Access-Control-Allow-Headers": ",".join(self._headers),
            "Access-Control-Max-Age": str(_AGE_S),
        }

    def allows(self, origin: bytes) -> bool:
        return "*" in self._origins or origin.decode("latin-1") in self._origins

    def _allowed_origin(self, scope: Scope) -> bytes | None:
        origin: bytes | None = dict(scope["headers"]).get(b"origin")
        if origin is None or not self.allows(origin):
            return None
        return b"*" if "*" in self._origins else origin

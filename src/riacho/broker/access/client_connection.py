"""A client's connection as access and quotas see it, which stand below what serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext


class ClientConnection(Protocol):
    """`connection.Connection`, as far as it is used here."""

    context: RequestContext
    is_closed: bool
    last_request_ms: int

    def mute(self, delay_ms: int | None) -> None: ...

    def unmute(self) -> None: ...

    def close(self) -> None: ...

    def abort(self) -> None: ...

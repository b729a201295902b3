"""One connection's visit: as whom it asks. What it asks is added up at once, without a look-up for each request.

A client says who it is with what it sends: its software in ApiVersions, its principal by its login, its client id in
every request. So a visit begins with the first answer after those, and begins anew with another client id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext
    from riacho.broker.visitor_log import VisitorLog

_API_VERSIONS = 18


class Visit:
    __slots__ = ("_log", "_visitor", "client_id")

    def __init__(self, log: VisitorLog) -> None:
        self._log = log
        self._visitor = log.nobody
        # As it was sent, to be compared with that of each request; None before the first.
        self.client_id: str | None = None

    def begin(self, ctx: RequestContext, api_key: int) -> None:
        if api_key == _API_VERSIONS and not ctx.client_software_name:
            # Asked in a version that we do not know, it is asked again (KIP-511).
            return
        self.end()
        self.client_id = ctx.client_id
        self._visitor = self._log.enter(ctx)

    def asked(self, count: int, request_bytes: int, response_bytes: int, now_ms: int) -> None:
        visitor = self._visitor
        visitor.requests += count
        visitor.request_bytes += request_bytes
        visitor.response_bytes += response_bytes
        visitor.last_ms = now_ms

    def end(self) -> None:
        self._log.leave(self._visitor)
        self._visitor = self._log.nobody

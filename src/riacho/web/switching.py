"""A connection of HTTP/1.1 that may become another: of HTTP/2 by its first bytes (the preface), or by a request that
offers it (`Upgrade: h2c`); of WebSocket by a request that offers it, if its endpoint wants that.

Those who speak HTTP/1.1 pay one comparison for it, of their first bytes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import httptools
import uvicorn
from starlette.requests import ClientDisconnect
from uvicorn.server import ServerState

from riacho.web.limits import HttpLimits
from riacho.web.protocol import HttpProtocol
from riacho.web.upgrade import (
    PREFACE,
    WEBSOCKET,
    has_body,
    head_without_offer,
    offered_settings,
    offered_upgrade,
)

if TYPE_CHECKING:
    from riacho.web.app import App
    from riacho.web.http2.connection import Http2Protocol
    from riacho.web.websocket.connection import WebSocketOptions, WebSocketProtocol


class SwitchingProtocol(HttpProtocol):
    def __init__(
        self,
        config: uvicorn.Config,
        state: ServerState,
        limits: HttpLimits,
        app: App,
        on_lost: Callable[[], None],
        *,
        is_http2_served: bool,
    ) -> None:
        super().__init__(config, state, limits, app, on_lost)
        self._is_http2_served = is_http2_served
        self._may_be_another = is_http2_served
        # What has to wait: for the rest of the preface, or for the endpoint to decide.
        self._held = b""

    def _first_bytes(self, data: bytes) -> bytes:
        """What of them is HTTP/1.1: nothing, where they are the beginning of HTTP/2, or may still become that."""
        data = self._held + data
        self._held = b""
        if not PREFACE.startswith(data[: len(PREFACE)]):
            self._may_be_another = False
            return data
        if len(data) < len(PREFACE):
            self._held = data
        else:
            self._http2().begin(self._released(), data)
        return b""

    def _should_upgrade(self) -> bool:
        """Asked by uvicorn where a request offers another protocol; if so, it leaves that request to `_offered`."""
        return has_body(self.headers) or self._is_http2_taken_up()

    def _is_http2_taken_up(self) -> bool:
        """For a request without a body, and with none before it that waits. Java's client offers HTTP/2 with every
        first request, and goes on with HTTP/1.1 without a word where it is not taken up."""
        is_alone = self.cycle is None or self.cycle.response_complete
        is_plain = self._is_http2_served and self.scheme == "http" and self.scope["http_version"] == "1.1"
        return is_alone and is_plain and offered_settings(self.headers) is not None

    def _offered(self, rest: bytes) -> None:
        if self._is_refused:
            return
        if has_body(self.headers):
            self._parse_again(rest)
        elif self._is_http2_taken_up():
            self._upgrade_to_http2(rest)
        elif self._running is self.cycle and offered_upgrade(self.headers) == b"websocket":
            # The endpoint decides, and until then nothing more is read.
            self.flow.pause_reading()
            self._held = rest
            self.cycle.keep_alive &= not rest
            cast("dict[str, object]", self.cycle.scope)[WEBSOCKET] = self._open_websocket
        else:
            super()._offered(rest)

    def _parse_again(self, rest: bytes) -> None:
        """The parser takes a body for the other protocol's bytes: it is given the same request without the offer."""
        scope, ends = self.scope, not self.parser.should_keep_alive()
        head = head_without_offer(scope["method"], self.url, scope["http_version"], self.headers, ends=ends)
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._parse(head)
        if rest:
            self._parse(rest)

    def _upgrade_to_http2(self, rest: bytes) -> None:
        from riacho.web.http2.head import upgraded_head

        settings = offered_settings(self.headers)
        assert settings is not None, "looked at before"
        try:
            url = httptools.parse_url(self.url)
        except httptools.HttpParserInvalidURLError:
            self._refuse(400, "The request is not valid HTTP.")
            return
        head = upgraded_head(self.scope["method"], url.path, url.query, self.headers)
        if self._http2().begin_upgraded(self._writer.released(), settings, head, rest):
            self._released()
        else:
            self._refuse(400, "The request is not valid HTTP.")

    def _http2(self) -> Http2Protocol:
        # Loaded for the first caller that speaks it: most services never meet one.
        from riacho.web.http2.connection import Http2Protocol

        return Http2Protocol(self._app, self.server_state, self._limits, self._on_lost)

    def _open_websocket(self, options: WebSocketOptions) -> WebSocketProtocol:
        """ClientDisconnect when the caller has gone meanwhile."""
        from riacho.web.websocket.connection import WebSocketProtocol

        if self.cycle.disconnected or self.transport.is_closing():
            raise ClientDisconnect
        websocket = WebSocketProtocol(self.server_state, self._limits, self._on_lost, options)
        # As far as uvicorn is concerned, this was the answer.
        self.cycle.response_started = self.cycle.response_complete = True
        websocket.begin(self._released(), self.headers, self._held)
        return websocket

    def _released(self) -> asyncio.Transport:
        """The transport, which belongs to another protocol from now on."""
        self._is_refused = True
        self._came()
        self._pace.stop()
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        self.connections.discard(self)
        self.parser = None  # type: ignore[assignment]
        return cast(asyncio.Transport, self._writer.released())

"""A service as a process: its listeners, its signals, its end.

    exit_code = run_service(load_settings, Service, properties, lambda addresses: print("ready at", addresses[0]))

uvicorn's HTTP/1.1 protocol on uvloop, and HTTP/2 and WebSocket from there (`web/switching.py`), without uvicorn's own
server: that one has a single listener and wakes ten times a second to see whether it should stop. Here every listener,
plain or TLS, has a socket of its own, and an idle service wakes once a second, for the Date header. On SIGTERM or
SIGINT no more connections are taken, calls under way get `shutdown.graceful.ms` to finish, then the service is stopped.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import ssl
import sys
from collections.abc import Callable, Mapping, Sequence
from email.utils import formatdate
from typing import Protocol

import uvicorn
import uvloop
from uvicorn.server import ServerState

from riacho.base.config import ConfigError
from riacho.web.app import App
from riacho.web.config import Settings
from riacho.web.limits import HttpLimits
from riacho.web.listeners import BACKLOG, Bound, bind, listeners_of
from riacho.web.switching import SwitchingProtocol

_log = logging.getLogger("riacho.web")
_DATE_INTERVAL_S = 1.0
_CANCELLED_TIMEOUT_S = 5.0
_ORPHANS_TIMEOUT_S = 0.2
_HANDSHAKE_TIMEOUT_S = 15.0

OnReady = Callable[[Sequence[str]], None]


class Service(Protocol):
    @property
    def app(self) -> App:
        """What is served."""


def run_service(
    load: Callable[[Mapping[str, str]], Settings],
    service: Callable[[Settings], Service],
    properties: Mapping[str, str],
    on_ready: OnReady | None = None,
) -> int:
    """Runs until it is stopped; the exit code. What prevents a start is one sentence on stderr, and 1."""
    try:
        settings = load(properties)
        made = service(settings)
    except ConfigError as error:
        return _refuse(error)
    return serve(made.app, settings, on_ready)


def serve(app: App, settings: Settings, on_ready: OnReady | None = None) -> int:
    """Like `run_service`, where the service is made."""
    try:
        uvloop.run(_run(Server(app, settings), on_ready))
    except ConfigError as error:
        return _refuse(error)
    return 0


def _refuse(error: ConfigError) -> int:
    print(f"Error: {str(error).rstrip('.')}.", file=sys.stderr)
    return 1


async def _run(server: Server, on_ready: OnReady | None) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    starting = asyncio.ensure_future(server.start())
    signalled = asyncio.ensure_future(stopping.wait())
    try:
        await asyncio.wait({starting, signalled}, return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            starting.result()
            # What is alive now stays alive: the collector need not look at it again.
            gc.freeze()
            if on_ready is not None:
                on_ready(server.addresses)
            await signalled
    finally:
        for task in (starting, signalled):
            task.cancel()
        await asyncio.gather(starting, signalled, return_exceptions=True)
        await server.stop()


class Server:
    """`start` returns when callers are let in; `addresses` are the URLs then, with real ports where 0 was asked for."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._state = ServerState()
        self._bound: list[Bound] = []
        self._servers: list[asyncio.Server] = []
        self._clock: asyncio.TimerHandle | None = None
        self._is_app_started = False
        self._is_empty = asyncio.Event()

    @property
    def addresses(self) -> list[str]:
        return [bound.listener.url for bound in self._bound]

    async def start(self) -> None:
        """ConfigError when an address is taken or a key cannot be used; nothing is left open then."""
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise

    async def _start(self) -> None:
        tls = self._tls_context()
        for listener in listeners_of(self._settings):
            self._bound.append(bind(listener))
        self._is_app_started = True
        await self._app.start(self.addresses)
        self._tick()
        config = _uvicorn_config(self._app, self._settings)
        limits = HttpLimits.of(self._settings)
        is_http2_served = self._settings.flag("http2.enabled")
        loop = asyncio.get_running_loop()

        def protocol() -> SwitchingProtocol:
            return SwitchingProtocol(
                config, self._state, limits, self._app, self._lost_connection, is_http2_served=is_http2_served
            )

        for bound in self._bound:
            context = tls if bound.listener.is_tls else None
            handshake_s = _HANDSHAKE_TIMEOUT_S if context is not None else None
            made = await loop.create_server(
                protocol, sock=bound.socket, ssl=context, ssl_handshake_timeout=handshake_s, backlog=BACKLOG
            )
            self._servers.append(made)
        _log.info("service started name=%s listeners=%s", self._app.name, ",".join(self.addresses))

    async def stop(self) -> None:
        """Let calls under way finish for a bounded time, then stop the service. May be called again."""
        was_started = bool(self._servers)
        for server in self._servers:
            server.close()
        for bound in self._bound:
            bound.socket.close()
        self._servers.clear()
        for connection in list(self._state.connections):
            connection.shutdown()
        await self._drain()
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        if self._is_app_started:
            self._is_app_started = False
            await self._app.stop()
        if was_started:
            _log.info("service stopped name=%s listeners=%s", self._app.name, ",".join(self.addresses))

    async def _drain(self) -> None:
        """A call has ended when the last byte of its answer has left: then its connection closes, which is awaited."""
        try:
            async with asyncio.timeout(self._settings.integer("shutdown.graceful.ms") / 1000):
                while self._state.connections:
                    self._is_empty.clear()
                    await self._is_empty.wait()
        except TimeoutError:
            late = set(self._state.tasks)
            _log.warning("calls were cut off at the end name=%s calls=%d", self._app.name, len(late))
            for task in late:
                task.cancel()
            for connection in list(self._state.connections):
                connection.transport.abort()
            if late:
                await asyncio.wait(late, timeout=_CANCELLED_TIMEOUT_S)
        else:
            await self._end_orphans()

    async def _end_orphans(self) -> None:
        """Handlers whose callers have gone, and which have not noticed."""
        if self._state.tasks:
            _, late = await asyncio.wait(set(self._state.tasks), timeout=_ORPHANS_TIMEOUT_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=_CANCELLED_TIMEOUT_S)

    def _lost_connection(self) -> None:
        if not self._state.connections:
            self._is_empty.set()

    def _tls_context(self) -> ssl.SSLContext | None:
        if not any(listener.is_tls for listener in listeners_of(self._settings)):
            return None
        from riacho.client.tls import server_context, tls_settings

        wanted = tls_settings(self._settings.get)
        client_auth = self._settings.text("ssl.client.authentication")
        if not self._settings.is_set("ssl.client.authentication") and self._settings.flag("ssl.client.auth"):
            client_auth = "required"
        context = server_context(wanted._replace(client_auth=client_auth.lower()))
        if self._settings.flag("http2.enabled"):
            context.set_alpn_protocols(["h2", "http/1.1"])
        return context

    def _tick(self) -> None:
        """The Date header, made once a second and not once an answer."""
        self._state.default_headers[:] = [(b"date", formatdate(usegmt=True).encode())]
        self._clock = asyncio.get_running_loop().call_later(_DATE_INTERVAL_S, self._tick)


def _uvicorn_config(app: App, settings: Settings) -> uvicorn.Config:
    # What uvicorn would say of single requests is answered, counted and logged by ourselves.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        app,
        http=SwitchingProtocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
    )
    # Declared as whole seconds, used as a number of them.
    config.timeout_keep_alive = settings.integer("idle.timeout.ms") / 1000  # type: ignore[assignment]
    config.load()
    return config

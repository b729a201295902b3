"""The asynchronous client that brokers use among themselves: one connection to one node, many requests in flight.

A peer connects when something is sent, with one attempt: whoever calls decides whether to try again. It learns the
node's API versions once per connection (`negotiation.py`), logs in where it has to, then writes requests as they come.
A broker answers a connection's requests in their order, so answers are matched with the oldest request, and the
correlation id is only held against it.

Whatever goes wrong ends the connection and with it every request in flight, as NETWORK_EXCEPTION; the one that was
not answered in time gets REQUEST_TIMED_OUT. A send that is cancelled leaves its place in the line behind, and the
answer is thrown away. Requests are not held back when the node does not read: their timeouts end the connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ports import Network
from riacho.client.client_security import ClientSecurity
from riacho.client.negotiation import negotiation, served_versions
from riacho.client.peer.request_pipeline import RequestPipeline
from riacho.client.sasl_login import HANDSHAKE_KEY, HANDSHAKE_VERSION, REAUTHENTICATION_SHARE, login
from riacho.wire.apis import APIS, response_class
from riacho.wire.codec import decoder
from riacho.wire.header import API_VERSIONS_KEY
from riacho.wire.primitives import WireError
from riacho.wire.schema import Message


class PeerRefused(KafkaError):
    """The port refuses connections: nobody is there."""

    def __init__(self, detail: str) -> None:
        super().__init__(ErrorCode.NETWORK_EXCEPTION, detail)


class Peer:
    def __init__(
        self,
        network: Network,
        host: str,
        port: int,
        *,
        client_id: str,
        connect_timeout_ms: int = 5_000,
        request_timeout_ms: int = 30_000,
        frame_size_bytes_max: int = 104_857_600,
        on_lost: Callable[[], None] | None = None,
        security: ClientSecurity | None = None,
    ) -> None:
        self.host = host
        self.port = port
        # What the node serves: (first, last) version by API key, of the connection there is.
        self.versions: dict[int, tuple[int, int]] = {}
        self._network = network
        self._client_id = client_id
        self._connect_timeout_ms = connect_timeout_ms
        self._request_timeout_ms = request_timeout_ms
        self._frame_size_bytes_max = frame_size_bytes_max
        self._on_lost = on_lost
        self._security = security or ClientSecurity()
        # When to log in again, by the loop's clock; and the login under way, which requests must not overtake.
        self._login_due_s: float | None = None
        self._login: asyncio.Task[None] | None = None
        self._pipeline: RequestPipeline | None = None
        self._connecting: asyncio.Task[RequestPipeline] | None = None
        self._is_closed = False

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def is_connected(self) -> bool:
        return self._pipeline is not None

    async def send(self, request: Message, *, version: int | None = None, timeout_ms: int | None = None) -> Any:
        """The answer, in the newest version that both sides have unless `version` says another. The timeout covers
        everything, a connection that has to be made first included. Records in the answer are views of its frame."""
        key = request.API_KEY
        assert key is not None, f"{request.NAME} is no request"
        timeout_s = (self._request_timeout_ms if timeout_ms is None else timeout_ms) / 1000
        pipeline = self._pipeline
        if pipeline is None:
            started = asyncio.get_running_loop().time()
            pipeline = await self._connected(timeout_s)
            timeout_s -= asyncio.get_running_loop().time() - started
        elif self._login_due_s is not None or self._login is not None:
            await self._logged_in_again(pipeline)
        chosen = self.version_for(key) if version is None else version
        frame, position = await pipeline.ask(key, chosen, request, timeout_s)
        try:
            return decoder(response_class(key), chosen)(frame, position)[0]
        except WireError as error:
            detail = f"{self.address} sent a {APIS[key].name}Response that cannot be read: {error}"
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, detail) from None

    def version_for(self, key: int) -> int:
        api = APIS[key]
        theirs = self.versions.get(key)
        if theirs is None or theirs[0] > api.max_version or theirs[1] < api.min_version:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"{self.address} does not serve {api.name}")
        return min(theirs[1], api.max_version)

    def close(self) -> None:
        """For good. Requests that wait fail: the connection is lost."""
        self._is_closed = True
        if self._connecting is not None:
            self._connecting.cancel()
        if self._pipeline is not None:
            self._pipeline.close("the connection was closed")

    # Connecting

    async def _connected(self, timeout_s: float) -> RequestPipeline:
        """One attempt serves everyone who waits for it; a sender with less patience leaves it to the others."""
        if self._is_closed:
            raise KafkaError(ErrorCode.NETWORK_EXCEPTION, f"{self.address}: the connection was closed")
        attempt = self._connecting
        if attempt is None:
            attempt = self._connecting = asyncio.get_running_loop().create_task(self._connect())
            attempt.add_done_callback(self._attempted)
        await asyncio.wait((attempt,), timeout=timeout_s)
        if not attempt.done():
            raise KafkaError(ErrorCode.REQUEST_TIMED_OUT, f"{self.address}: no connection within {timeout_s:.3f} s")
        if attempt.cancelled():
            raise KafkaError(ErrorCode.NETWORK_EXCEPTION, f"{self.address}: the connection was closed")
        return attempt.result()

    def _attempted(self, attempt: asyncio.Task[RequestPipeline]) -> None:
        self._connecting = None
        if not attempt.cancelled():
            # Requests that waited fail; perhaps there were none any more.
            attempt.exception()

    async def _connect(self) -> RequestPipeline:
        pipeline = RequestPipeline(self.address, self._client_id, self._frame_size_bytes_max, self._lost)
        try:
            async with asyncio.timeout(self._connect_timeout_ms / 1000):
                await self._open(pipeline)
                await self._negotiate(pipeline)
                await self._log_in(pipeline)
        except BaseException as error:
            pipeline.close("the connection could not be set up")
            if isinstance(error, ConnectionRefusedError):
                raise PeerRefused(f"{self.address}: connection refused") from None
            if isinstance(error, TimeoutError):
                detail = f"{self.address}: no connection within {self._connect_timeout_ms} ms"
                raise KafkaError(ErrorCode.NETWORK_EXCEPTION, detail) from None
            if isinstance(error, OSError):
                # SSLError, with its reason, is one too.
                reason = getattr(error, "verify_message", None) or error.strerror or str(error)
                detail = f"{self.address}: {reason.lower()}"
                raise KafkaError(ErrorCode.NETWORK_EXCEPTION, detail) from None
            raise
        if pipeline.is_lost:
            raise KafkaError(ErrorCode.NETWORK_EXCEPTION, f"{self.address}: the connection was lost")
        self._pipeline = pipeline
        return pipeline

    async def _open(self, pipeline: RequestPipeline) -> None:
        tls = self._security.tls
        if tls is None:
            await self._network.connect(self.host, self.port, lambda: pipeline)
        else:
            await self._network.connect(self.host, self.port, lambda: pipeline, tls=tls())

    async def _negotiate(self, pipeline: RequestPipeline) -> None:
        steps = negotiation(self.address)
        version, request = next(steps)
        try:
            while True:
                answer = await pipeline.ask(API_VERSIONS_KEY, version, request, self._connect_timeout_ms / 1000)
                version, request = steps.send(answer)
        except StopIteration as done:
            self.versions = served_versions(done.value)
        except WireError:
            detail = f"{self.address} does not speak the Kafka protocol"
            raise KafkaError(ErrorCode.NETWORK_EXCEPTION, detail) from None

    # Logging in

    async def _log_in(self, pipeline: RequestPipeline) -> None:
        mechanism, sasl = self._security.mechanism, self._security.sasl
        self._login_due_s = None
        if mechanism is None or sasl is None:
            return
        # A token may have to be fetched from an identity provider first, which takes time.
        client = await asyncio.to_thread(sasl) if mechanism == "OAUTHBEARER" else sasl()
        steps = login(self.address, mechanism, client)
        request: Message = next(steps)
        while True:
            key = request.API_KEY
            assert key is not None
            version = HANDSHAKE_VERSION if key == HANDSHAKE_KEY else self.version_for(key)
            frame, position = await pipeline.ask(key, version, request, self._connect_timeout_ms / 1000)
            try:
                request = steps.send(decoder(response_class(key), version)(frame, position)[0])
            except StopIteration as done:
                if done.value:
                    due_s = done.value / 1000 * REAUTHENTICATION_SHARE
                    self._login_due_s = asyncio.get_running_loop().time() + due_s
                return

    async def _logged_in_again(self, pipeline: RequestPipeline) -> None:
        """Before the session is over (KIP-368). Whoever sends meanwhile waits for it."""
        loop = asyncio.get_running_loop()
        if self._login is None:
            if self._login_due_s is None or loop.time() < self._login_due_s:
                return
            self._login = loop.create_task(self._log_in(pipeline))
        login = self._login
        try:
            await asyncio.wait((login,))
            login.result()
        except KafkaError:
            pipeline.close("the login could not be renewed")
            raise
        finally:
            if login.done() and self._login is login:
                self._login = None

    def _lost(self, pipeline: RequestPipeline) -> None:
        if self._pipeline is not pipeline:
            return
        self._pipeline = None
        if self._on_lost is not None and not self._is_closed:
            self._on_lost()

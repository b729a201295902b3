"""Asking the active controller, wherever it is: in this process, or over the wire.

`send` is one attempt; `ask` tries again after passing failures, and whenever the quorum has a new leader, until the
time is up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.raft_driver import denied_sentence
from riacho.broker.requests.later import settled
from riacho.client.peer.peer import Peer

if TYPE_CHECKING:
    from riacho.broker.peers.peer_connector import PeerConnector
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.broker.quorum.raft_driver import RaftDriver
    from riacho.broker.requests.api import Api
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.schema import Message

_TIMEOUT_MS = 5_000
_PAUSE_MS = 50
_MISDIRECTED = (ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_LEADER_OR_FOLLOWER)


class ControllerChannel:
    def __init__(
        self,
        controller: ControllerDriver,
        raft: RaftDriver,
        connector: PeerConnector,
        apis: Mapping[int, Api],
        own_context: Callable[[], RequestContext],
    ) -> None:
        """`apis` are those that controllers serve; `own_context` is that of a request of this very node."""
        self._controller = controller
        self._raft = raft
        self._connector = connector
        self._apis = apis
        self._own_context = own_context
        self._peer: Peer | None = None
        self._address: tuple[str, int] | None = None
        # Set, and made anew, with every change of the quorum's leader.
        self._changed = asyncio.Event()

    def leader_changed(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def send(self, request: Message, *, timeout_ms: int = _TIMEOUT_MS, version: int | None = None) -> Any:
        """The response; KafkaError when there is no controller, or it cannot be reached, or it is one no more."""
        if self._controller.is_active:
            return await self._send_here(request, version)
        peer = self._current_peer()
        response = await peer.send(request, version=version, timeout_ms=timeout_ms)
        code = getattr(response, "error_code", 0)
        if code in _MISDIRECTED:
            raise KafkaError(ErrorCode.NOT_CONTROLLER, f"{peer.host}:{peer.port} is not the active controller")
        return response

    async def ask(self, request: Message, *, timeout_ms: int = 30_000) -> Any:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_ms / 1000
        while True:
            changed = self._changed
            try:
                return await self.send(request, timeout_ms=min(timeout_ms, _TIMEOUT_MS))
            except KafkaError as error:
                if not error.code.retriable or loop.time() + _PAUSE_MS / 1000 > deadline:
                    raise
            await wait_briefly(changed, _PAUSE_MS)

    async def pause(self, timeout_ms: int) -> None:
        """Until the quorum has another leader, or this long."""
        await wait_briefly(self._changed, timeout_ms)

    async def _send_here(self, request: Message, version: int | None) -> Any:
        assert request.API_KEY is not None, f"{request.NAME} is no request"
        api = self._apis[request.API_KEY]
        context = self._own_context()
        context.version = api.version_max if version is None else version
        return await settled(api.handle()(context, request))

    def _current_peer(self) -> Peer:
        endpoint = self._raft.leader_address()
        if endpoint is None:
            raise KafkaError(ErrorCode.NOT_CONTROLLER, self._why_nobody_leads())
        if self._peer is None or self._address != endpoint:
            self.close()
            self._address = endpoint
            self._peer = self._connector.to_controller(*endpoint, "controller")
        return self._peer

    def _why_nobody_leads(self) -> str:
        for address, code in sorted(self._raft.denied_by.items()):
            return denied_sentence(address, code)
        return "the metadata quorum has no leader now"

    def close(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None


async def wait_briefly(event: asyncio.Event, timeout_ms: int) -> None:
    # Not `wait_for`, which until Python 3.12 forgets a cancellation that comes with the event.
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_ms / 1000):
            await event.wait()

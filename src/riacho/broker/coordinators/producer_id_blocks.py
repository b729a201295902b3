"""The producer ids of this broker: blocks from the controller, handed out one by one (KIP-730).

Whoever finds the block used up asks for the next; the others wait for the same answer.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from riacho.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse

_TIMEOUT_MS = 10_000


class Registration(Protocol):
    """This broker's, which may be renewed."""

    @property
    def epoch(self) -> int: ...


class Controller(Protocol):
    async def ask(
        self, request: AllocateProducerIdsRequest, *, timeout_ms: int = _TIMEOUT_MS
    ) -> AllocateProducerIdsResponse: ...


class ProducerIdBlocks:
    def __init__(self, node_id: int, registration: Registration, controller: Controller) -> None:
        self._node_id = node_id
        self._registration = registration
        self._controller = controller
        self._next = 0
        self._end = 0
        self._lock = asyncio.Lock()

    async def take(self) -> int:
        if self._next == self._end:
            async with self._lock:
                if self._next == self._end:
                    await self._fetch()
        self._next += 1
        return self._next - 1

    async def _fetch(self) -> None:
        request = AllocateProducerIdsRequest(broker_id=self._node_id, broker_epoch=self._registration.epoch)
        response = await self._controller.ask(request, timeout_ms=_TIMEOUT_MS)
        if response.error_code:
            # A client asks again after this one; the broker's registration may just be renewing itself.
            raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode(response.error_code).name)
        self._next = response.producer_id_start
        self._end = response.producer_id_start + response.producer_id_len

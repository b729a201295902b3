"""Why a node cannot go on, when it cannot: it keeps none of its promises any more, and whoever runs it must stop it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.base.errors import KafkaError


class Breakdown:
    def __init__(self) -> None:
        self.error: KafkaError | None = None
        self._happened = asyncio.Event()

    def happen(self, error: KafkaError) -> None:
        self.error = error
        self._happened.set()

    async def wait(self) -> None:
        await self._happened.wait()

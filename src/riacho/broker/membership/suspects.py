"""Leaders whose connection just broke: dead, or only out of reach?

When a leader's process dies, its clients lose their connections at the same time as its followers, and ask for
metadata before the controller has elected anybody. Told the dead leader again, or none, they wait for a second or more.
So a follower that loses its leader suspects it until it hears from the leader again, the metadata change, or a second
has passed, and answers about metadata wait for that verdict for a moment. A suspect that must be spoken of is not named
as a leader; one that only this broker cannot reach is named again soon.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.metadata.image.image import MetadataImage

_SUSPECTED_MS = 1_000


class Suspects:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until_ms: dict[int, int] = {}
        self._waiting: list[asyncio.Future[None]] = []

    def lost(self, broker_id: int) -> None:
        """The connection to this leader ended, and not by our will."""
        self._until_ms[broker_id] = self._clock.monotonic_ms() + _SUSPECTED_MS

    def on_contact(self, broker_id: int) -> None:
        if self._until_ms and self._until_ms.pop(broker_id, None) is not None:
            self._settle()

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        if self._until_ms and new.brokers is not old.brokers:
            for broker_id in list(self._until_ms):
                if new.brokers.get(broker_id) != old.brokers.get(broker_id):
                    del self._until_ms[broker_id]
            self._settle()

    async def settled(self, timeout_s: float) -> None:
        """Wait until nobody is suspected, within reason."""
        if not self.now():
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            async with asyncio.timeout(timeout_s):
                await future
        except TimeoutError:
            pass
        finally:
            self._waiting.remove(future)

    def _settle(self) -> None:
        if not self._until_ms:
            for future in self._waiting:
                if not future.done():
                    future.set_result(None)

    def now(self) -> frozenset[int]:
        if not self._until_ms:
            return _NOBODY
        now_ms = self._clock.monotonic_ms()
        self._until_ms = {broker_id: until_ms for broker_id, until_ms in self._until_ms.items() if until_ms > now_ms}
        return frozenset(self._until_ms)


_NOBODY: frozenset[int] = frozenset()

"""Keeps keys fresh while the node runs: looks at the files of TLS listeners, and at changed settings."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.node import Broker
    from riacho.metadata.image.image import MetadataImage


class SecurityUpkeep:
    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        broker = self._broker
        secured = [listener for listener in broker.listeners if listener.security.uses_tls]
        if secured:
            broker.metadata.subscribe(self._image_changed)
            self._task = asyncio.get_running_loop().create_task(self._watch())

    def _image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        if new.configs is not old.configs:
            self.refresh()

    def refresh(self) -> None:
        for listener in self._broker.listeners:
            listener.security.refresh()

    async def _watch(self) -> None:
        interval_ms: int = self._broker.config.get("riacho.tls.check.interval.ms")
        while True:
            await asyncio.sleep(interval_ms / 1000)
            self.refresh()

    async def stop(self) -> None:
        self._broker.oauth.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

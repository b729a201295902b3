"""Keeps keys fresh while the node runs: looks at the files of TLS listeners, and at changed settings."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.access.listener_security import ListenerSecurity
    from riacho.broker.access.metadata_view import MetadataView
    from riacho.broker.access.oauth_validators import OauthValidators
    from riacho.metadata.image.image import MetadataImage


class SecurityUpkeep:
    def __init__(self, oauth: OauthValidators, check_interval_ms: int) -> None:
        self._oauth = oauth
        self._check_interval_ms = check_interval_ms
        self._secured: list[ListenerSecurity] = []
        self._task: asyncio.Task[None] | None = None

    def add(self, listener: ListenerSecurity) -> None:
        if listener.uses_tls:
            self._secured.append(listener)

    def start(self, metadata: MetadataView) -> None:
        if self._secured:
            metadata.subscribe(self._image_changed)
            self._task = asyncio.get_running_loop().create_task(self._watch())

    def _image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        if new.configs is not old.configs:
            self.refresh()

    def refresh(self) -> None:
        for listener in self._secured:
            listener.refresh()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._check_interval_ms / 1000)
            self.refresh()

    async def stop(self) -> None:
        self._oauth.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

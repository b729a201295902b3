"""One cluster of the console: its settings, its Kafka client for calls, the services beside its brokers, and the watch
that keeps its picture."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from riacho.client.tasks import Tasks
from riacho.console.clusters.glance import IsShown, glance_at_group, glance_at_topic
from riacho.console.clusters.kafka import KafkaCalls
from riacho.console.clusters.move_throttles import MoveThrottles
from riacho.console.clusters.picture import GroupFacts, Patch
from riacho.console.clusters.watch import Watch
from riacho.console.config import ClusterConfig, ConsoleConfig
from riacho.console.services.services import Services
from riacho.web.errors import ApiError


class ConsoleCluster:
    def __init__(self, config: ClusterConfig, console: ConsoleConfig) -> None:
        self.config = config
        self.kafka = KafkaCalls(config.id, config.client, console.timeout_ms)
        self.services = Services(config, console.timeout_ms)
        # Questions beside calls, which end with it.
        self.tasks: Tasks[Any] = Tasks()
        self._settling: asyncio.Task[Any] | None = None
        self.move_throttles = MoveThrottles()
        self.watch = Watch(config, refresh_ms=console.refresh_ms, timeout_ms=console.timeout_ms)

    @property
    def id(self) -> str:
        return self.config.id

    async def changed_topic(self, name: str, is_shown: IsShown = lambda topic: True) -> None:
        """A topic was changed: brought into the picture, once `is_shown` says that brokers have heard of it. Where that
        fails the change is made all the same, and the next look shows it."""
        with suppress(ApiError):
            picture = (await self.watch.now()).picture
            seen = await self.kafka.ask(lambda c: glance_at_topic(c, name, picture, is_shown))
            self.watch.patch(Patch(topics={name: seen}))

    async def changed_group(self, group: GroupFacts) -> None:
        """Where a group stands was changed: brought into the picture, as above."""
        with suppress(ApiError):
            picture = (await self.watch.now()).picture
            seen = await self.kafka.ask(lambda c: glance_at_group(c, group, picture))
            self.watch.patch(Patch(groups={group.id: seen}))

    def start(self) -> None:
        self.watch.on_look.append(self._looked)
        self.watch.start()

    def _looked(self, _watch: Watch) -> None:
        if self.move_throttles.are_kept and self._settling is None:
            self._settling = self.tasks.start(self._settle(), name="console-move-throttles")

    async def _settle(self) -> None:
        """What cannot be taken away now is tried again at the next look."""
        try:
            with suppress(ApiError):
                await self.kafka.ask(self.move_throttles.settle)
        finally:
            self._settling = None

    async def stop(self) -> None:
        self.tasks.cancel()
        await self.watch.stop()
        await self.tasks.wait()
        self.kafka.close()
        self.services.close()

"""Keeps the picture of one cluster fresh: looks at it every few seconds, in a thread of its own.

Where a look takes long, the pause after it grows with it, so that looking never takes more than a share of the time.
A cluster that cannot be reached keeps its last picture, and says since when and why.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from riacho.base.errors import KafkaError
from riacho.client.reopened_cluster import ReopenedCluster
from riacho.console.clusters.errors import sentence
from riacho.console.clusters.look import Look
from riacho.console.clusters.picture import Patch, Picture
from riacho.console.config import ClusterConfig
from riacho.single_writer.single_thread import SingleThread
from riacho.web.errors import ApiError

_log = logging.getLogger("riacho.console")
STARTING, UP, DOWN = "starting", "up", "down"
# Of all time, the share that is spent looking is at most one in ten: brokers work for a look as long as we do.
_PAUSE_PER_LOOK = 9
_LOOK_TIMEOUT_MS_MAX = 5_000

# How long those who come before the first picture wait for it.
_PICTURE_WAIT_S = 5.0

# Told after each look.
OnLook = Callable[["Watch"], None]


class Seen(NamedTuple):
    picture: Picture
    # Why it is older than it should be, or has gaps.
    stale_reason: str | None


class Watch:
    def __init__(
        self,
        config: ClusterConfig,
        *,
        refresh_ms: int,
        timeout_ms: int,
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.picture: Picture | None = None
        self.state = STARTING
        # Why the last look failed; None after one that did not.
        self.reason: str | None = None
        self.on_look: list[OnLook] = []
        self._name = config.id
        self._refresh_s = refresh_ms / 1000
        self._clock_ms = clock_ms
        self._cluster = ReopenedCluster(
            {"client.id": "riacho-console", **config.client}, min(timeout_ms, _LOOK_TIMEOUT_MS_MAX)
        )
        self._look = Look()
        self._thread = SingleThread(f"console-watch-{config.id}")
        self._task: asyncio.Task[None] | None = None
        self._wanted = asyncio.Event()
        self._seen = asyncio.Condition()
        self._looks = 0
        self._is_looking = False
        self._patches: list[Patch] = []

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run(), name=f"console-watch-{self._name}")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._thread.close()
        self._cluster.end()

    async def now(self) -> Seen:
        """The last picture. ApiError 503 where there is none, after some waiting for the first."""
        if self.picture is None and self.state == STARTING:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PICTURE_WAIT_S), self._seen:
                    await self._seen.wait_for(lambda: self._looks > 0)
        if self.picture is None:
            raise ApiError(503, 50304, self.reason or "The cluster has not been looked at yet.")
        return Seen(self.picture, self.stale_reason)

    @property
    def stale_reason(self) -> str | None:
        """Why the picture is older than it should be, or has gaps."""
        gaps = self.picture.gaps if self.picture is not None else ()
        return self.reason or next(iter(gaps), None)

    def patch(self, patch: Patch) -> None:
        """Something was changed and looked at by itself: the picture is of before, but for that."""
        if self.picture is not None:
            self.picture = patch.on(self.picture)
        for name in patch.topics:
            self._look.forget(name)
        if self._is_looking:
            # What is being looked at may be of before, too.
            self._patches.append(patch)

    def wish(self) -> None:
        """Something was changed whose effects come by and by: the next look begins soon. Nobody waits for it."""
        self._wanted.set()

    async def seen(self) -> None:
        """Until a look that begins after now has ended, well or not."""
        wanted = self._looks + (2 if self._is_looking else 1)
        self._wanted.set()
        async with self._seen:
            await self._seen.wait_for(lambda: self._looks >= wanted)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._wanted.clear()
            started_s = loop.time()
            self._is_looking = True
            self._patches.clear()
            await self._look_once()
            self._is_looking = False
            async with self._seen:
                self._looks += 1
                self._seen.notify_all()
            pause_s = max(self._refresh_s, _PAUSE_PER_LOOK * (loop.time() - started_s))
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._wanted.wait()

    async def _look_once(self) -> None:
        try:
            picture = await self._thread.run(self._cluster.ask, lambda c: self._look.at(c, self._clock_ms()))
            for patch in self._patches:
                picture = patch.on(picture)
            self.picture = picture
            self._tell(UP, None)
        except KafkaError as error:
            self._tell(DOWN, sentence(error))
        except Exception:
            # A look that breaks must not end all looks.
            _log.exception("look at cluster broke off cluster=%s", self._name)
            self._tell(DOWN, "The cluster cannot be looked at: an error of the console, see its log.")
        for tell in self.on_look:
            try:
                tell(self)
            except Exception:
                _log.exception("figures of a look were not taken cluster=%s", self._name)

    def _tell(self, state: str, reason: str | None) -> None:
        if state != self.state:
            _log.info("cluster is %s cluster=%s reason=%s", state, self._name, reason or "-")
        self.state, self.reason = state, reason

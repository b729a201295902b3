"""One thing that is waited for at a time, and what is done when it does not come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Deadline:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_set(self) -> bool:
        return self._timer is not None

    def set(self, timeout_s: float, late: Callable[..., None], *args: object) -> None:
        """In place of what was waited for before."""
        self.clear()
        self._timer = self._loop.call_later(timeout_s, late, *args)

    def clear(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

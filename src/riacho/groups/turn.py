"""One call into the shard: when it happens, under which settings, and what has been decided so far."""

from __future__ import annotations

from riacho.base.coordination import Decision
from riacho.groups.config import GroupConfig
from riacho.groups.timers import Timers


class Turn:
    __slots__ = ("config", "decision", "now_ms", "timers")

    def __init__(self, config: GroupConfig, timers: Timers, now_ms: int) -> None:
        self.config = config
        self.timers = timers
        self.now_ms = now_ms
        self.decision = Decision()

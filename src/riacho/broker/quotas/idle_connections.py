"""Connections that nobody uses any more (`connections.max.idle.ms`): they are closed, and counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.counters.metrics import BrokerMetrics


class IdleListener(Protocol):
    """`listener.Listener`, as far as it is used here."""

    def close_idle(self, now_ms: int, idle_ms_max: int) -> int: ...


class IdleConnections:
    def __init__(
        self, listeners: Sequence[IdleListener], clock: Clock, metrics: BrokerMetrics, idle_ms_max: int
    ) -> None:
        self._listeners = listeners
        self._clock = clock
        self._metrics = metrics
        self._idle_ms_max = idle_ms_max

    async def close(self) -> None:
        now_ms = self._clock.monotonic_ms()
        for listener in self._listeners:
            self._metrics.idle_closed_connections += listener.close_idle(now_ms, self._idle_ms_max)

"""A connection that is not read for a while (KIP-219): its client used more than it may, or has to wait to be let in.

The answer that says so has left already. What the client sends meanwhile stays in the socket; answers to requests that
were taken before still leave. It may become idle like any other: nobody would see that its client is gone.
"""

from __future__ import annotations

from asyncio import TimerHandle
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.requests.api import Api
    from riacho.broker.serving.connection import Connection
    from riacho.wire.schema import Message


class Muting:
    __slots__ = ("_connection", "_timer", "is_muted", "throttle_ms", "worked_ns")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._timer: TimerHandle | None = None
        self.is_muted = False
        # How long, from the end of the request in flight on.
        self.throttle_ms = 0
        # What the request in flight took before it was parked.
        self.worked_ns = 0

    def charge(self, api: Api, response: Message | None, size_bytes: int, worked_ns: int) -> int:
        """The quotas' word on the request in flight, whose answer is there, or None when none is wanted."""
        connection = self._connection
        self.throttle_ms = connection.node.quotas.charge(connection.context, api, response, size_bytes, worked_ns)
        self.worked_ns = 0
        return self.throttle_ms

    def mute(self, delay_ms: int | None) -> None:
        """For this long, or until somebody unmutes it."""
        self.throttle_ms = 0
        if not self.is_muted:
            self.is_muted = True
            self._connection.node.quotas.muted_count += 1
        if delay_ms is not None:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._connection.loop.call_later(delay_ms / 1000, self._connection.unmute)

    def end(self) -> bool:
        """Whether it was muted."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        was_muted, self.is_muted = self.is_muted, False
        if was_muted:
            self._connection.node.quotas.muted_count -= 1
        return was_muted

"""What a caller may take of a service before it is let go, whatever it speaks: HTTP/1.1, HTTP/2 or WebSocket."""

from __future__ import annotations

from typing import NamedTuple

from riacho.web.config import Settings

# How long a caller that was refused may go on sending.
LINGER_S = 30.0
# What a caller has to read of an answer in each `idle_timeout_s`, so that one which reads steadily has its time.
READ_BYTES_MIN = 64 * 1024


class HttpLimits(NamedTuple):
    head_bytes_max: int
    # For a head to come from its first byte (or the connection's first moment) on; for some of an unread answer to be
    # read; for a request that was sent ahead to have its turn.
    idle_timeout_s: float
    connections_max: int

    @staticmethod
    def of(settings: Settings) -> HttpLimits:
        return HttpLimits(
            settings.integer("max.request.header.size"),
            settings.integer("idle.timeout.ms") / 1000,
            settings.integer("max.connections"),
        )

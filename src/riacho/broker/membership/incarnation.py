"""One run of a broker's process: what it registers with, besides its settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.config import ListenerAddress
    from riacho.broker.membership.shutdown_markers import ShutdownMarkers


@dataclass(frozen=True, slots=True)
class Incarnation:
    id: bytes
    # At which clients and other brokers reach it.
    listeners: tuple[ListenerAddress, ...]
    markers: ShutdownMarkers

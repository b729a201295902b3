"""What the endpoints of the control center work with. Made once, in `service.py`; every module of `api/` takes it.

def endpoints(parts: Parts) -> list[Endpoint]: ...
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.console.clusters.clusters import Clusters
    from riacho.console.config import ConsoleConfig
    from riacho.console.door.door import Door
    from riacho.console.door.masking import Masking
    from riacho.console.events import Events
    from riacho.console.history.alerting import Alerting
    from riacho.console.history.history import History
    from riacho.console.rates import Rates


@dataclass(slots=True, kw_only=True)
class Parts:
    config: ConsoleConfig
    # `clusters.of(call)` is the one that the path names, with its Kafka client and its picture.
    clusters: Clusters
    # How fast things flow.
    rates: Rates
    # Figures over time.
    history: History
    # Rules over what is seen, and who is told.
    alerting: Alerting
    # What pages that follow live figures are told.
    events: Events
    # Who calls, and what they may.
    door: Door
    # `masking.of(topic, role)` hides fields of messages; None where there is nothing to hide.
    masking: Masking

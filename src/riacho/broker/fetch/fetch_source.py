"""What a broker's fetches are served from, and measured by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from riacho.base.ports import Clock
    from riacho.broker.counters.metrics import BrokerMetrics
    from riacho.broker.fetch.fetch_sessions import FetchSessionCache
    from riacho.broker.fetch.replica_selector import Selector
    from riacho.broker.membership.broker_endpoints import BrokerEndpoints
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quotas.replication_quota import ReplicationQuotas


@dataclass(frozen=True, slots=True)
class FetchSource:
    replicas: Replicas
    sessions: FetchSessionCache
    # Where consumers should rather read (KIP-392); None: from leaders.
    replica_selector: Selector | None
    replication_quotas: ReplicationQuotas
    endpoints: BrokerEndpoints
    metrics: BrokerMetrics
    clock: Clock
    loop: asyncio.AbstractEventLoop
    # `fetch.max.bytes`
    size_bytes_max: int

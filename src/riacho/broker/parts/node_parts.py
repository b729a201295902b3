"""What every node has from its start, whatever its roles: its settings, its surroundings, what it counts and bounds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riacho.broker.access.authorization import authorizer_of
from riacho.broker.access.node_security import NodeSecurity
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.parts.breakdown import Breakdown
from riacho.broker.produce.fast_path_epoch import FastPathEpoch
from riacho.broker.quotas.quotas import Quotas
from riacho.broker.requests.large_requests import LargeRequests
from riacho.broker.requests.limits import Limits
from riacho.broker.requests.memory_pool import MemoryPool
from riacho.broker.visitor_log import VisitorLog

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.config import BrokerConfig
    from riacho.broker.environment import Environment
    from riacho.broker.logs import Logs
    from riacho.security.authorizer import Authorizer


@dataclass(frozen=True, slots=True)
class NodeParts:
    config: BrokerConfig
    environment: Environment
    # The environment's.
    clock: Clock
    loop: asyncio.AbstractEventLoop
    logs: Logs
    limits: Limits
    metrics: BrokerMetrics
    quotas: Quotas
    security: NodeSecurity
    # Who may do what; None lets everybody do everything.
    authorizer: Authorizer | None
    memory: MemoryPool
    large_requests: LargeRequests
    fast_path_epoch: FastPathEpoch
    breakdown: Breakdown
    visitor_log: VisitorLog
    started_ms: int


def open_node_parts(config: BrokerConfig, environment: Environment, logs: Logs) -> NodeParts:
    """Within the loop that the node will run on."""
    clock, limits, fast_path_epoch = environment.clock, Limits.of(config), FastPathEpoch()
    metrics, memory = BrokerMetrics(fast_path_epoch.bump), MemoryPool(limits.held_size_bytes_max)
    return NodeParts(
        config=config,
        environment=environment,
        clock=clock,
        loop=asyncio.get_running_loop(),
        logs=logs,
        limits=limits,
        metrics=metrics,
        quotas=Quotas(config, clock),
        security=NodeSecurity(config, metrics.authentications, logs),
        authorizer=authorizer_of(config),
        memory=memory,
        large_requests=LargeRequests(memory),
        fast_path_epoch=fast_path_epoch,
        breakdown=Breakdown(),
        visitor_log=VisitorLog(metrics.visitors, logs, clock, config.get("riacho.log.seen.interval.ms")),
        started_ms=clock.monotonic_ms(),
    )

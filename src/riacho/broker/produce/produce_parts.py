"""What serves a broker's produce requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from riacho.broker.produce.fast_path_offers import FastPathOffers
from riacho.broker.produce.produce_checking import ProduceChecking
from riacho.broker.produce.produce_refusals import EndpointOf, ProduceRefusals
from riacho.broker.produce.produce_verification import ProduceVerifier

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Executor

    from riacho.base.ports import Clock
    from riacho.broker.counters.metrics import BrokerMetrics
    from riacho.broker.logs import Logs
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.produce.transaction_verifier import TransactionVerifier
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.quotas.quotas import Quotas


@dataclass(frozen=True, slots=True)
class ProduceParts:
    checking: ProduceChecking
    verifier: ProduceVerifier
    refusals: ProduceRefusals
    fast_path_offers: FastPathOffers


def open_produce(
    replicas: Replicas,
    metadata: MetadataCache,
    coordinators: TransactionVerifier,
    quotas: Quotas,
    endpoint_of: EndpointOf,
    *,
    clock: Clock,
    loop: asyncio.AbstractEventLoop,
    executor: Executor,
    logs: Logs,
    metrics: BrokerMetrics,
) -> ProduceParts:
    """After the replicas and the coordinators, which it asks."""
    refusals = ProduceRefusals(metrics, replicas, endpoint_of)
    return ProduceParts(
        checking=ProduceChecking(replicas, clock, loop, executor, logs.error),
        verifier=ProduceVerifier(coordinators, replicas, metadata, loop, logs.error),
        refusals=refusals,
        fast_path_offers=FastPathOffers(replicas, quotas, logs, refusals, metrics.clients),
    )

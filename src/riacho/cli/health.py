"""Whether a broker is well: its process lives, it answers, and every partition has a leader."""

from __future__ import annotations

import time
from typing import NamedTuple

from riacho.base.errors import KafkaError
from riacho.cli.run_state import BrokerState
from riacho.client.cluster import Cluster
from riacho.client.settings import client_settings

_TIMEOUT_MS = 3_000


class Health(NamedTuple):
    node_id: int
    bootstrap: str
    metrics: str | None
    pid: int
    is_alive: bool
    answer_ms: float | None
    topics: int | None
    partitions: int | None
    leaderless: int | None
    restarts: int
    trouble: str | None

    @property
    def is_well(self) -> bool:
        return self.trouble is None


def examine(broker: BrokerState) -> Health:
    is_alive = broker.process.is_alive
    started = time.monotonic()
    answer_ms: float | None = None
    topics = partitions = leaderless = None
    trouble = None if is_alive else "the process is gone"
    settings = client_settings(broker.bootstrap, {})._replace(
        connect_timeout_ms=_TIMEOUT_MS, request_timeout_ms=_TIMEOUT_MS, reach_timeout_ms=0, api_timeout_ms=_TIMEOUT_MS
    )
    try:
        with Cluster(settings) as cluster:
            metadata = cluster.metadata()
        answer_ms = round((time.monotonic() - started) * 1000, 1)
        leaders = [p.leader_id for topic in metadata.topics for p in topic.partitions]
        topics, partitions = len(metadata.topics), len(leaders)
        leaderless = sum(leader < 0 for leader in leaders)
        if leaderless:
            trouble = trouble or f"{leaderless} partitions have no leader"
    except KafkaError as error:
        trouble = trouble or error.detail.rstrip(".")
    return Health(
        broker.node_id,
        broker.bootstrap,
        broker.metrics,
        broker.process.pid,
        is_alive,
        answer_ms,
        topics,
        partitions,
        leaderless,
        broker.restarts,
        trouble,
    )

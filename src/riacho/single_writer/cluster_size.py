"""How many brokers there are, for topics that want copies on several.

A service often starts together with its brokers, and would find the first of them alone: a topic made then has one copy
for good. The addresses it was given tell how many there will be, so it waits a while for those.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, ClusterMetadata  # type: ignore[attr-defined]

_logger = logging.getLogger("riacho.single_writer")
_WAIT_S = 10.0
_AGAIN_S = 0.1


def described_cluster(
    admin: AdminClient, settings: Mapping[str, Any], wanted: int, timeout_s: float, topics: Iterable[str]
) -> ClusterMetadata:
    """The cluster, when as many brokers are there as are wanted and were named; or what there is after a while. Nobody
    waits for the brokers of topics that are there already: a broker may be down for long."""
    addresses = {part.strip() for part in str(settings.get("bootstrap.servers", "")).split(",") if part.strip()}
    expected = min(wanted, len(addresses))
    needed = list(topics)
    deadline_s = time.monotonic() + min(_WAIT_S, timeout_s / 2)
    while True:
        known = admin.list_topics(timeout=timeout_s)
        is_enough = len(known.brokers) >= expected or all(topic in known.topics for topic in needed)
        if is_enough or time.monotonic() > deadline_s:
            return known
        time.sleep(_AGAIN_S)


def copies(known: ClusterMetadata, wanted: int, topic: str) -> int:
    """The replication factor that the cluster can give."""
    possible = max(1, min(wanted, len(known.brokers)))
    if possible < wanted:
        _logger.warning("topic has fewer replicas topic=%s wanted=%d given=%d", topic, wanted, possible)
    return possible

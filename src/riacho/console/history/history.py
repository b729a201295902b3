"""The histories of all clusters, and the rates that lists and overviews show from them (`rates.py`)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path

from riacho.base.config import ConfigError
from riacho.console.clusters.clusters import Clusters
from riacho.console.history.cluster_history import ClusterHistory, ring_path
from riacho.console.history.node_counters import ANSWER_BYTES_MAX, CountersSource
from riacho.console.history.ring import Ring
from riacho.console.rates import BrokerFigures, ClusterRates, TopicRates
from riacho.web.upstream import Upstream

_log = logging.getLogger("riacho.console")
_THREADS_MAX = 4


class History:
    """ConfigError where the files cannot be opened."""

    def __init__(
        self,
        clusters: Clusters,
        directory: Path,
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._clock_ms = clock_ms
        self._upstream = Upstream(threads_max=_THREADS_MAX, answer_bytes_max=ANSWER_BYTES_MAX)
        self._by_id: dict[str, ClusterHistory] = {}
        try:
            for cluster in clusters:
                ring = Ring(ring_path(directory, cluster.id))
                source = CountersSource(self._upstream, cluster.config.metrics_urls)
                history = ClusterHistory(ring, source, cluster.services.pipelines)
                self._by_id[cluster.id] = history
                cluster.watch.on_look.append(history.looked)
        except OSError as error:
            raise ConfigError(f"history cannot be kept in riacho.console.dir: {error.strerror}") from None

    def of(self, cluster_id: str) -> ClusterHistory:
        return self._by_id[cluster_id]

    async def stop(self) -> None:
        await asyncio.gather(*(each.stop() for each in self._by_id.values()))
        self._upstream.close()

    def of_cluster(self, cluster_id: str) -> ClusterRates:
        flow, requests = self._by_id[cluster_id].totals(self._clock_ms())
        return ClusterRates(flow.bytes_in, flow.bytes_out, flow.messages_in, requests)

    def of_topic(self, cluster_id: str, topic: str) -> TopicRates:
        history = self._by_id[cluster_id]
        flow = history.flow_of(topic, self._clock_ms())
        return TopicRates(flow.bytes_in, flow.bytes_out, history.spark_of(topic))

    def of_broker(self, cluster_id: str, broker_id: int) -> BrokerFigures:
        answer = self._by_id[cluster_id].nodes.get(broker_id)
        return BrokerFigures() if answer is None else BrokerFigures(answer.counters.software, answer.counters.uptime_s)

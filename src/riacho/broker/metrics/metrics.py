"""What the broker counts, and how it is shown to Prometheus."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.base.metrics import Histogram, header, sample
from riacho.broker.metrics.cluster_metrics import quorum_gauges, replication_gauges
from riacho.broker.metrics.group_metrics import group_lines
from riacho.broker.metrics.jmx_metrics import broker_lines, controller_lines, request_lines, topic_lines
from riacho.broker.metrics.partition_metrics import partition_lines
from riacho.broker.metrics.quota_metrics import quota_lines
from riacho.broker.metrics.topic_metrics import TopicMetrics
from riacho.wire.apis import APIS

if TYPE_CHECKING:
    from riacho.broker.node import Broker

_LINES_PER_STEP = 500


class RequestMetrics(Histogram):
    """One API's requests: how long they took, and their bytes."""

    __slots__ = ("request_bytes", "response_bytes")

    def __init__(self) -> None:
        super().__init__()
        self.request_bytes = 0
        self.response_bytes = 0


class Authentications:
    """Logins, by SASL or by certificate."""

    def __init__(self) -> None:
        self.succeeded = 0
        self.failed = 0
        self.renewed = 0
        self.expired = 0


class BrokerMetrics:
    def __init__(self) -> None:
        self.authentications = Authentications()
        self.topics = TopicMetrics()
        self.replication_bytes_out = 0
        self.failed_produce = 0
        self.failed_fetch = 0
        self.request_failures = 0
        self.refused_connections = 0
        self.rejected_connections = 0
        self.idle_closed_connections = 0
        self.delayed_connections = 0
        self.throttled_connections = 0
        self.cleaner_failures = 0
        self._requests: dict[int, RequestMetrics] = {}

    def observe_request(
        self, key: int, elapsed_ns: int, request_bytes: int, response_bytes: int, count: int = 1
    ) -> None:
        """One request, or `count` alike that were served together: `elapsed_ns` of each, bytes of all."""
        found = self._requests.get(key)
        if found is None:
            found = self._requests[key] = RequestMetrics()
        found.observe(elapsed_ns, count)
        found.request_bytes += request_bytes
        found.response_bytes += response_bytes

    def request_count(self, key: int) -> int:
        found = self._requests.get(key)
        return found.count if found is not None else 0

    def render(self, broker: Broker) -> str:
        return "\n".join(line for line in self._lines(broker) if line is not None) + "\n"

    async def render_in_steps(self, broker: Broker) -> str:
        """`render`, letting the loop turn now and then: thousands of partitions take a while."""
        lines: list[str] = []
        for count, line in enumerate(self._lines(broker)):
            if line is not None:
                lines.append(line)
            if line is None or count % _LINES_PER_STEP == 0:
                await asyncio.sleep(0)
        return "\n".join(lines) + "\n"

    def _lines(self, broker: Broker) -> Iterable[str | None]:
        """Every part reads what it tells of before its first line, or from what does not change under it; None is a
        pause for others before there is a line."""
        yield from self._counters()
        yield from self._gauges(broker)
        yield from list(quota_lines(broker.quotas))
        yield from list(self._request_lines())
        yield from controller_lines(broker)
        yield from request_lines([(APIS[key].name, found.count) for key, found in sorted(self._requests.items())])
        if broker.config.is_broker:
            entries_max = broker.config.get("riacho.metrics.entries.max")
            yield from broker_lines(broker)
            yield from topic_lines(self, entries_max)
            yield from partition_lines(broker, entries_max)
            yield from group_lines(broker, entries_max)

    def _counters(self) -> Iterable[str]:
        total = self.topics.total()
        usage = resource.getrusage(resource.RUSAGE_SELF)
        for name, value, about in (
            ("process_cpu_seconds_total", usage.ru_utime + usage.ru_stime, "CPU time of the process."),
            ("riacho_bytes_in_total", total.bytes_in, "Record bytes appended by producers."),
            ("riacho_bytes_out_total", total.bytes_out, "Record bytes sent to consumers."),
            ("riacho_messages_in_total", total.messages_in, "Records appended by producers."),
            ("riacho_failed_produce_total", self.failed_produce, "Partition appends that were refused."),
            ("riacho_failed_fetch_total", self.failed_fetch, "Partition reads that were refused."),
            ("riacho_request_failures_total", self.request_failures, "Requests that met an unexpected error."),
            ("riacho_refused_connections_total", self.refused_connections, "Peers that broke the protocol."),
            ("riacho_rejected_connections_total", self.rejected_connections, "Connections over the limits."),
            ("riacho_idle_closed_connections_total", self.idle_closed_connections, "Connections closed as idle."),
            ("riacho_delayed_connections_total", self.delayed_connections, "Connections that came too fast."),
            ("riacho_throttled_connections_total", self.throttled_connections, "Connections above their IP's rate."),
            ("riacho_successful_authentications_total", self.authentications.succeeded, "Logins."),
            ("riacho_failed_authentications_total", self.authentications.failed, "Logins that were refused."),
            ("riacho_reauthentications_total", self.authentications.renewed, "Logins again, on an open connection."),
            ("riacho_expired_connections_total", self.authentications.expired, "Connections past their login's end."),
            ("riacho_cleaner_failures_total", self.cleaner_failures, "Compactions that failed."),
        ):
            yield header(name, "counter", about)
            yield sample(name, value)

    def _gauges(self, broker: Broker) -> Iterable[str]:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        gauges = [
            ("riacho_connections", broker.connection_count(), "Open connections."),
            ("riacho_uptime_seconds", broker.uptime_ms() / 1000, "Time since the node started."),
            ("process_resident_memory_max_bytes", usage.ru_maxrss * 1024, "Largest memory of the process."),
            *quorum_gauges(broker),
        ]
        if broker.config.is_broker:
            gauges += [*_hosted_gauges(broker), *replication_gauges(broker)]
        for name, value, about in gauges:
            yield header(name, "gauge", about)
            yield sample(name, value)

    def _request_lines(self) -> Iterable[str]:
        name = "riacho_request_seconds"
        yield header(name, "histogram", "Time from a whole request to its answer, waiting included.")
        for key, found in sorted(self._requests.items()):
            labels = {"api": APIS[key].name}
            yield from found.lines(name, labels)
        for suffix in ("request_bytes", "response_bytes"):
            total = f"riacho_{suffix}_total"
            yield header(total, "counter", f"{suffix.replace('_', ' ').capitalize()} by API.")
            for key, found in sorted(self._requests.items()):
                yield sample(total, getattr(found, suffix), {"api": APIS[key].name})


def _hosted_gauges(broker: Broker) -> Iterable[tuple[str, float, str]]:
    replicas = broker.replicas
    return (
        ("riacho_topics", len(replicas.by_name), "Topics hosted here."),
        ("riacho_partitions", replicas.partition_count(), "Partitions hosted here."),
        ("riacho_leader_partitions", replicas.leader_count(), "Partitions led here."),
        ("riacho_offline_log_dirs", len(replicas.offline_directories()), "Data directories out of service."),
        ("riacho_log_size_bytes", replicas.size_bytes(), "Bytes of segments on disk."),
        ("riacho_fetch_sessions", len(broker.fetch_sessions), "Fetch sessions held."),
        ("riacho_groups", sum(len(shard.groups) for shard in broker.groups.loaded_shards()), "Consumer groups loaded."),
    )

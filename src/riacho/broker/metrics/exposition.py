"""What a node counts and what it is at, as Prometheus reads it: one text, made in steps."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.base.metrics import header, sample
from riacho.broker.metrics.cluster_metrics import quorum_gauges, replication_gauges
from riacho.broker.metrics.counters_json import counters_json
from riacho.broker.metrics.group_metrics import group_lines
from riacho.broker.metrics.jmx_metrics import broker_lines, controller_lines, request_lines, topic_lines
from riacho.broker.metrics.partition_metrics import partition_lines
from riacho.broker.metrics.quota_metrics import quota_lines
from riacho.broker.metrics.readiness import trouble_of
from riacho.broker.metrics.software_metrics import software_lines

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.counters.metrics import BrokerMetrics
    from riacho.broker.metrics.exposed_parts import ExposedBroker, ExposedQuorum
    from riacho.broker.quotas.connection_quotas import ConnectionQuotas
    from riacho.broker.quotas.quotas import Quotas
    from riacho.broker.serving.connection import Connection

_LINES_PER_STEP = 500


class Exposition:
    """`broker` is None for a controller alone."""

    def __init__(
        self,
        metrics: BrokerMetrics,
        quotas: Quotas,
        connections: ConnectionQuotas[Connection],
        clock: Clock,
        started_ms: int,
        quorum: ExposedQuorum,
        broker: ExposedBroker | None = None,
    ) -> None:
        self._metrics = metrics
        self._quotas = quotas
        self._connections = connections
        self._clock = clock
        self._started_ms = started_ms
        self._quorum = quorum
        self._broker = broker

    async def render(self) -> str:
        """Lets the loop turn now and then: thousands of partitions take a while."""
        lines: list[str] = []
        for count, line in enumerate(self._lines()):
            if line is not None:
                lines.append(line)
            if line is None or count % _LINES_PER_STEP == 0:
                await asyncio.sleep(0)
        return "\n".join(lines) + "\n"

    def counters(self) -> str:
        """For a console: `counters_json.py`."""
        return counters_json(self._metrics, self._clock, self._quorum.raft.node_id, self._started_ms)

    def trouble(self) -> str | None:
        """Why another node should not be stopped now, as far as this one goes: `readiness.py`."""
        return trouble_of(self._quorum, None if self._broker is None else self._broker.node_id)

    def _lines(self) -> Iterable[str | None]:
        """Every part reads what it tells of before its first line, or from what does not change under it; None is a
        pause for others before there is a line."""
        metrics, metadata, broker = self._metrics, self._quorum.metadata, self._broker
        yield from _counters(metrics)
        yield from self._gauges()
        yield from list(quota_lines(self._quotas))
        yield from list(software_lines(metrics.visitors))
        yield from list(_request_lines(metrics))
        yield from controller_lines(self._quorum)
        yield from request_lines([(name, found.count) for name, found in metrics.requests()])
        if broker is not None:
            yield from broker_lines(metrics, broker)
            yield from topic_lines(metrics, broker.entries_max)
            yield from partition_lines(broker.node_id, broker.replicas, metadata, broker.entries_max)
            yield from group_lines(broker, metadata)

    def _gauges(self) -> Iterable[str]:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        uptime_ms = self._clock.monotonic_ms() - self._started_ms
        gauges = [
            ("riacho_connections", self._connections.connection_count(), "Open connections."),
            ("riacho_uptime_seconds", uptime_ms / 1000, "Time since the node started."),
            ("process_resident_memory_max_bytes", usage.ru_maxrss * 1024, "Largest memory of the process."),
            *quorum_gauges(self._quorum),
        ]
        broker = self._broker
        if broker is not None:
            gauges += [*_hosted_gauges(broker), *replication_gauges(broker.replicas, broker.replica_fetchers)]
        for name, value, about in gauges:
            yield header(name, "gauge", about)
            yield sample(name, value)


def _counters(metrics: BrokerMetrics) -> Iterable[str]:
    total = metrics.topics.total()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    for name, value, about in (
        ("process_cpu_seconds_total", usage.ru_utime + usage.ru_stime, "CPU time of the process."),
        ("riacho_bytes_in_total", total.bytes_in, "Record bytes appended by producers."),
        ("riacho_bytes_out_total", total.bytes_out, "Record bytes sent to consumers."),
        ("riacho_messages_in_total", total.messages_in, "Records appended by producers."),
        ("riacho_failed_produce_total", metrics.failed_produce, "Partition appends that were refused."),
        ("riacho_failed_fetch_total", metrics.failed_fetch, "Partition reads that were refused."),
        ("riacho_request_failures_total", metrics.request_failures, "Requests that met an unexpected error."),
        ("riacho_refused_connections_total", metrics.refused_connections, "Peers that broke the protocol."),
        ("riacho_rejected_connections_total", metrics.rejected_connections, "Connections over the limits."),
        ("riacho_idle_closed_connections_total", metrics.idle_closed_connections, "Connections closed as idle."),
        ("riacho_delayed_connections_total", metrics.delayed_connections, "Connections that came too fast."),
        ("riacho_throttled_connections_total", metrics.throttled_connections, "Connections above their IP's rate."),
        ("riacho_successful_authentications_total", metrics.authentications.succeeded, "Logins."),
        ("riacho_failed_authentications_total", metrics.authentications.failed, "Logins that were refused."),
        ("riacho_reauthentications_total", metrics.authentications.renewed, "Logins again, on an open connection."),
        ("riacho_expired_connections_total", metrics.authentications.expired, "Connections past their login's end."),
        ("riacho_cleaner_failures_total", metrics.cleaner_failures, "Compactions that failed."),
    ):
        yield header(name, "counter", about)
        yield sample(name, value)


def _request_lines(metrics: BrokerMetrics) -> Iterable[str]:
    name = "riacho_request_seconds"
    yield header(name, "histogram", "Time from a whole request to its answer, waiting included.")
    for api, found in metrics.requests():
        yield from found.lines(name, {"api": api})
    for suffix in ("request_bytes", "response_bytes"):
        total = f"riacho_{suffix}_total"
        yield header(total, "counter", f"{suffix.replace('_', ' ').capitalize()} by API.")
        for api, found in metrics.requests():
            yield sample(total, getattr(found, suffix), {"api": api})


def _hosted_gauges(broker: ExposedBroker) -> Iterable[tuple[str, float, str]]:
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

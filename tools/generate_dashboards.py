"""Write `deploy/grafana/*.json` from the rows of panels below.

python tools/generate_dashboards.py            write
python tools/generate_dashboards.py --check    exit 1 if the files are not what the rows give
"""

# A query is read on one line.
# ruff: noqa: E501
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

TARGET = Path(__file__).resolve().parent.parent / "deploy" / "grafana"
WIDTH, HEIGHT = 8, 7
COLUMNS = 24


class Panel(NamedTuple):
    """`queries` are pairs of PromQL and a legend; `bad_from` is where a single value turns red."""

    title: str
    unit: str
    queries: tuple[tuple[str, str], ...]
    about: str = ""
    bad_from: float | None = None


def one(title: str, unit: str, query: str, legend: str = "{{instance}}", about: str = "") -> Panel:
    return Panel(title, unit, ((query, legend),), about)


def alarm(title: str, query: str, about: str, bad_from: float = 1) -> Panel:
    """A number that should be 0."""
    return Panel(title, "short", ((query, title),), about, bad_from)


BROKERS = 'job="$job", instance=~"$instance"'
SERVICES = 'job="$services"'
_RATE = "[$__rate_interval]"

RIACHO = {
    "Health": (
        alarm("Partitions without a leader", f"sum(riacho_offline_partitions{{{BROKERS}}})", "Told by the active controller."),
        alarm("Under min.insync.replicas", f"sum(riacho_under_min_isr_partitions{{{BROKERS}}})", "They take no acks=all writes."),
        alarm("Under-replicated", f"sum(riacho_under_replicated_partitions{{{BROKERS}}})", "Replicas are out of sync."),
        alarm("Fenced brokers", f"max(riacho_fenced_brokers{{{BROKERS}}})", "On record, and not in service."),
        alarm("Data directories out of service", f"sum(riacho_offline_log_dirs{{{BROKERS}}})", "Disks that failed or are full."),
        alarm("Nodes that do not answer", 'count(up{job="$job"} == 0) or vector(0)', "As Prometheus sees them."),
    ),
    "Traffic": (
        one("Records in", "wps", f"sum by (instance) (rate(riacho_messages_in_total{{{BROKERS}}}{_RATE}))"),
        one("Bytes in", "Bps", f"sum by (instance) (rate(riacho_bytes_in_total{{{BROKERS}}}{_RATE}))"),
        one("Bytes out", "Bps", f"sum by (instance) (rate(riacho_bytes_out_total{{{BROKERS}}}{_RATE}))"),
        one("Refused writes and reads", "ops", f"sum by (instance) (rate(riacho_failed_produce_total{{{BROKERS}}}{_RATE}) + rate(riacho_failed_fetch_total{{{BROKERS}}}{_RATE}))"),
        one("Bytes on disk", "bytes", f"sum by (instance) (riacho_log_size_bytes{{{BROKERS}}})"),
        one("Busiest topics", "Bps", f'topk(10, sum by (topic) (rate(kafka_server_brokertopicmetrics_bytesin_total{{{BROKERS}, topic!=""}}{_RATE})))', "{{topic}}"),
    ),
    "Requests": (
        one("Requests", "reqps", f"sum by (api) (rate(riacho_request_seconds_count{{{BROKERS}}}{_RATE}))", "{{api}}"),
        one("Produce, 99%", "s", f'histogram_quantile(0.99, sum by (le, instance) (rate(riacho_request_seconds_bucket{{{BROKERS}, api="Produce"}}{_RATE})))'),
        one("Time of requests, 99%", "s", f'histogram_quantile(0.99, sum by (le, api) (rate(riacho_request_seconds_bucket{{{BROKERS}, api!="Fetch"}}{_RATE})))', "{{api}}", "Without Fetch, which waits for records as long as it is told to."),
        one("Busy loop", "percentunit", f"sum by (instance) (rate(process_cpu_seconds_total{{{BROKERS}}}{_RATE}))", about="One loop serves all requests: at 1 a node can do no more."),
        one("Connections", "short", f"sum by (instance) (riacho_connections{{{BROKERS}}})"),
        one("Refused logins", "ops", f"sum by (instance) (rate(riacho_failed_authentications_total{{{BROKERS}}}{_RATE}))"),
    ),
    "Replication and quorum": (
        one("Slowest copy", "short", f"max by (instance) (riacho_replica_max_lag{{{BROKERS}}})", about="Records behind."),
        one("Replicas that leave and come back", "ops", f"sum by (instance) (rate(kafka_server_replicamanager_isrshrinks_total{{{BROKERS}}}{_RATE}) + rate(kafka_server_replicamanager_isrexpands_total{{{BROKERS}}}{_RATE}))"),
        one("Bytes to replicas", "Bps", f"sum by (instance) (rate(kafka_server_brokertopicmetrics_replicationbytesout_total{{{BROKERS}}}{_RATE}))"),
        one("Leaders", "short", f"sum by (instance) (riacho_leader_partitions{{{BROKERS}}})"),
        one("Epoch of the quorum", "none", f"max by (instance) (riacho_quorum_epoch{{{BROKERS}}})", about="Each election takes the next one."),
        one("Active controllers", "none", f"sum(riacho_active_controller{{{BROKERS}}})", "active", "Always one."),
    ),
    "Groups and clients": (
        one("Groups furthest behind", "short", f"topk(10, sum by (consumergroup, topic) (kafka_consumergroup_lag_sum{{{BROKERS}}}))", "{{consumergroup}} {{topic}}", "Records."),
        one("Members", "short", f"sum by (consumergroup) (kafka_consumergroup_members{{{BROKERS}}})", "{{consumergroup}}"),
        one("Throttled requests", "ops", f"sum by (instance) (rate(riacho_throttled_requests_total{{{BROKERS}}}{_RATE}))"),
    ),
    "Services": (
        one("Calls", "reqps", f"sum by (service) (rate(riacho_http_requests_total{{{SERVICES}}}{_RATE}))", "{{service}}"),
        one("Calls that failed", "reqps", f'sum by (service, status) (rate(riacho_http_requests_total{{{SERVICES}, status=~"5.."}}{_RATE}))', "{{service}} {{status}}"),
        one("Time of calls, 99%", "s", f"histogram_quantile(0.99, sum by (le, service) (rate(riacho_http_request_duration_seconds_bucket{{{SERVICES}}}{_RATE})))", "{{service}}"),
        one("Calls under way", "short", f"sum by (service) (riacho_http_requests_in_flight{{{SERVICES}}})", "{{service}}"),
        one("Refused, too many at a time", "reqps", f"sum by (service) (rate(riacho_http_requests_refused_total{{{SERVICES}}}{_RATE}))", "{{service}}"),
        one("Memory", "bytes", f"sum by (service, instance) (process_resident_memory_bytes{{{SERVICES}}})", "{{service}} {{instance}}"),
    ),
    "KSQL": (
        one("Records read", "rps", f"sum by (query) (rate(riacho_ksql_query_rows_total{{{SERVICES}}}{_RATE}))", "{{query}}"),
        one("Records behind", "short", f"sum by (query) (riacho_ksql_query_lag_records{{{SERVICES}}})", "{{query}}"),
        one("Left out and failed", "ops", f"sum by (query) (rate(riacho_ksql_query_dropped_total{{{SERVICES}}}{_RATE}) + rate(riacho_ksql_query_failures_total{{{SERVICES}}}{_RATE}))", "{{query}}"),
        one("Time of a batch", "ms", f"max by (query) (riacho_ksql_query_batch_milliseconds{{{SERVICES}}})", "{{query}}"),
        one("Rows of state", "short", f"sum by (query) (riacho_ksql_query_state_rows{{{SERVICES}}})", "{{query}}"),
        one("Open push queries", "short", f"sum by (instance) (riacho_ksql_push_queries{{{SERVICES}}})"),
    ),
}  # fmt: skip

_TOPIC = "kafka_server_brokertopicmetrics"
_MANAGER = "kafka_server_replicamanager"
_CONTROLLER = "kafka_controller_kafkacontroller"
KAFKA = {
    "Health": (
        alarm("Offline partitions", f"sum({_CONTROLLER}_offlinepartitionscount{{{BROKERS}}})", "Told by the active controller."),
        alarm("Under min.insync.replicas", f"sum({_MANAGER}_underminisrpartitioncount{{{BROKERS}}})", "They take no acks=all writes."),
        alarm("Under-replicated", f"sum({_MANAGER}_underreplicatedpartitions{{{BROKERS}}})", "Replicas are out of sync."),
        alarm("Not led by their first replica", f"sum({_CONTROLLER}_preferredreplicaimbalancecount{{{BROKERS}}})", "After restarts, for a while."),
        one("Active controllers", "none", f"sum({_CONTROLLER}_activecontrollercount{{{BROKERS}}})", "active", "Always one."),
        one("Brokers in service", "none", f"max({_CONTROLLER}_activebrokercount{{{BROKERS}}})", "brokers"),
    ),
    "Traffic": (
        one("Records in", "wps", f'sum by (instance) (rate({_TOPIC}_messagesin_total{{{BROKERS}, topic=""}}{_RATE}))'),
        one("Bytes in", "Bps", f'sum by (instance) (rate({_TOPIC}_bytesin_total{{{BROKERS}, topic=""}}{_RATE}))'),
        one("Bytes out", "Bps", f'sum by (instance) (rate({_TOPIC}_bytesout_total{{{BROKERS}, topic=""}}{_RATE}))'),
        one("Busiest topics, bytes in", "Bps", f'topk(10, sum by (topic) (rate({_TOPIC}_bytesin_total{{{BROKERS}, topic!=""}}{_RATE})))', "{{topic}}"),
        one("Requests", "reqps", f"sum by (request) (rate(kafka_network_requestmetrics_requests_total{{{BROKERS}}}{_RATE}))", "{{request}}"),
        one("Refused writes and reads", "ops", f'sum by (instance) (rate({_TOPIC}_failedproducerequests_total{{{BROKERS}, topic=""}}{_RATE}) + rate({_TOPIC}_failedfetchrequests_total{{{BROKERS}, topic=""}}{_RATE}))'),
    ),
    "Replication": (
        one("Partitions", "short", f"sum by (instance) ({_MANAGER}_partitioncount{{{BROKERS}}})"),
        one("Leaders", "short", f"sum by (instance) ({_MANAGER}_leadercount{{{BROKERS}}})"),
        one("Slowest copy", "short", f"max by (instance) (kafka_server_replicafetchermanager_maxlag{{{BROKERS}}})", about="Records behind."),
        one("Replicas out of sync", "ops", f"sum by (instance) (rate({_MANAGER}_isrshrinks_total{{{BROKERS}}}{_RATE}))"),
        one("Replicas back in sync", "ops", f"sum by (instance) (rate({_MANAGER}_isrexpands_total{{{BROKERS}}}{_RATE}))"),
        one("Bytes between brokers", "Bps", f"sum by (instance) (rate({_TOPIC}_replicationbytesin_total{{{BROKERS}}}{_RATE}))"),
    ),
    "Topics and groups": (
        one("Bytes on disk", "bytes", f"topk(10, sum by (topic) (kafka_log_log_size{{{BROKERS}}}))", "{{topic}}", "All replicas."),
        one("Groups furthest behind", "short", f"topk(10, sum by (consumergroup, topic) (kafka_consumergroup_lag{{{BROKERS}}}))", "{{consumergroup}} {{topic}}", "Records."),
        one("Members", "short", f"sum by (consumergroup) (kafka_consumergroup_members{{{BROKERS}}})", "{{consumergroup}}"),
    ),
}  # fmt: skip


def dashboard(
    uid: str, title: str, about: str, rows: dict[str, tuple[Panel, ...]], variables: list[dict[str, Any]]
) -> str:
    panels: list[dict[str, Any]] = []
    y = 0
    for heading, found in rows.items():
        panels.append({"id": len(panels) + 1, "type": "row", "title": heading, "collapsed": False, "panels": [],
                       "gridPos": {"x": 0, "y": y, "w": COLUMNS, "h": 1}})  # fmt: skip
        y += 1
        small = all(panel.bad_from is not None for panel in found)
        width, height = (4, 4) if small else (WIDTH, HEIGHT)
        for place, panel in enumerate(found):
            line, column = divmod(place, COLUMNS // width)
            position = {"x": column * width, "y": y + line * height, "w": width, "h": height}
            panels.append({"id": len(panels) + 1, "gridPos": position, **_panel(panel)})
        y += -(-len(found) * width // COLUMNS) * height
    made = {
        "uid": uid, "title": title, "description": about, "tags": ["riacho", "kafka"], "schemaVersion": 39, "version": 1,
        "editable": True, "graphTooltip": 1, "refresh": "30s", "time": {"from": "now-1h", "to": "now"},
        "timezone": "browser", "templating": {"list": variables}, "panels": panels,
    }  # fmt: skip
    return json.dumps(made, indent=1) + "\n"


def _panel(panel: Panel) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if panel.bad_from is not None:
        steps.append({"color": "red", "value": panel.bad_from})
    targets = [
        {"refId": chr(ord("A") + place), "datasource": _SOURCE, "expr": query, "legendFormat": legend}
        for place, (query, legend) in enumerate(panel.queries)
    ]
    return {
        "type": "timeseries" if panel.bad_from is None else "stat",
        "title": panel.title,
        "description": panel.about,
        "datasource": _SOURCE,
        "fieldConfig": {
            "defaults": {"unit": panel.unit, "min": 0, "thresholds": {"mode": "absolute", "steps": steps}},
            "overrides": [],
        },
        "targets": targets,
    }


_SOURCE = {"type": "prometheus", "uid": "${source}"}


def _variable(name: str, label: str, query: str, *, many: bool = False) -> dict[str, Any]:
    return {
        "name": name, "label": label, "type": "query", "datasource": _SOURCE, "query": query, "refresh": 2, "sort": 1,
        "multi": many, "includeAll": many, **({"allValue": ".*"} if many else {}),
    }  # fmt: skip


def _variables(metric: str, *, services: bool) -> list[dict[str, Any]]:
    found = [
        {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"},
        _variable("job", "Brokers", f"label_values({metric}, job)"),
        _variable("instance", "Broker", f'label_values({metric}{{job="$job"}}, instance)', many=True),
    ]
    return (
        [*found, _variable("services", "Services", "label_values(riacho_http_requests_total, job)")]
        if services
        else found
    )


def files() -> dict[str, str]:
    return {
        "riacho.json": dashboard(
            "riacho", "Riacho", "Brokers, services and KSQL, by the names that Riacho serves.", RIACHO,
            _variables("riacho_uptime_seconds", services=True),
        ),
        "kafka-jmx.json": dashboard(
            "riacho-kafka-jmx", "Kafka, by the JMX exporter's names",
            "For clusters of Apache Kafka behind the JMX exporter and kafka-exporter, of Riacho, or of both.", KAFKA,
            _variables(f"{_MANAGER}_partitioncount", services=False),
        ),
    }  # fmt: skip


def main() -> int:
    stale = [
        name for name, text in files().items() if not (TARGET / name).exists() or (TARGET / name).read_text() != text
    ]
    if "--check" in sys.argv[1:]:
        return 1 if stale else 0
    for name in stale:
        (TARGET / name).write_text(files()[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What the JMX exporter shows of Apache Kafka under its usual names, of this node as a whole and by topic.

Only metrics that mean the same here are exported. There is no pool of request handlers and no purgatory, so there are
none of them; times by request are the histogram `riacho_request_seconds`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from riacho.base.metrics import header, label_text, sample

if TYPE_CHECKING:
    from riacho.broker.counters.metrics import BrokerMetrics
    from riacho.broker.metrics.exposed_parts import ExposedBroker, ExposedQuorum

Value = tuple[str, float, str]
_BY_TOPIC = (
    ("messagesin", "messages_in", "Records appended by producers."),
    ("bytesin", "bytes_in", "Record bytes appended by producers."),
    ("bytesout", "bytes_out", "Record bytes sent to consumers."),
    ("totalproducerequests", "produce_requests", "Writes to partitions that were asked for."),
    ("totalfetchrequests", "fetch_requests", "Reads of partitions by consumers."),
)


def topic_lines(metrics: BrokerMetrics, entries_max: int) -> Iterator[str]:
    """All topics together stand without a label, as Kafka has them."""
    topics = metrics.topics.all()
    rows = [(label_text({"topic": name}), counts) for name, counts in topics[:entries_max]]
    total = metrics.topics.total()
    yield header("riacho_topics_left_out", "gauge", "Topics here that are not told of one by one.")
    yield sample("riacho_topics_left_out", len(topics) - len(rows))
    for word, field, about in _BY_TOPIC:
        name = f"kafka_server_brokertopicmetrics_{word}_total"
        yield header(name, "counter", about)
        yield sample(name, getattr(total, field))
        yield from (f"{name}{labels} {getattr(counts, field)}" for labels, counts in rows)


def broker_lines(metrics: BrokerMetrics, broker: ExposedBroker) -> Iterator[str]:
    """Of a node with the role of a broker."""
    isr = broker.isr_proposals
    yield from _lines("gauge", _replica_gauges(broker))
    yield from _lines(
        "counter",
        (
            ("kafka_server_replicamanager_isrshrinks_total", isr.shrunk, "Times that replicas fell out of sync."),
            ("kafka_server_replicamanager_isrexpands_total", isr.expanded, "Times that replicas came into sync."),
            (
                "kafka_server_brokertopicmetrics_replicationbytesin_total",
                broker.replica_fetchers.fetched_size_bytes,
                "Record bytes copied from other brokers.",
            ),
            (
                "kafka_server_brokertopicmetrics_replicationbytesout_total",
                metrics.replication_bytes_out,
                "Record bytes sent to replicas.",
            ),
            (
                "kafka_server_brokertopicmetrics_failedproducerequests_total",
                metrics.failed_produce,
                "Writes to partitions that were refused.",
            ),
            (
                "kafka_server_brokertopicmetrics_failedfetchrequests_total",
                metrics.failed_fetch,
                "Reads of partitions that were refused.",
            ),
        ),
    )


def _replica_gauges(broker: ExposedBroker) -> Iterable[Value]:
    led = under_replicated = under_min = at_min = 0
    for hosted in broker.replicas.all():
        leadership = hosted.leadership
        led += hosted.is_leader
        if hosted.is_leader and leadership is not None:
            under_replicated += len(leadership.isr) < len(leadership.replicas)
            under_min += not hosted.has_enough_replicas
            at_min += len(leadership.isr) == leadership.min_isr
    manager = "kafka_server_replicamanager"
    yield f"{manager}_partitioncount", broker.replicas.partition_count(), "Partitions with a replica here."
    yield f"{manager}_leadercount", led, "Partitions led here."
    yield f"{manager}_underreplicatedpartitions", under_replicated, "Partitions led here with replicas out of sync."
    yield f"{manager}_underminisrpartitioncount", under_min, "Partitions led here that take no acks=all writes."
    yield f"{manager}_atminisrpartitioncount", at_min, "Partitions led here that have just enough replicas in sync."
    yield "kafka_server_replicafetchermanager_maxlag", broker.replica_fetchers.max_lag(), "The slowest copy's lag."


def controller_lines(quorum: ExposedQuorum) -> Iterator[str]:
    """Of every node: whether it is the active controller. What the cluster has, that one alone tells."""
    name = "kafka_controller_kafkacontroller"
    values: list[Value] = [
        (f"{name}_activecontrollercount", int(quorum.controller.is_active), "Whether this is the active controller.")
    ]
    if quorum.controller.is_active:
        image = quorum.metadata.image
        partitions = [each for topic in image.topics.values() for each in topic.partitions]
        fenced = sum(registered.is_fenced for registered in image.brokers.values())
        values += [
            (f"{name}_globaltopiccount", len(image.topics), "Topics."),
            (f"{name}_globalpartitioncount", len(partitions), "Partitions."),
            (f"{name}_offlinepartitionscount", sum(each.leader < 0 for each in partitions), "Without a leader."),
            (
                f"{name}_preferredreplicaimbalancecount",
                sum(each.leader != each.replicas[0] for each in partitions),
                "Partitions that another than their first replica leads.",
            ),
            (f"{name}_activebrokercount", len(image.brokers) - fenced, "Brokers in service."),
            (f"{name}_fencedbrokercount", fenced, "Brokers on record that are not."),
            ("kafka_brokers", len(image.brokers) - fenced, "Brokers in service."),
        ]
    yield from _lines("gauge", values)


def request_lines(requests: Iterable[tuple[str, int]]) -> Iterator[str]:
    """`requests` are counts by API."""
    name = "kafka_network_requestmetrics_requests_total"
    yield header(name, "counter", "Requests answered.")
    for api, count in requests:
        yield sample(name, count, {"request": api})


def _lines(kind: str, values: Iterable[Value]) -> Iterator[str]:
    for name, value, about in values:
        yield header(name, kind, about)
        yield sample(name, value)

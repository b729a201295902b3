"""kafka-verifiable-share-consumer: takes the records of a topic in a share group and tells what happens."""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.cli.kafka.events import StopRequest, emit, text
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import launch
from riacho.cli.kafka.librdkafka import client_properties
from riacho.cli.kafka.text.sentences import words
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_configs
from riacho.client.settings import client_settings
from riacho.client.share_consumer import ShareConsumer, ShareRecord
from riacho.client.share_session import Share
from riacho.metadata.image.config_resource import ResourceType

_POLL_MS = 500
Offsets = dict[tuple[str, int], list[int]]


def main() -> None:
    launch("kafka-verifiable-share-consumer", run)


def run(arguments: Arguments) -> int:
    properties = client_properties(arguments)
    stop = StopRequest()
    with Cluster(client_settings(properties["bootstrap.servers"], properties)) as cluster:
        cluster.retry(cluster.live_brokers)
        emit("startup_complete")
        group_id, reset = arguments.need("group-id"), arguments.need("offset-reset-strategy").lower()
        if reset:
            alter_configs(cluster, ResourceType.GROUP, group_id, {"share.auto.offset.reset": reset}, ())
            emit("offset_reset_strategy_set", offsetResetStrategy=reset)
        with ShareConsumer(cluster, group_id, [arguments.need("topic")]) as consumer:
            _read(consumer, arguments, stop)
    emit("shutdown_complete")
    return 0


def _read(consumer: ShareConsumer, arguments: Arguments, stop: StopRequest) -> None:
    limit = arguments.need_number("max-messages")
    # What is not committed by itself goes with the next poll, and is told of after that.
    is_committed_at_once = arguments.need("acknowledgement-mode") != "auto"
    count = 0
    underway: Offsets = {}
    while not stop.made and (limit < 0 or count < limit):
        records = consumer.poll(_POLL_MS)
        count += _emit_acknowledged(consumer, underway)
        underway = _by_partition(records)
        if not records:
            continue
        _emit_consumed(records, underway, arguments.has("verbose"))
        for record in records:
            consumer.acknowledge(record)
        if is_committed_at_once or 0 <= limit <= count + len(records):
            consumer.commit()
            count += _emit_acknowledged(consumer, underway)
            underway = {}


def _by_partition(records: list[ShareRecord]) -> Offsets:
    offsets: Offsets = {}
    for record in records:
        offsets.setdefault((record.topic, record.partition), []).append(record.offset)
    return offsets


def _emit_consumed(records: list[ShareRecord], offsets: Offsets, verbose: bool) -> None:
    if verbose:
        for record in records:
            emit(
                "record_data",
                key=text(record.key),
                value=text(record.value),
                topic=record.topic,
                partition=record.partition,
                offset=record.offset,
            )
    emit("records_consumed", count=len(records), partitions=_summary(offsets))


def _emit_acknowledged(consumer: ShareConsumer, offsets: Offsets) -> int:
    """How many were taken."""
    failures: list[tuple[Share, ErrorCode]] = consumer.failures
    if not offsets:
        return 0
    count = sum(map(len, offsets.values()))
    if failures:
        emit(
            "offsets_acknowledged",
            count=count,
            partitions=_summary(offsets),
            success=False,
            error=words(failures[0][1]),
        )
        failures.clear()
        return 0
    emit("offsets_acknowledged", count=count, partitions=_summary(offsets), success=True)
    return count


def _summary(offsets: Offsets) -> list[dict[str, object]]:
    return [
        {"topic": topic, "partition": partition, "count": len(listed), "offsets": sorted(listed)}
        for (topic, partition), listed in offsets.items()
    ]

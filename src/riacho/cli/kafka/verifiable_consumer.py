"""kafka-verifiable-consumer: reads a topic and tells what happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.cli.kafka.events import StopRequest, emit, text
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.librdkafka import REACH_TIMEOUT_S, client_properties, make_client, reach, translate

if TYPE_CHECKING:
    from confluent_kafka import Consumer

_BATCH_RECORDS = 500
_POLL_S = 0.2


def main() -> None:
    launch("kafka-verifiable-consumer", run)


def run(arguments: Arguments) -> int:
    config = _config(arguments)
    from confluent_kafka import Consumer

    consumer: Consumer = make_client(Consumer, config)
    stop = StopRequest()
    try:
        reach(consumer, config, REACH_TIMEOUT_S)
        emit("startup_complete")
        Reader(consumer, arguments, stop).read()
    finally:
        consumer.close()
    emit("shutdown_complete")
    return 0


def _config(arguments: Arguments) -> dict[str, Any]:
    protocol = arguments.need("group-protocol").lower()
    properties = client_properties(arguments)
    properties |= {
        "group.id": arguments.need("group-id"),
        "group.protocol": protocol,
        "enable.auto.commit": str(arguments.has("enable-autocommit")).lower(),
        "auto.offset.reset": {"none": "error"}.get(arguments.need("reset-policy"), arguments.need("reset-policy")),
    }
    if arguments.has("group-instance-id"):
        properties["group.instance.id"] = arguments.need("group-instance-id")
    if protocol == "consumer":
        if arguments.has("group-remote-assignor"):
            properties["group.remote.assignor"] = arguments.need("group-remote-assignor")
        if arguments.has("session-timeout"):
            raise UsageError("--session-timeout is not supported with the consumer protocol: the broker sets it.")
    else:
        properties["partition.assignment.strategy"] = arguments.need("assignment-strategy")
        if arguments.has("session-timeout"):
            properties["session.timeout.ms"] = arguments.need("session-timeout")
    return translate(properties)


class Reader:
    def __init__(self, consumer: Consumer, arguments: Arguments, stop: StopRequest) -> None:
        self.consumer = consumer
        self.topic = arguments.need("topic")
        self.limit = arguments.need_number("max-messages")
        self.verbose = arguments.has("verbose")
        self.commits = not arguments.has("enable-autocommit")
        self.stop = stop
        self.count = 0

    def read(self) -> None:
        self.consumer.subscribe([self.topic], on_assign=self._assigned, on_revoke=self._revoked)
        while not self.stop.made and (self.limit < 0 or self.count < self.limit):
            wanted = _BATCH_RECORDS if self.limit < 0 else min(_BATCH_RECORDS, self.limit - self.count)
            records = []
            for message in self.consumer.consume(wanted, timeout=_POLL_S):
                error = message.error()
                if error is None:
                    records.append(message)
                elif not error.retriable():
                    raise ToolError(f"Error: {error.str()}")
            if records:
                self._emit_consumed(records)
        if self.stop.made:
            emit("shutdown_requested")

    def _assigned(self, consumer: Any, partitions: Any) -> None:
        emit("partitions_assigned", partitions=[{"topic": p.topic, "partition": p.partition} for p in partitions])

    def _revoked(self, consumer: Any, partitions: Any) -> None:
        emit("partitions_revoked", partitions=[{"topic": p.topic, "partition": p.partition} for p in partitions])

    def _emit_consumed(self, records: list[Any]) -> None:
        spans: dict[tuple[str, int], list[int]] = {}
        for record in records:
            where = (record.topic(), record.partition())
            spans.setdefault(where, []).append(record.offset())
            if self.verbose:
                emit(
                    "record_data",
                    key=text(record.key()),
                    value=text(record.value()),
                    topic=where[0],
                    partition=where[1],
                    offset=record.offset(),
                )
        self.count += len(records)
        emit(
            "records_consumed",
            count=len(records),
            partitions=[
                {
                    "topic": t,
                    "partition": p,
                    "count": len(offsets),
                    "minOffset": min(offsets),
                    "maxOffset": max(offsets),
                }
                for (t, p), offsets in spans.items()
            ],
        )
        if self.commits:
            self._commit({where: max(offsets) + 1 for where, offsets in spans.items()})

    def _commit(self, offsets: dict[tuple[str, int], int]) -> None:
        from confluent_kafka import KafkaException, TopicPartition

        told = [{"topic": t, "partition": p, "offset": offset} for (t, p), offset in offsets.items()]
        try:
            self.consumer.commit(
                offsets=[TopicPartition(t, p, offset) for (t, p), offset in offsets.items()], asynchronous=False
            )
        except KafkaException as error:
            emit("offsets_committed", offsets=told, error=error.args[0].str(), success=False)
        else:
            emit("offsets_committed", offsets=told, success=True)

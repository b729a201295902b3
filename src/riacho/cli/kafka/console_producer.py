"""kafka-console-producer: every line of standard input becomes a record."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from riacho.cli.kafka.flags.data_tools import ACKS, CODECS
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.librdkafka import REACH_TIMEOUT_S, client_properties, make_client, reach, translate
from riacho.cli.kafka.line_reader import Line, LineReader
from riacho.cli.kafka.properties import key_value_pairs, load_properties
from riacho.cli.too_large import for_the_client, for_the_topic, is_too_large
from riacho.client.librdkafka.fatal_errors import flush

if TYPE_CHECKING:
    from confluent_kafka import Producer

_POLL_EVERY_RECORDS = 500
# Java's delivery.timeout.ms; librdkafka's own is longer.
_DELIVERY_TIMEOUT_MS = 120_000


def main() -> None:
    launch("kafka-console-producer", run)


def run(arguments: Arguments) -> int:
    config = producer_config(arguments)
    topic = arguments.need("topic")
    reader = _reader(arguments, topic)
    from confluent_kafka import Producer

    producer: Producer = make_client(Producer, config)
    timeout_s = arguments.need_number("max-block-ms") / 1000 if arguments.has("max-block-ms") else REACH_TIMEOUT_S
    _check_topic(reach(producer, config, timeout_s, topic), topic)
    return Sender(producer, topic, sync=arguments.has("sync")).send_lines(reader)


def producer_config(arguments: Arguments) -> dict[str, Any]:
    codec = arguments.text("compression-codec") or "none"
    if codec not in CODECS:
        raise UsageError(f"'{codec}' is not a compression codec: {', '.join(CODECS)}")
    if arguments.need("request-required-acks") not in ACKS:
        raise UsageError(f"'{arguments.text('request-required-acks')}' is no kind of acks: 0, 1, -1 or all")
    given = client_properties(arguments)
    acks = arguments.need("request-required-acks")
    ours = {
        "acks": acks,
        "compression.type": codec,
        "linger.ms": arguments.need("timeout"),
        "batch.size": arguments.need("batch-size"),
        "retries": arguments.need("message-send-max-retries"),
        "retry.backoff.ms": arguments.need("retry-backoff-ms"),
        "request.timeout.ms": arguments.need("request-timeout-ms"),
        "metadata.max.age.ms": arguments.need("metadata-expiry-ms"),
        "buffer.memory": arguments.need("max-memory-bytes"),
        "send.buffer.bytes": arguments.need("socket-buffer-size"),
        "delivery.timeout.ms": str(_DELIVERY_TIMEOUT_MS),
        "client.id": "console-producer",
        # The Java client's way to place keys, so that a key's records stay in one partition whoever sends them.
        "partitioner": "murmur2_random",
    }
    flags = {
        "request-required-acks": "acks",
        "compression-codec": "compression.type",
        "timeout": "linger.ms",
        "batch-size": "batch.size",
        "request-timeout-ms": "request.timeout.ms",
        "message-send-max-retries": "retries",
    }
    merged = {**ours, **given, **{key: ours[key] for flag, key in flags.items() if arguments.has(flag)}}
    if merged["acks"] in ("-1", "all") and merged["retries"] != "0":
        # As the Java producer does: a retry neither doubles nor reorders records (KIP-98, KIP-679).
        merged.setdefault("enable.idempotence", "true")
    return translate(merged)


def _reader(arguments: Arguments, topic: str) -> LineReader:
    class_name = arguments.text("line-reader") or "LineMessageReader"
    properties = _reader_properties(arguments)
    match class_name.rpartition(".")[2]:
        case "LineMessageReader":
            return LineReader(properties)
        case "AvroMessageReader" | "JsonSchemaMessageReader" | "ProtobufMessageReader" as name:
            from riacho.cli.kafka.schema_records import SchemaLineReader

            return SchemaLineReader(name.removesuffix("MessageReader"), properties, topic)
    raise ToolError(
        f"Error: there is no line reader '{class_name}'; there are LineMessageReader, AvroMessageReader, "
        "JsonSchemaMessageReader and ProtobufMessageReader."
    )


def _reader_properties(arguments: Arguments) -> dict[str, str]:
    path = arguments.text("reader-config")
    properties = load_properties(path) if path else {}
    return properties | key_value_pairs(arguments.all("reader-property"), "reader-property")


def _check_topic(metadata: Any, topic: str) -> None:
    """Errors that waiting does not mend. An unknown topic may be about to be created by the question itself."""
    from confluent_kafka import KafkaError as ClientError

    error = metadata.topics[topic].error
    if error is not None and error.code() in (ClientError.TOPIC_EXCEPTION, ClientError.TOPIC_AUTHORIZATION_FAILED):
        raise ToolError(f"Error: topic '{topic}': {error.str()}")


class Sender:
    def __init__(self, producer: Producer, topic: str, *, sync: bool) -> None:
        self.producer = producer
        self.topic = topic
        self.sync = sync
        self.failed = 0

    def send_lines(self, reader: LineReader) -> int:
        prompt = sys.stdin.isatty()
        number = 0
        try:
            while True:
                if prompt:
                    sys.stdout.write(">")
                    sys.stdout.flush()
                line = sys.stdin.buffer.readline()
                if not line:
                    break
                number += 1
                self._send(reader.read(line.removesuffix(b"\n").removesuffix(b"\r"), number))
                if self.sync:
                    flush(self.producer)
                elif prompt or number % _POLL_EVERY_RECORDS == 0:
                    self.producer.poll(0)
        finally:
            flush(self.producer)
        return 1 if self.failed else 0

    def _send(self, line: Line) -> None:
        from confluent_kafka import KafkaException

        while True:
            try:
                self.producer.produce(
                    self.topic, line.value, line.key, headers=line.headers or None, on_delivery=self._delivered
                )
                return
            except BufferError:
                self.producer.poll(0.1)
            except KafkaException as error:
                cause = error.args[0]
                size_bytes = len(line.key or b"") + len(line.value or b"")
                problem = for_the_client(size_bytes) if is_too_large(cause) else cause.str()
                raise ToolError(f"Error when sending to topic {self.topic}: {problem}") from None

    def _delivered(self, error: Any, message: Any) -> None:
        if error is None:
            return
        self.failed += 1
        key, value = message.key(), message.value()
        problem = for_the_topic(self.topic) if is_too_large(error) else error.str()
        print(
            f"Error when sending message to topic {self.topic} with key: {_size(key)}, value: {_size(value)}: "
            f"{problem}",
            file=sys.stderr,
        )


def _size(data: bytes | None) -> str:
    return "null" if data is None else f"{len(data)} bytes"

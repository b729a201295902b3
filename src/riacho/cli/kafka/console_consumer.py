"""kafka-console-consumer: prints the records of topics."""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING, Any

from riacho.cli.kafka.deserializers import Undecodable
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.formatters import Formatter, Printable, formatter
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.librdkafka import REACH_TIMEOUT_S, client_properties, make_client, reach, translate
from riacho.cli.kafka.properties import key_value_pairs, load_properties
from riacho.metadata.image.topic_names import INTERNAL_TOPICS

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message

_BATCH_RECORDS = 500
# How often an idle consumer looks up, so that Ctrl-C and --timeout-ms are answered soon.
_POLL_S = 0.1
_RANDOM_GROUPS = 100_000


def main() -> None:
    launch("kafka-console-consumer", run)


def run(arguments: Arguments) -> int:
    _check(arguments)
    config = consumer_config(arguments)
    shape = formatter(arguments.need("formatter"), formatter_properties(arguments))
    from confluent_kafka import Consumer

    consumer: Consumer = make_client(Consumer, config)
    printer = Printer(consumer, shape, arguments)
    interrupted = False
    try:
        metadata = reach(consumer, config, REACH_TIMEOUT_S)
        _start(consumer, arguments, metadata)
        printer.event("startup_complete")
        code = printer.print_records()
        sys.stdout.flush()
    except KeyboardInterrupt:
        interrupted, code = True, 130
        sys.stdout.flush()
    finally:
        consumer.close()
    printer.event("shutdown_complete")
    print(f"{chr(10) if interrupted else ''}Processed a total of {printer.count} messages", file=sys.stderr)
    return code


def _check(arguments: Arguments) -> None:
    if arguments.has("partition") and not arguments.has("topic"):
        raise UsageError("The topic is required when partition is specified.")
    if arguments.has("topic") == arguments.has("include"):
        raise UsageError("Exactly one of --include/--topic is required. ")
    if arguments.has("offset"):
        if not arguments.has("partition"):
            raise UsageError("The partition is required when offset is specified.")
        if arguments.has("from-beginning"):
            raise UsageError("Options from-beginning and offset cannot be specified together.")
        offset = arguments.need("offset").lower()
        if offset not in ("earliest", "latest") and not (offset.isdecimal() and int(offset) < 1 << 63):
            raise UsageError(
                f"The provided offset value '{arguments.text('offset')}' is incorrect. Valid values are 'earliest', "
                "'latest', or a non-negative long."
            )
    if arguments.has("group") and arguments.has("partition"):
        raise UsageError("Options group and partition cannot be specified together.")


def consumer_config(arguments: Arguments) -> dict[str, Any]:
    properties = client_properties(arguments)
    reset = "earliest" if arguments.has("from-beginning") else "latest"
    if arguments.has("from-beginning") and properties.get("auto.offset.reset", reset) not in ("earliest", "smallest"):
        raise UsageError(
            "Can't simultaneously specify --from-beginning and 'auto.offset.reset="
            f"{properties['auto.offset.reset']}', please remove one option"
        )
    group = arguments.text("group") or properties.get("group.id")
    if group is None:
        # Nobody comes back for the offsets of a group with a random name.
        properties.setdefault("enable.auto.commit", "false")
        group = f"console-consumer-{random.randrange(_RANDOM_GROUPS)}"
    properties["group.id"] = group
    properties.setdefault("auto.offset.reset", reset)
    if arguments.has("isolation-level") or "isolation.level" not in properties:
        properties["isolation.level"] = arguments.need("isolation-level")
    properties.setdefault("client.id", "console-consumer")
    config = translate(properties)
    config["topic.blacklist"] = ",".join(f"^{name}$" for name in sorted(INTERNAL_TOPICS))
    if arguments.has("topic"):
        # A person who names a topic may be waiting for it; one who gives a pattern is not.
        config.setdefault("allow.auto.create.topics", "true")
        # Left to itself, librdkafka looks again for a missing topic after some seconds, and then after five minutes.
        config.setdefault("topic.metadata.refresh.interval.ms", "1000")
        del config["topic.blacklist"]
    return config


def formatter_properties(arguments: Arguments) -> dict[str, str]:
    path = arguments.text("formatter-config")
    properties = load_properties(path) if path else {}
    properties |= key_value_pairs(arguments.all("formatter-property"), "formatter-property")
    for name in ("key-deserializer", "value-deserializer"):
        if arguments.has(name):
            properties[name.replace("-", ".")] = arguments.need(name)
    return properties


def _start(consumer: Consumer, arguments: Arguments, metadata: Any) -> None:
    from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, TopicPartition

    if arguments.has("partition"):
        topic, partition = arguments.need("topic"), arguments.need_number("partition")
        known = metadata.topics.get(topic)
        if known is not None and known.partitions and partition not in known.partitions:
            raise ToolError(f"Error: topic '{topic}' has no partition {partition}; it has {len(known.partitions)}.")
        text = (arguments.text("offset") or ("earliest" if arguments.has("from-beginning") else "latest")).lower()
        offset = {"earliest": OFFSET_BEGINNING, "latest": OFFSET_END}.get(text)
        consumer.assign([TopicPartition(topic, partition, int(text) if offset is None else offset)])
    elif arguments.has("topic"):
        topic = arguments.need("topic")
        if topic not in metadata.topics:
            print(f"Warning: topic '{topic}' does not exist yet; waiting for it.", file=sys.stderr)
        consumer.subscribe([topic])
    else:
        pattern = arguments.need("include").strip().strip("\"'").replace(",", "|")
        consumer.subscribe([f"^({pattern})$"])


class Printer:
    def __init__(self, consumer: Consumer, shape: Formatter, arguments: Arguments) -> None:
        self.consumer = consumer
        self.shape = shape
        self.count = 0
        self._limit = arguments.number("max-messages")
        self._timeout_ms = arguments.number("timeout-ms")
        self._skip_errors = arguments.has("skip-message-on-error")
        self._events = arguments.has("enable-systest-events")
        self._told: set[str] = set()

    def event(self, name: str) -> None:
        if self._events:
            print(f'{{"timestamp":{int(time.time() * 1000)},"name":"{name}"}}', flush=True)

    def print_records(self) -> int:
        out = sys.stdout.buffer
        last = time.monotonic()
        while self._limit is None or self.count < self._limit:
            wanted = _BATCH_RECORDS if self._limit is None else min(_BATCH_RECORDS, self._limit - self.count)
            messages = self._poll(wanted)
            now = time.monotonic()
            if messages:
                last = now
            elif self._timeout_ms is not None and (now - last) * 1000 >= self._timeout_ms:
                return 0
            for message in messages:
                error = message.error()
                if error is not None:
                    self._print_error(error)
                    continue
                self.count += 1
                out.write(self._format(message))
            if messages:
                out.flush()
        return 0

    def _poll(self, wanted: int) -> list[Message]:
        """What is there already, in one go; otherwise the first record that comes."""
        ready = self.consumer.consume(wanted, timeout=0)
        if ready:
            return ready
        first = self.consumer.poll(_POLL_S)
        if first is None:
            return []
        return [first, *self.consumer.consume(wanted - 1, timeout=0)] if wanted > 1 else [first]

    def _format(self, message: Message) -> bytes:
        try:
            return self.shape.format(printable(message))
        except Undecodable as error:
            where = f"{message.topic()}-{message.partition()} at offset {message.offset()}"
            if not self._skip_errors:
                raise ToolError(f"Error: cannot print {where}: {error}") from None
            print(f"Skipped {where}: {error}", file=sys.stderr)
            return b""

    def _print_error(self, error: Any) -> None:
        from confluent_kafka import KafkaError as ClientError

        if error.code() == ClientError._PARTITION_EOF:
            return
        if error.code() in (
            ClientError.UNKNOWN_TOPIC_OR_PART,
            ClientError._UNKNOWN_TOPIC,
            ClientError._UNKNOWN_PARTITION,
        ):
            text = "Warning: the topic does not exist yet; waiting for it."
        elif error.retriable() or error.code() in (ClientError._TRANSPORT, ClientError._ALL_BROKERS_DOWN):
            text = f"Warning: {error.str()}"
        else:
            raise ToolError(f"Error: {error.str()}")
        if text not in self._told:
            self._told.add(text)
            print(text, file=sys.stderr)


def printable(message: Message) -> Printable:
    timestamp_type, timestamp = message.timestamp()
    return Printable(
        message.topic() or "",
        message.partition() or 0,
        message.offset() or 0,
        message.leader_epoch(),
        timestamp_type,
        timestamp,
        message.key(),
        message.value(),
        message.headers() or [],  # type: ignore[arg-type]
    )

"""kafka-console-share-consumer: takes records in a share group, prints them and acknowledges each (KIP-932)."""

from __future__ import annotations

import sys
import time

from riacho.cli.kafka.console_consumer import formatter_properties
from riacho.cli.kafka.deserializers import Undecodable
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.formatters import Formatter, Printable, formatter
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.librdkafka import client_properties
from riacho.client.cluster import Cluster
from riacho.client.settings import client_settings
from riacho.client.share_consumer import ACCEPT, REJECT, RELEASE, ShareConsumer, ShareRecord

_DEFAULT_GROUP = "console-share-consumer"
# How often an idle consumer looks up, so that Ctrl-C and --timeout-ms are answered soon.
_POLL_MS = 200


def main() -> None:
    launch("kafka-console-share-consumer", run)


def run(arguments: Arguments) -> int:
    if arguments.has("reject") and arguments.has("release"):
        raise UsageError("At most one of --reject and --release may be specified.")
    properties = client_properties(arguments)
    group_id = _group_id(arguments, properties.get("group.id"))
    properties.setdefault("client.id", "console-share-consumer")
    shape = formatter(arguments.need("formatter"), formatter_properties(arguments))
    limit = arguments.number("max-messages")
    # A record taken is a record locked: no more than will be printed.
    max_records = 500 if limit is None else max(1, min(500, limit))
    code = 0
    with Cluster(client_settings(properties["bootstrap.servers"], properties)) as cluster:
        consumer = ShareConsumer(cluster, group_id, [arguments.need("topic")], max_records=max_records)
        printer = Printer(consumer, shape, arguments)
        try:
            printer.print_records()
        except KeyboardInterrupt:
            code = 130
            print(file=sys.stderr)
        finally:
            sys.stdout.flush()
            consumer.close()
    if arguments.has("enable-systest-events"):
        print("shutdown_complete")
    print(f"Processed a total of {printer.count} messages", file=sys.stderr)
    return code


def _group_id(arguments: Arguments, from_properties: str | None) -> str:
    given = {group for group in (arguments.text("group"), from_properties) if group}
    if len(given) > 1:
        listed = ", ".join(f"'{group}'" for group in sorted(given))
        raise UsageError(f"The group ids given by --group and by properties do not match: {listed}")
    return given.pop() if given else _DEFAULT_GROUP


class Printer:
    def __init__(self, consumer: ShareConsumer, shape: Formatter, arguments: Arguments) -> None:
        self.count = 0
        self._consumer = consumer
        self._shape = shape
        self._limit = arguments.number("max-messages")
        self._timeout_ms = arguments.number("timeout-ms")
        self._rejects_errors = arguments.has("reject-message-on-error")
        self._kind = REJECT if arguments.has("reject") else RELEASE if arguments.has("release") else ACCEPT

    def print_records(self) -> None:
        last_s = time.monotonic()
        while self._limit is None or self.count < self._limit:
            records = self._consumer.poll(_POLL_MS if self._timeout_ms is None else min(_POLL_MS, self._timeout_ms))
            if records:
                last_s = time.monotonic()
            elif self._timeout_ms is not None and (time.monotonic() - last_s) * 1000 >= self._timeout_ms:
                return
            for record in records:
                if self._limit is not None and self.count >= self._limit:
                    self._consumer.acknowledge(record, RELEASE)
                    continue
                self._print(record)
            sys.stdout.buffer.flush()
            self._consumer.commit()
            self._print_failures()

    def _print(self, record: ShareRecord) -> None:
        self.count += 1
        try:
            sys.stdout.buffer.write(self._shape.format(printable(record)))
        except Undecodable as error:
            self._consumer.acknowledge(record, REJECT if self._rejects_errors else RELEASE)
            where = f"{record.topic}-{record.partition} at offset {record.offset}"
            if not self._rejects_errors:
                raise ToolError(f"Error: cannot print {where}: {error}") from None
            print(f"Rejected {where}: {error}", file=sys.stderr)
        else:
            self._consumer.acknowledge(record, self._kind)

    def _print_failures(self) -> None:
        for share, code in self._consumer.failures:
            print(f"Warning: partition {share.partition} did not take an acknowledgement: {code.name}", file=sys.stderr)
        self._consumer.failures.clear()


def printable(record: ShareRecord) -> Printable:
    return Printable(
        record.topic,
        record.partition,
        record.offset,
        record.leader_epoch,
        # librdkafka counts one further: 0 is none.
        record.timestamp_type + 1 if record.timestamp >= 0 else 0,
        record.timestamp,
        record.key,
        record.value,
        record.headers,
        record.delivery_count,
    )

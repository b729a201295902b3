"""kafka-share-consumer-perf-test: how fast records are taken and acknowledged in a share group."""

from __future__ import annotations

import threading
import time

from riacho.cli.kafka.consumer_perf_test import java_date
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import launch
from riacho.cli.kafka.librdkafka import client_properties
from riacho.cli.progress import progress
from riacho.client.cluster import Cluster
from riacho.client.settings import client_settings
from riacho.client.share_consumer import ShareConsumer

_MB = 1024.0 * 1024.0
_POLL_MS = 100
_LOOK_S = 0.1
_HEADER = "start.time, end.time, data.consumed.in.MB, MB.sec, nMsg.sec, data.consumed.in.nMsg, fetch.time.ms"


def main() -> None:
    launch("kafka-share-consumer-perf-test", run)


def run(arguments: Arguments) -> int:
    if arguments.need_number("reporting-interval") <= 0:
        raise UsageError("Reporting interval must be greater than 0.")
    if not arguments.has("hide-header"):
        print(_HEADER)
    test = SharedTest(arguments)
    readers = [Reader(test, number) for number in range(1, arguments.need_number("threads") + 1)]
    started_ms = time.time() * 1000
    for reader in readers:
        reader.start()
    # Off a terminal its lines are Kafka's and tell enough.
    with progress("Reading", test.total, has_lines=False) as bar:
        for reader in readers:
            while reader.is_alive():
                reader.join(_LOOK_S)
                bar.reach(test.count, test.total)
    ended_ms = time.time() * 1000
    for reader in readers:
        if reader.error is not None:
            raise reader.error
    if arguments.has("show-consumer-stats"):
        for reader in readers:
            told = f"Share consumer {reader.number} having client id {reader.client_id} consumption metrics- "
            print(told + test.line(started_ms, ended_ms, reader.size_bytes, reader.count))
    count = sum(reader.count for reader in readers)
    if count < test.total:
        print(
            "WARNING: Exiting before consuming the expected number of records: timeout "
            f"({test.timeout_ms} ms) exceeded. You can use the --timeout option to increase the timeout."
        )
    print(test.line(started_ms, ended_ms, sum(reader.size_bytes for reader in readers), count))
    return 0


class SharedTest:
    """What all readers have in common."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.total = arguments.need_number("num-records")
        self.timeout_ms = arguments.need_number("timeout")
        self.count = 0
        self.lock = threading.Lock()
        self._date_format = arguments.need("date-format")

    def line(
        self, since_ms: float, now_ms: float, size_bytes: int, count: int, before: tuple[int, int] = (0, 0)
    ) -> str:
        """`before` is what was there at the start of the interval: rates are of what is new."""
        elapsed_s = max(now_ms - since_ms, 1.0) / 1000
        new_bytes, new_count = size_bytes - before[0], count - before[1]
        return (
            f"{java_date(since_ms, self._date_format)}, {java_date(now_ms, self._date_format)}, "
            f"{size_bytes / _MB:.4f}, {new_bytes / _MB / elapsed_s:.4f}, {new_count / elapsed_s:.4f}, {count}, "
            f"{int(now_ms - since_ms)}"
        )


class Reader(threading.Thread):
    def __init__(self, test: SharedTest, number: int) -> None:
        super().__init__(daemon=True)
        self.number = number
        self.count = self.size_bytes = 0
        self.error: Exception | None = None
        self._test = test
        self._properties = client_properties(test.arguments)
        is_alone = test.arguments.need_number("threads") == 1
        client_id = self._properties.get("client.id", "perf-share-consumer-client")
        self.client_id = client_id if is_alone else f"{client_id}-{number}"

    def run(self) -> None:
        try:
            self._read()
        except Exception as error:
            self.error = error

    def _read(self) -> None:
        test, arguments = self._test, self._test.arguments
        settings = client_settings(
            self._properties["bootstrap.servers"], self._properties | {"client.id": self.client_id}
        )
        topics = [arguments.need("topic")]
        with Cluster(settings) as cluster, ShareConsumer(cluster, arguments.need("group"), topics) as consumer:
            last_ms = report_ms = time.time() * 1000
            before = (0, 0)
            now_ms = last_ms
            while test.count < test.total and now_ms - last_ms <= test.timeout_ms:
                records = consumer.poll(_POLL_MS)
                now_ms = time.time() * 1000
                for record in records:
                    self.size_bytes += len(record.key or b"") + len(record.value or b"")
                    consumer.acknowledge(record)
                if records:
                    last_ms = now_ms
                    self.count += len(records)
                    with test.lock:
                        test.count += len(records)
                if records and now_ms - report_ms >= arguments.need_number("reporting-interval"):
                    if arguments.has("show-detailed-stats"):
                        told = test.line(report_ms, now_ms, self.size_bytes, self.count, before)
                        print(f"{told} for share consumer {self.number}", flush=True)
                    report_ms, before = now_ms, (self.size_bytes, self.count)
            consumer.commit()

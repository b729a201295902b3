"""kafka-consumer-perf-test: how fast records are read."""

from __future__ import annotations

import random
import re
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.librdkafka import REACH_TIMEOUT_S, client_properties, make_client, reach, translate
from riacho.cli.progress import Progress, progress

if TYPE_CHECKING:
    from confluent_kafka import Consumer

_MB = 1024.0 * 1024.0
_BATCH_RECORDS = 1000
_POLL_S = 0.1
_TAIL = (
    "data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, "
    "rebalance.time.ms, fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec"
)
_DATE_LETTERS = re.compile(r"'([^']*)'|([a-zA-Z])\2*")


def main() -> None:
    launch("kafka-consumer-perf-test", run)


def run(arguments: Arguments) -> int:
    if arguments.has("topic") == arguments.has("include"):
        raise UsageError("Exactly one of --topic and --include is needed.")
    total = arguments.need_number("num-records")
    properties = client_properties(arguments)
    properties |= {
        "group.id": arguments.text("group")
        or properties.get("group.id")
        or f"perf-consumer-{random.randrange(100_000)}",
        "receive.buffer.bytes": arguments.need("socket-buffer-size"),
        "max.partition.fetch.bytes": arguments.need("fetch-size"),
        "auto.offset.reset": "latest" if arguments.has("from-latest") else "earliest",
        "check.crcs": "false",
    }
    config = translate(properties)
    from confluent_kafka import Consumer

    consumer: Consumer = make_client(Consumer, config)
    try:
        reach(consumer, properties, REACH_TIMEOUT_S)
        test = ReadTest(consumer, arguments, total)
        # Off a terminal its lines are Kafka's and tell enough.
        with progress("Reading", total, has_lines=False) as bar:
            test.run(bar)
    finally:
        consumer.close()
    test.print_total()
    return 0


class ReadTest:
    def __init__(self, consumer: Consumer, arguments: Arguments, total: int) -> None:
        self.consumer = consumer
        self.total = total
        self.timeout_ms = arguments.need_number("timeout")
        self.interval_ms = arguments.need_number("reporting-interval")
        self.detailed = arguments.has("show-detailed-stats")
        self.header = not arguments.has("hide-header")
        self.date_format = arguments.need("date-format")
        self.subscription = (
            [arguments.need("topic")]
            if arguments.has("topic")
            else [f"^({arguments.need('include').replace(',', '|')})$"]
        )
        self.count = self.size_bytes = 0
        self.rebalance_ms = 0.0
        self._rebalancing_since_ms: float | None = None
        self.started_ms = self.ended_ms = time.time() * 1000

    def run(self, bar: Progress) -> None:
        if self.header and self.detailed:
            print(f"time, threadId, {_TAIL}")
        self.started_ms = self._rebalancing_since_ms = time.time() * 1000
        self.consumer.subscribe(self.subscription, on_assign=self._assigned, on_revoke=self._revoked)
        last_ms = window_ms = self.started_ms
        window = (0, 0, 0.0)
        while self.count < self.total:
            batch = self.consumer.consume(min(_BATCH_RECORDS, self.total - self.count), timeout=_POLL_S)
            now_ms = time.time() * 1000
            if batch:
                last_ms = now_ms
                self._count(batch)
                bar.reach(self.count, self.total)
            elif now_ms - last_ms > self.timeout_ms:
                print(
                    "WARNING: Exiting before consuming the expected number of records: timeout "
                    f"({self.timeout_ms} ms) exceeded. You can use the --timeout option to increase the timeout."
                )
                break
            if self.detailed and now_ms - window_ms >= self.interval_ms:
                self._print_window(now_ms, window_ms, window)
                window_ms, window = now_ms, (self.count, self.size_bytes, self.rebalance_ms)
        self.ended_ms = time.time() * 1000

    def _assigned(self, consumer: Any, partitions: Any) -> None:
        if self._rebalancing_since_ms is not None:
            self.rebalance_ms += time.time() * 1000 - self._rebalancing_since_ms
            self._rebalancing_since_ms = None

    def _revoked(self, consumer: Any, partitions: Any) -> None:
        self._rebalancing_since_ms = time.time() * 1000

    def _count(self, batch: list[Any]) -> None:
        size = count = 0
        for message in batch:
            if message.error() is not None:
                if not message.error().retriable():
                    raise ToolError(f"Error: {message.error().str()}")
                continue
            key = message.key()
            size += len(message) + (len(key) if key is not None else 0)
            count += 1
        self.count += count
        self.size_bytes += size

    def _print_window(self, now_ms: float, since_ms: float, before: tuple[int, int, float]) -> None:
        count, size, rebalance_ms = before
        elapsed_ms = now_ms - since_ms
        moving_ms = self.rebalance_ms - rebalance_ms
        fetch_ms = max(elapsed_ms - moving_ms, 1.0)
        megabytes, records = (self.size_bytes - size) / _MB, self.count - count
        print(
            f"{java_date(now_ms, self.date_format)}, 0, {self.size_bytes / _MB:.4f}, "
            f"{megabytes * 1000 / elapsed_ms:.4f}, "
            f"{self.count}, {records * 1000 / elapsed_ms:.4f}, {int(moving_ms)}, {int(fetch_ms)}, "
            f"{megabytes * 1000 / fetch_ms:.4f}, {records * 1000 / fetch_ms:.4f}",
            flush=True,
        )

    def print_total(self) -> None:
        if self.detailed:
            return
        if self.header:
            print(f"start.time, end.time, {_TAIL}")
        elapsed_ms = max(self.ended_ms - self.started_ms, 1.0)
        fetch_ms = max(elapsed_ms - self.rebalance_ms, 1.0)
        megabytes = self.size_bytes / _MB
        print(
            f"{java_date(self.started_ms, self.date_format)}, {java_date(self.ended_ms, self.date_format)}, "
            f"{megabytes:.4f}, {megabytes * 1000 / elapsed_ms:.4f}, {self.count}, "
            f"{self.count * 1000 / elapsed_ms:.4f}, "
            f"{int(self.rebalance_ms)}, {int(fetch_ms)}, {megabytes * 1000 / fetch_ms:.4f}, "
            f"{self.count * 1000 / fetch_ms:.4f}"
        )


def java_date(time_ms: float, pattern: str) -> str:
    """The letters of SimpleDateFormat that a time needs, in local time."""
    moment = datetime.fromtimestamp(time_ms / 1000)
    values = {
        "y": moment.year, "M": moment.month, "d": moment.day, "H": moment.hour, "m": moment.minute, "s": moment.second,
        "S": moment.microsecond // 1000, "h": (moment.hour - 1) % 12 + 1,
    }  # fmt: skip

    def replace(found: re.Match[str]) -> str:
        letter, width = found[2], len(found[0])
        if letter is None:
            return found[1] or "'"
        if letter == "a":
            return "AM" if moment.hour < 12 else "PM"
        if letter not in values:
            raise ToolError(f"Error: '{letter}' in --date-format is not known.")
        value = values[letter] % 100 if letter == "y" and width == 2 else values[letter]
        return str(value).zfill(width)

    return _DATE_LETTERS.sub(replace, pattern)

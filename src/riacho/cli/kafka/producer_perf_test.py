"""kafka-producer-perf-test: how fast records are sent."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.latency_stats import LatencyStats
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.librdkafka import REACH_TIMEOUT_S, client_properties, make_client, reach, translate
from riacho.cli.kafka.throttle import Throttle
from riacho.cli.progress import Progress, progress

if TYPE_CHECKING:
    from confluent_kafka import Producer

_POLL_EVERY_RECORDS = 256
_POOL_SIZE_BYTES = 64 * 1024
_LETTERS = bytes(range(65, 91))
_TRANSACTION_MS = 3000


def main() -> None:
    launch("kafka-producer-perf-test", run)


def run(arguments: Arguments) -> int:
    sources = [name for name in ("record-size", "payload-file", "payload-monotonic") if arguments.has(name)]
    if len(sources) != 1:
        raise UsageError("Exactly one of --record-size, --payload-file and --payload-monotonic is needed.")
    warmup = arguments.need_number("warmup-records")
    if arguments.need_number("num-records") < 0:
        raise UsageError("--num-records must not be negative.")
    if warmup >= arguments.need_number("num-records") > 0:
        raise UsageError(
            "The value for --warmup-records must be strictly fewer than the number of records in the test."
        )
    payloads = _payloads(arguments, random.Random(arguments.number("random-seed")))
    properties = client_properties(arguments)
    properties.setdefault("client.id", "perf-producer-client")
    transactional_id = arguments.text("transactional-id") or properties.get("transactional.id")
    if transactional_id is None and arguments.has("transaction-duration-ms"):
        transactional_id = f"performance-producer-{random.getrandbits(64):016x}"
    if transactional_id is not None:
        properties["transactional.id"] = transactional_id
    metrics = Metrics() if arguments.has("print-metrics") else None
    config = translate(properties)
    if metrics is not None:
        config |= {"statistics.interval.ms": 1000, "stats_cb": metrics.take}
    from confluent_kafka import Producer

    producer: Producer = make_client(Producer, config)
    reach(producer, properties, REACH_TIMEOUT_S, arguments.need("topic"))
    if transactional_id is not None:
        producer.init_transactions()
    if warmup:
        print(f"Warmup first {warmup} records. Steady state results will print after the complete test summary.")
    # Off a terminal its lines are Kafka's and tell enough.
    with progress("Sending", arguments.need_number("num-records"), has_lines=False) as bar:
        SendTest(producer, arguments, payloads, transactional_id is not None, bar).run()
    if metrics is not None:
        metrics.print()
    return 0


def _payloads(arguments: Arguments, rng: random.Random) -> Iterator[bytes]:
    if arguments.has("payload-monotonic"):
        return (b"%d" % number for number in range(arguments.need_number("num-records")))
    if arguments.has("payload-file"):
        return _from_file(arguments.need("payload-file"), arguments.need("payload-delimiter"), rng)
    size = arguments.need_number("record-size")
    if size < 0:
        raise UsageError("--record-size should be greater than zero.")
    # Slices of one pool of random letters: fresh bytes for every record at the price of a copy.
    pool = bytes(rng.choices(_LETTERS, k=_POOL_SIZE_BYTES + size))
    return _slices(pool, size, rng)


def _slices(pool: bytes, size: int, rng: random.Random) -> Iterator[bytes]:
    step = rng.randrange(1, 1 << 16) | 1
    start = 0
    while True:
        yield pool[start : start + size]
        start = (start + step) % _POOL_SIZE_BYTES


def _from_file(path: str, delimiter: str, rng: random.Random) -> Iterator[bytes]:
    with open(path, "rb") as file:
        text = file.read()
    if not text:
        raise ToolError(f"File does not exist or empty file provided: {path}")
    separator = delimiter.replace("\\n", "\n").replace("\\t", "\t").encode()
    lines = [line for line in text.split(separator) if line]
    if not lines:
        raise ToolError(f"{path} holds no payload.")
    print(f"Reading payloads from: {path}\nNumber of records read: {len(lines)}")
    return (rng.choice(lines) for _ in iter(int, 1))


class SendTest:
    def __init__(
        self, producer: Producer, arguments: Arguments, payloads: Iterator[bytes], transactional: bool, bar: Progress
    ) -> None:
        self.bar = bar
        self.producer = producer
        self.topic = arguments.need("topic")
        self.total = arguments.need_number("num-records")
        self.warmup = arguments.need_number("warmup-records")
        self.payloads = payloads
        self.transaction_ms = (arguments.number("transaction-duration-ms") or _TRANSACTION_MS) if transactional else 0
        self.interval_ms = arguments.need_number("reporting-interval")
        self.throughput = float(arguments.get("throughput"))
        self.keys = _keys(arguments)
        self.failed = 0
        self.stats = LatencyStats(_now_ms, interval_ms=self.interval_ms)
        self.steady: LatencyStats | None = None

    def run(self) -> None:
        throttle = Throttle(self.throughput)
        produce, poll, delivered, topic = self.producer.produce, self.producer.poll, self._delivered, self.topic
        transaction_until_ms = 0.0
        every = (
            min(_POLL_EVERY_RECORDS, max(1, int(self.throughput / 10))) if self.throughput > 0 else _POLL_EVERY_RECORDS
        )
        for number in range(self.total):
            if self.transaction_ms and _now_ms() >= transaction_until_ms:
                if transaction_until_ms:
                    self.producer.commit_transaction()
                self.producer.begin_transaction()
                transaction_until_ms = _now_ms() + self.transaction_ms
            value = next(self.payloads)
            key = self.keys() if self.keys else None
            while True:
                try:
                    produce(topic, value, key, on_delivery=delivered)
                    break
                except BufferError:
                    poll(0.05)
            if number % every == 0:
                poll(0)
                self._report()
                throttle.wait(number, poll)
        if self.transaction_ms and transaction_until_ms:
            self.producer.commit_transaction()
        while self.producer.flush(0.2):
            self._report()
        if self.failed:
            print(f"{self.failed} records could not be sent.")
        print(self.stats.total_line())
        if self.steady is not None:
            print(self.steady.total_line())

    def _report(self) -> None:
        self.bar.reach(self.stats.count, self.total)
        line = self.stats.window_line()
        if line is not None:
            print(line, flush=True)

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self.failed += 1
            if self.failed == 1:
                print(f"Error when sending to topic {self.topic}: {error.str()}")
            return
        latency_ms = message.latency() * 1000.0
        self.stats.record(latency_ms, len(message))
        if self.steady is not None:
            self.steady.record(latency_ms, len(message))
        elif self.warmup and self.stats.count == self.warmup:
            self.steady = LatencyStats(_now_ms, interval_ms=self.interval_ms, steady=True)


def _keys(arguments: Arguments) -> Callable[[], bytes] | None:
    way = arguments.need("key-distribution")
    count = arguments.number("record-key-range")
    if way == "none" and count is None:
        return None
    if not count or count < 1:
        raise UsageError("--key-distribution needs a --record-key-range above 0.")
    if way == "random":
        rng = random.Random(arguments.number("random-seed"))
        return lambda: b"%d" % rng.randrange(count)
    position = -1

    def following() -> bytes:
        nonlocal position
        position = (position + 1) % count
        return b"%d" % position

    return following


def _now_ms() -> float:
    return time.monotonic() * 1000


class Metrics:
    """The client's last statistics, flat, at the end of the test."""

    def __init__(self) -> None:
        self._text = "{}"

    def take(self, text: str) -> None:
        self._text = text

    def print(self) -> None:
        import json

        rows = sorted(
            (name, value) for name, value in json.loads(self._text).items() if isinstance(value, (int, float))
        )
        width = max([len("Metric Name"), *(len(name) for name, _ in rows)])
        print(f"\n{'Metric Name':<{width}} Value")
        for name, value in rows:
            print(f"{name:<{width}} : {value}")

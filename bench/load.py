"""The load client: a process of its own, `python -m bench.load '<json>'`, that runs one load and prints its figures.

The JSON names the kind, the broker's port and process id, the seconds to spend, and the parameters from `bench.plan`.
Topics are made before and deleted after, so that no load pays for the data of another.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench import librdkafka
from bench.batches import batch_of
from bench.drink import Drunk, drink
from bench.latency import latencies_ms, percentile
from bench.plan import CLIENT_BUSY, PARTITIONS
from bench.processes import cpu_seconds
from bench.replay import Replayed, replay, replay_one_at_a_time
from bench.requests import Admin

PRODUCED_BYTES_MAX = 3 << 30  # on disk, for a broker so fast that the clock does not stop it first
CONSUMED_BYTES = 256 << 20  # the topic that the consumers read over and over

PERCENTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}

Figures = dict[str, float]  # by unit, or by "qualifier|unit"


@dataclass(frozen=True, slots=True)
class Target:
    port: int
    pid: int
    warm_up_s: float
    duration_s: float
    tls_port: int = 0
    authority_file: str = ""

    def librdkafka(self, is_encrypted: bool) -> dict[str, str]:
        """Where a real client finds the broker."""
        if not is_encrypted:
            return {"bootstrap.servers": f"127.0.0.1:{self.port}"}
        return {
            "bootstrap.servers": f"localhost:{self.tls_port}",
            "security.protocol": "ssl",
            "ssl.ca.location": self.authority_file,
        }


@contextmanager
def _topic(target: Target, name: str, partitions: int) -> Iterator[str]:
    with Admin(target.port) as admin:
        admin.create_topic(name, partitions)
        yield name
        admin.delete_topic(name)


def _fill(target: Target, topic: str, batch: bytes, acks: int, **limits: Any) -> Replayed:
    return replay(
        target.port,
        topic,
        batch,
        pid=target.pid,
        acks=acks,
        connections=PARTITIONS,
        partitions=PARTITIONS,
        window=5,  # max.in.flight.requests.per.connection
        **limits,
    )


def _throughput(done: Replayed | Drunk, payload_bytes: int) -> Figures:
    return {
        "MB/s": payload_bytes / done.elapsed_s / 1e6,
        "CPU s/GB": done.cpu_s / payload_bytes * 1e9,
        CLIENT_BUSY: done.client_cpu_s / done.elapsed_s,
    }


def _request_rate(done: Replayed) -> Figures:
    return {
        "req/s": done.requests / done.elapsed_s,
        "CPU us/req": done.cpu_s / done.requests * 1e6,
        CLIENT_BUSY: done.client_cpu_s / done.elapsed_s,
    }


def run_produce(target: Target, size_bytes: int, records: int, codec: str, acks: int) -> Figures:
    batch = batch_of(size_bytes, records, codec)
    with _topic(target, "bench-produce", PARTITIONS) as topic:
        limits = {"warm_up_s": target.warm_up_s, "duration_s": target.duration_s}
        done = _fill(target, topic, batch, acks, requests_max=PRODUCED_BYTES_MAX // len(batch), **limits)
    return _throughput(done, done.requests * records * size_bytes)


def run_consume(target: Target, size_bytes: int, records: int, codec: str) -> Figures:
    batch = batch_of(size_bytes, records, codec)
    with _topic(target, "bench-consume", PARTITIONS) as topic:
        _fill(target, topic, batch, 1, requests_max=CONSUMED_BYTES // len(batch), warm_up_s=0, duration_s=60)
        done = drink(
            target.port,
            topic,
            pid=target.pid,
            batch_size_bytes=len(batch),
            batch_records=records,
            partitions=PARTITIONS,
            warm_up_s=target.warm_up_s,
            duration_s=target.duration_s,
        )
    return _throughput(done, done.batches * records * size_bytes)


def run_request_rate(target: Target, size_bytes: int, connections: int, window: int) -> Figures:
    with _topic(target, "bench-rate", connections) as topic:
        done = replay(
            target.port,
            topic,
            batch_of(size_bytes, 1),
            pid=target.pid,
            acks=1,
            connections=connections,
            partitions=connections,
            window=window,
            warm_up_s=target.warm_up_s,
            duration_s=target.duration_s,
            requests_max=1 << 62,
        )
    return _request_rate(done)


def run_request_rate_alone(target: Target, size_bytes: int) -> Figures:
    spans = {"warm_up_s": target.warm_up_s, "duration_s": target.duration_s}
    with _topic(target, "bench-alone", 1) as topic:
        done = replay_one_at_a_time(target.port, topic, batch_of(size_bytes, 1), pid=target.pid, **spans)
    return _request_rate(done)


def run_latency(target: Target, rate: int, size_bytes: int) -> Figures:
    with _topic(target, "bench-latency", 1) as topic:
        # Three times as long as other loads: the 99.9th percentile needs thousands of messages.
        spans = {"warm_up_s": 1.0, "duration_s": 3 * target.duration_s}
        ordered = sorted(latencies_ms(target.port, topic, rate=rate, size_bytes=size_bytes, **spans))
    return {f"{label}|ms": percentile(ordered, share) for label, share in PERCENTILES.items()}


def run_librdkafka_produce(
    target: Target, size_bytes: int, codec: str, acks: str, is_encrypted: bool = False
) -> Figures:
    with _topic(target, "bench-rd-produce", PARTITIONS) as topic:
        messages, elapsed_s = librdkafka.produce_rate(
            target.librdkafka(is_encrypted),
            topic,
            size_bytes=size_bytes,
            acks=acks,
            codec=codec,
            duration_s=target.duration_s,
            partitions=PARTITIONS,
            limit=PRODUCED_BYTES_MAX // size_bytes,
        )
    return {"MB/s": messages * size_bytes / elapsed_s / 1e6}


def run_librdkafka_consume(
    target: Target, size_bytes: int, records: int, codec: str, is_encrypted: bool = False
) -> Figures:
    batch = batch_of(size_bytes, records, codec)
    with _topic(target, "bench-rd-consume", PARTITIONS) as topic:
        _fill(target, topic, batch, 1, requests_max=CONSUMED_BYTES // len(batch), warm_up_s=0, duration_s=60)
        spans = {"duration_s": target.duration_s, "partitions": PARTITIONS}
        place = target.librdkafka(is_encrypted)
        _, payload_bytes, elapsed_s = librdkafka.consume_rate(place, topic, **spans)  # type: ignore[arg-type]
    return {"MB/s": payload_bytes / elapsed_s / 1e6}


def run_librdkafka_consume_once(target: Target, size_bytes: int, records: int, codec: str) -> Figures:
    batch = batch_of(size_bytes, records, codec)
    with _topic(target, "bench-rd-once", PARTITIONS) as topic:
        _fill(target, topic, batch, 1, requests_max=CONSUMED_BYTES // len(batch), warm_up_s=0, duration_s=60)
        cpu_s = cpu_seconds(target.pid)
        place = target.librdkafka(is_encrypted=False)
        _, payload_bytes, elapsed_s = librdkafka.consume_once(place, topic, partitions=PARTITIONS)
        cpu_s = cpu_seconds(target.pid) - cpu_s
    return {"MB/s": payload_bytes / elapsed_s / 1e6, "CPU s/GB": cpu_s / payload_bytes * 1e9}


def run_librdkafka_request_rate(target: Target, size_bytes: int, in_flight: int) -> Figures:
    with _topic(target, "bench-rd-rate", 1) as topic:
        requests, elapsed_s = librdkafka.request_rate(
            target.port, topic, size_bytes=size_bytes, in_flight=in_flight, duration_s=target.duration_s
        )
    return {"req/s": requests / elapsed_s}


def run_librdkafka_transactions(target: Target, size_bytes: int, commit_interval_ms: int) -> Figures:
    with _topic(target, "bench-rd-transactions", PARTITIONS) as topic:
        # A commit now and then needs more time to be seen than a message does.
        messages, _, elapsed_s = librdkafka.transactions(
            target.port,
            topic,
            size_bytes=size_bytes,
            commit_interval_ms=commit_interval_ms,
            duration_s=2 * target.duration_s,
            partitions=PARTITIONS,
        )
    return {"MB/s": messages * size_bytes / elapsed_s / 1e6}


def run_librdkafka_transaction_rate(target: Target, size_bytes: int) -> Figures:
    with _topic(target, "bench-rd-transactions", PARTITIONS) as topic:
        _, commits, elapsed_s = librdkafka.transactions(
            target.port,
            topic,
            size_bytes=size_bytes,
            commit_interval_ms=0,
            duration_s=2 * target.duration_s,
            partitions=PARTITIONS,
        )
    return {"txn/s": commits / elapsed_s}


KINDS: dict[str, Callable[..., Figures]] = {
    "produce": run_produce,
    "consume": run_consume,
    "request_rate": run_request_rate,
    "request_rate_alone": run_request_rate_alone,
    "latency": run_latency,
    "librdkafka_produce": run_librdkafka_produce,
    "librdkafka_consume": run_librdkafka_consume,
    "librdkafka_consume_once": run_librdkafka_consume_once,
    "librdkafka_request_rate": run_librdkafka_request_rate,
    "librdkafka_transactions": run_librdkafka_transactions,
    "librdkafka_transaction_rate": run_librdkafka_transaction_rate,
}


def main() -> None:
    spec = json.loads(sys.argv[1])
    parameters = spec.pop("parameters")
    run = KINDS[spec.pop("kind")]
    json.dump(run(Target(**spec), **parameters), sys.stdout)


if __name__ == "__main__":
    main()

"""The client of replicated writes, a process of its own: `python -m bench.cluster_load '<json>'`.

A connection for each partition goes straight to its leader and replays one encoded request with acks=all, five in
flight, as `bench.replay` does for one broker. The librdkafka kind goes through a real client instead.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from confluent_kafka import Producer

from bench.batches import batch_of, payloads
from bench.plan import CLIENT_BUSY
from bench.processes import cpu_seconds
from bench.replay import ReplayConnection, replay_lines

PRODUCED_BYTES_MAX = 1 << 30  # three copies of it go to disk
WINDOW = 5
CHUNK = 1_000


def run_raw(spec: dict[str, Any], size_bytes: int, records: int, codec: str) -> dict[str, float]:
    batch = batch_of(size_bytes, records, codec)
    lines = [
        ReplayConnection(port, spec["topic"], partition, batch, -1, WINDOW)
        for partition, port in enumerate(spec["ports"])
    ]
    done = replay_lines(
        lines,
        pids=spec["pids"],
        warm_up_s=spec["warm_up_s"],
        duration_s=spec["duration_s"],
        requests_max=PRODUCED_BYTES_MAX // len(batch),
    )
    payload_bytes = done.requests * records * size_bytes
    return _figures(payload_bytes, done.elapsed_s, done.cpu_s, done.client_cpu_s)


def run_librdkafka(spec: dict[str, Any], size_bytes: int, codec: str) -> dict[str, float]:
    producer = Producer(
        {
            "bootstrap.servers": spec["bootstrap"],
            "acks": "all",
            "compression.type": codec,
            "linger.ms": 5,
            "queue.buffering.max.messages": 1_000_000,
        }
    )
    chunk: list[dict[str, Any]] = [{"value": value} for value in payloads(CHUNK, size_bytes)]
    partitions, sent = len(spec["ports"]), 0
    cpu_s, own_s, started = _cpu(spec), time.process_time(), time.perf_counter()
    while time.perf_counter() < started + spec["duration_s"] and sent * size_bytes < PRODUCED_BYTES_MAX:
        if len(producer) * size_bytes > 32 << 20 or len(producer) > 200_000:
            producer.poll(0.002)
            continue
        sent += producer.produce_batch(spec["topic"], chunk, partition=sent // CHUNK % partitions)
    if producer.flush(60) != 0:
        raise TimeoutError("messages were never acknowledged")
    elapsed_s = time.perf_counter() - started
    return _figures(sent * size_bytes, elapsed_s, _cpu(spec) - cpu_s, time.process_time() - own_s)


def _figures(payload_bytes: int, elapsed_s: float, cpu_s: float, client_cpu_s: float) -> dict[str, float]:
    return {
        "MB/s": payload_bytes / elapsed_s / 1e6,
        "CPU s/GB": cpu_s / payload_bytes * 1e9,
        CLIENT_BUSY: client_cpu_s / elapsed_s,
    }


def _cpu(spec: dict[str, Any]) -> float:
    return sum(map(cpu_seconds, spec["pids"]))


KINDS = {"cluster_produce": run_raw, "cluster_librdkafka": run_librdkafka}


def main() -> None:
    spec = json.loads(sys.argv[1])
    json.dump(KINDS[spec["kind"]](spec, **spec["parameters"]), sys.stdout)


if __name__ == "__main__":
    main()

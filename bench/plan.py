"""What is measured: every load with its parameters, every figure with its unit and its good direction. Read this first.

Batches of 16 KiB are the Java producer's default `batch.size`; those of 1 MB are librdkafka's limit. Sizes count
payload (record values, uncompressed), so a compressed row shows what an application sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

SIZES = {"100 B": 100, "1 KB": 1024, "10 KB": 10 * 1024}
BATCH_SIZE_BYTES = 16 * 1024
LARGE_BATCH_SIZE_BYTES = 1_000_000
PARTITIONS = 4
RESTART_PARTITIONS = 1_000  # of each topic

CLIENT_BUSY = "client busy"  # beside the figures: the share of a core that the load client used itself

GROUPS = (
    "produce",
    "consume",
    "rate",
    "latency",
    "transactions",
    "tls",
    "start",
    "memory",
    "restart",
    "cluster",
    "spark",
    "ksql",
    "console",
)
# None: of the circumstances, neither good nor bad.
HIGHER_IS_BETTER: dict[str, bool | None] = {
    "MB/s": True,
    "req/s": True,
    "txn/s": True,
    "rows/s": True,
    "x": True,
    "ms": False,
    "s": False,
    "MB": False,
    "KB": False,
    "%": True,
    "% lost": False,
    "CPU ms": False,
    "CPU s": False,
    "CPU s/GB": False,
    "CPU us/req": False,
    "CPU s/M rows": False,
    "CPU s/M keys": False,
    "load": None,
    "cores": None,
}


@dataclass(frozen=True, slots=True)
class Load:
    """One run of a load client. `kind` names the function in `bench.load`, which gives a value for each unit."""

    group: str
    name: str
    kind: str
    parameters: dict[str, Any] = field(default_factory=dict)
    quick: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """What a sample is of: the load's name, perhaps a qualifier (`p99`), and a unit."""

    group: str
    name: str
    unit: str

    @property
    def higher_is_better(self) -> bool | None:
        return HIGHER_IS_BETTER[self.unit]


def loads() -> Iterator[Load]:
    yield from _produce_loads()
    yield from _consume_loads()
    yield from _rate_loads()
    yield from _transaction_loads()
    yield from _tls_loads()
    latency = {"rate": 1_000, "size_bytes": 100}
    yield Load("latency", "end to end, 1,000 msg/s", "latency", latency, quick=True)


def _produce_loads() -> Iterator[Load]:
    for size, size_bytes in SIZES.items():
        for acks in (1, -1):
            for codec in ("none", "lz4"):
                name = f"produce {size}, acks={'all' if acks < 0 else acks}, {codec}"
                quick = size == "1 KB" and acks == 1
                yield Load("produce", name, "produce", _batched(size_bytes, codec) | {"acks": acks}, quick)
    for codec in ("none", "lz4"):
        large = _batched(1024, codec, LARGE_BATCH_SIZE_BYTES) | {"acks": 1}
        yield Load("produce", f"produce 1 KB, acks=1, {codec}, 1 MB batches", "produce", large)
    for size, codec in (("100 B", "none"), ("1 KB", "none"), ("1 KB", "lz4")):
        parameters = {"size_bytes": SIZES[size], "codec": codec, "acks": "1"}
        yield Load("produce", f"librdkafka produce {size}, acks=1, {codec}", "librdkafka_produce", parameters)


def _consume_loads() -> Iterator[Load]:
    for size, size_bytes in SIZES.items():
        for codec in ("none", "lz4"):
            quick = size == "1 KB" and codec == "none"
            yield Load("consume", f"consume {size}, {codec}", "consume", _batched(size_bytes, codec), quick)
    for size in ("100 B", "1 KB"):
        parameters = _batched(SIZES[size], "none")
        yield Load("consume", f"librdkafka consume {size}, none, over and over", "librdkafka_consume", parameters)
        yield Load("consume", f"librdkafka consume {size}, none, start to end", "librdkafka_consume_once", parameters)


def _rate_loads() -> Iterator[Load]:
    many = {"size_bytes": 100, "connections": 16, "window": 16}
    yield Load("rate", "one message a request, 16 connections x 16 in flight", "request_rate", many, quick=True)
    alone = {"size_bytes": 100}
    yield Load("rate", "one message a request, 1 in flight", "request_rate_alone", alone, quick=True)
    for in_flight in (1_000, 1):
        parameters = {"size_bytes": 100, "in_flight": in_flight}
        name = f"librdkafka one message a request, {in_flight:,} in flight"
        yield Load("rate", name, "librdkafka_request_rate", parameters)


def _transaction_loads() -> Iterator[Load]:
    for size in ("100 B", "1 KB"):
        parameters = {"size_bytes": SIZES[size], "commit_interval_ms": 100}
        name = f"librdkafka transactions of 100 ms, {size}"
        yield Load("transactions", name, "librdkafka_transactions", parameters, quick=size == "1 KB")
    # As fast as they can be: what a transaction costs by itself.
    yield Load(
        "transactions", "librdkafka transactions of one message", "librdkafka_transaction_rate", {"size_bytes": 1024}
    )


def _tls_loads() -> Iterator[Load]:
    for size in ("100 B", "1 KB"):
        produced = {"size_bytes": SIZES[size], "codec": "none", "acks": "1", "is_encrypted": True}
        quick = size == "1 KB"
        yield Load("tls", f"librdkafka produce {size} over TLS, acks=1", "librdkafka_produce", produced, quick)
        consumed = _batched(SIZES[size], "none") | {"is_encrypted": True}
        yield Load("tls", f"librdkafka consume {size} over TLS", "librdkafka_consume", consumed, quick)


def cluster_loads() -> Iterator[Load]:
    """Replicated writes: acks=all with three replicas. Run by `bench.cluster`, which knows where the leaders are."""
    for size, size_bytes in SIZES.items():
        for codec in ("none", "lz4"):
            name = f"3 replicas, acks=all: produce {size}, {codec}"
            yield Load("cluster", name, "cluster_produce", _batched(size_bytes, codec), quick=size == "1 KB")
    for codec in ("none", "lz4"):
        name = f"3 replicas, acks=all: librdkafka produce 1 KB, {codec}"
        yield Load("cluster", name, "cluster_librdkafka", {"size_bytes": 1024, "codec": codec}, quick=codec == "none")


def _batched(size_bytes: int, codec: str, batch_size_bytes: int = BATCH_SIZE_BYTES) -> dict[str, Any]:
    records = max(batch_size_bytes // (size_bytes + 10), 1)  # about 10 bytes of framing a record
    return {"size_bytes": size_bytes, "records": records, "codec": codec}

"""What is measured of Spark: every case with its kind and its sizes, in the order in which each session runs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from support.official_connector import ARTIFACTS

GROUP = "spark"
OFFICIAL = f"Spark's connector {ARTIFACTS[0][2]}"
RIACHO_ONLY, BOTH = "riacho", "both"
PARTITIONS = 4

METHOD = """\
The source and the sink of the format `riacho` beside Spark's own Kafka connector, which runs in the JVM: same broker
process, same topics, same session settings, default JVM flags.

- A session is a process of its own for each connector and number of cores. Both sessions of a number of cores are up
  together; a case runs once in each unmeasured, then turn by turn, the order changing from round to round.
- Topics have four partitions of batches of 16 KiB, records with keys; values of one size, but for the row that says
  otherwise. The window is five minutes of the records' time by key; there are a thousand keys and an hour.
- Batch jobs are timed from outside. The rate of a streaming query (AvailableNow, one micro-batch) is rows over
  `triggerExecution`; what it takes before and after, mostly starting to plan, has a row of its own.
- Sinks write rows that Spark makes up, with each connector's default producer settings, acks=all. The official one has
  no exactly-once: the row compares ours with its at-least-once.
- Formats convert records of eight fields with a schema in a registry, from the session's memory to noop. Beside them
  stands what does the same in Python's workers without Riacho, fastavro and Google's Protobuf in `mapInArrow`, and for
  JSON Spark's own functions in the JVM, which know of no registry.
- Latency is `triggerExecution` of micro-batches that find a few new records each, one partition, no trigger interval.
- Processor time is that of the session's process tree: the JVM, the Python driver, and Python's workers, of which the
  official connector needs none (Spark starts one all the same, to look for formats); the broker's is not in it.
- How busy the machine was by itself: the load before each run, and cores that others used meanwhile.
"""


@dataclass(frozen=True, slots=True)
class Scale:
    rounds: int = 3
    rows: dict[str, int] = field(default_factory=lambda: {"100 B": 1_200_000, "1 KB": 320_000, "50-150 B": 1_200_000})
    format_rows: int = 400_000
    latency_batches: int = 40
    latency_warm_up: int = 10
    quick: bool = False


QUICK = Scale(
    rounds=1,
    rows={"100 B": 800_000, "1 KB": 160_000, "50-150 B": 800_000},
    format_rows=200_000,
    latency_batches=20,
    latency_warm_up=5,
    quick=True,
)


@dataclass(frozen=True, slots=True)
class Case:
    """`kind` names the function in `bench.spark_jobs`; `beside` is a case of the official connector to compare with."""

    name: str
    kind: str
    size: str = "100 B"
    parameters: dict[str, Any] = field(default_factory=dict)
    cores: tuple[int, ...] = (2,)
    connectors: str = BOTH
    quick: bool = False
    shows_memory: bool = False
    beside: str | None = None


def cases() -> Iterator[Case]:
    yield from _sources()
    yield from _sinks()
    for what in ("Avro", "Protobuf", "JSON Schema"):
        for way in ("decode", "encode"):
            yield Case(f"{what}, {way}", f"format_{way}", parameters={"what": what}, quick=True)
    yield Case("latency, source to noop", "latency", quick=True)
    yield Case("latency, source to sink of the same format", "latency", parameters={"into": "sink"}, quick=True)


def _sources() -> Iterator[Case]:
    yield Case("source 50-150 B, batch to noop", "source_batch", "50-150 B", {"into": "noop"}, quick=True)
    for size in ("100 B", "1 KB"):
        for how in ("batch", "stream"):
            for into in ("noop", "Parquet", "window"):
                yield Case(
                    f"source {size}, {how} to {into}",
                    f"source_{how}",
                    size,
                    {"into": into},
                    cores=(2, 1) if into == "noop" or (into == "window" and how == "batch") else (2,),
                    quick=into == "noop" or (size == "100 B" and how == "stream"),
                    shows_memory=size == "1 KB" and how == "stream" and into == "noop",
                )


def _sinks() -> Iterator[Case]:
    for size in ("100 B", "1 KB"):
        yield Case(f"sink {size}, batch", "sink_batch", size)
        plain = f"sink {size}, stream, at-least-once"
        yield Case(plain, "sink_stream", size, {"delivery": "at-least-once"}, cores=(2, 1), quick=True)
        yield Case(
            f"sink {size}, stream, exactly-once",
            "sink_stream",
            size,
            {"delivery": "exactly-once"},
            cores=(2, 1),
            connectors=RIACHO_ONLY,
            quick=True,
            beside=plain,
        )

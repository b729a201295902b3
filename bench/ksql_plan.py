"""What is measured of KSQL: sizes, statements, and what stands beside them."""

from __future__ import annotations

from dataclasses import dataclass

from bench.spark_plan import OFFICIAL

GROUP = "ksql"
BESIDE = OFFICIAL
PARTITIONS = 4
CORES = 2
TRIGGER_MS = 200  # how often both look for new records
MAX_OFFSETS_PER_TRIGGER = 100_000  # as a statement has it
LATENCY_RATE = 20
PULL_RATE = 200
PULL_CONNECTIONS = 64
PULL_GOAL_MS = 20

METHOD = f"""\
The KSQL server, and beside it the same job written by hand with Spark's own Kafka connector, which runs in the JVM:
same broker process, both with `local[{CORES}]`, a look for new records every {TRIGGER_MS} ms, at most
{MAX_OFFSETS_PER_TRIGGER:,} records a micro-batch, default JVM flags. Rows without a second figure have no such peer:
they are figures of this machine, no claims.

- Records have a key and JSON of four fields, about 100 bytes, in {PARTITIONS} partitions. The stateless statement keeps
  those with an amount, and writes a number doubled and a word in capitals as JSON; the aggregating one counts and sums
  by key.
- KSQL writes exactly once; Spark's connector writes at least once, and its aggregation is Spark's own in update mode,
  with the state store that Spark has by default.
- Statement to first row: from asking until a consumer that waits has the first record of the result, of records that
  were there before. Cold: the server is up and Spark is not; beside it, a Python process that starts Spark and the job.
  Warm: the next statements, one after the other.
- Memory is PSS of all processes, the server's included, after the first and after the fifth statement of a fresh start.
- End to end: {LATENCY_RATE} records a second, from when one is due until its row is there: over HTTP for push queries,
  in the result's topic for statements.
- Pull queries ask by key over kept-alive connections, {PULL_RATE} a second at even intervals, other keys each time,
  while a statement changes the table they ask; latency counts from when a request was due, whether or not a connection
  was free. Goal: p99 under {PULL_GOAL_MS} ms.
- Processor time is that of Spark's process tree (the JVM, its Python driver and workers) without the broker, from
  writing a backlog to a warm statement's topic until the last row of its result is there. Of an aggregation every
  record has another key, which was there before: a record is a changed key. What the server itself needs to keep the
  rows for pull queries has a row of its own.
- How busy the machine was by itself: the load before each measurement, and cores that others used meanwhile.
"""


@dataclass(frozen=True, slots=True)
class Scale:
    rounds: int = 3
    statements: int = 5
    rows: int = 300_000
    keys: int = 60_000
    warm_ups: int = 2
    latency_warm_up_s: float = 8.0
    latency_s: float = 12.0
    pull_warm_up_s: float = 4.0
    pull_s: float = 12.0


QUICK = Scale(
    rounds=1,
    rows=100_000,
    keys=20_000,
    warm_ups=1,
    latency_warm_up_s=5.0,
    latency_s=5.0,
    pull_warm_up_s=2.0,
    pull_s=5.0,
)


def stream_of(name: str, topic: str) -> str:
    return (
        f"CREATE STREAM {name} (account VARCHAR KEY, id BIGINT, kind VARCHAR, cents BIGINT, note VARCHAR) "
        f"WITH (kafka_topic='{topic}', value_format='JSON');"
    )


def stateless(name: str, source: str, topic: str) -> str:
    return (
        f"CREATE STREAM {name} WITH (kafka_topic='{topic}') AS SELECT account, id, UCASE(kind) AS kind, "
        f"cents * 2 AS doubled FROM {source} WHERE cents >= 0 EMIT CHANGES;"
    )


def aggregating(name: str, source: str, topic: str) -> str:
    return (
        f"CREATE TABLE {name} WITH (kafka_topic='{topic}') AS SELECT account, COUNT(*) AS number, SUM(cents) AS total "
        f"FROM {source} GROUP BY account EMIT CHANGES;"
    )

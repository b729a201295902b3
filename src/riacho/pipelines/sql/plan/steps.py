"""What a statement does with records, as values: the steps of its pipeline, between the topics it reads and writes.

    Decode -> Project* -> [Task -> Project*]* -> Encode
    Decode -> Project* -> Aggregate -> Project* -> Encode

Everything in a Project is Spark SQL text over the columns of the frame before it, so that a plan can be shown, sent to
Spark's driver as JSON, and compared. Frames have these columns, all others being the business of neighbouring steps:

after Decode (one row a record)
    k STRING        row JSON of the key columns, null for a null key
    v STRING        row JSON of the value columns, null for a null value
    ts BIGINT       the record's time, from its TIMESTAMP column where the source names one
    part INT, off BIGINT
    headers ARRAY<STRUCT<key STRING, value BINARY>>, never null
    ws BIGINT, we BIGINT    bounds of a windowed key, else null
    seq BIGINT      the order of records in this batch

before a Task
    side STRING     which input of the task ("" where there is one)
    key STRING      row JSON of what the task groups by; null where a row has none: the task drops and counts it
    row STRING      row JSON of what the task needs; null for a tombstone of a table
    undo STRING     for a task over a table's changes: what is taken back from `key`, else null. `row` is null then, or
                    what is added to the same key in the same change (KIP-904)
    ts, part, off, seq, ws, we    as above

after a Task
    key, ws, we     the group, and its window where there is one
    old STRING, new STRING    row JSON of the result before and after; null for none (no row, or a tombstone)
    ts BIGINT, seq BIGINT

before an Aggregate
    key STRING      as before a Task
    left_out STRING row JSON of what is aggregated where key is null: such a row is dropped and counted; else null
    ts, and the arguments of its columns

after an Aggregate
    key STRING, ts BIGINT, and its other columns

before Encode
    k STRING, v STRING      row JSON of the key and value columns; null for a null key, a tombstone
    ts BIGINT, headers, ws, we, seq
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from riacho.pipelines.sql.formats.codec import CodecSpec
from riacho.pipelines.tasks.spec import AggregateSpec, TaskSpec


@dataclass(frozen=True, slots=True)
class Decode:
    """`timestamp` is the value or key column that time is taken from, with its format where it is text."""

    source: str
    topic: str
    kind: str
    """STREAM or TABLE."""
    key: CodecSpec
    value: CodecSpec
    timestamp: str | None = None
    timestamp_type: str | None = None
    timestamp_format: str | None = None
    strict_time: bool = False
    """A record without a time there ends the query (ksql.timestamp.throw.on.invalid), else it is left out."""

    @property
    def name(self) -> str:
        return self.source

    def __str__(self) -> str:
        return f"{self.key.format} key, {self.value.format} value"


@dataclass(frozen=True, slots=True)
class Project:
    """`columns` are (name, Spark SQL expression); a generator such as explode may stand among them. `where` keeps the
    rows for which it is true."""

    name: str
    columns: tuple[tuple[str, str], ...]
    where: str | None = None

    kind = "project"

    def __str__(self) -> str:
        return self.name

    def sql(self, frame: str) -> str:
        """`frame` is a table's name or a query in parentheses."""
        listed = ", ".join(f"{expression} AS `{name}`" for name, expression in self.columns)
        filtered = f" WHERE {self.where}" if self.where else ""
        return f"SELECT {listed} FROM {frame}{filtered}"


@dataclass(frozen=True, slots=True)
class Task:
    """`reason` is why it is not an Aggregate, in a few words; empty where that was no question."""

    spec: TaskSpec
    reason: str = ""

    kind = "task"

    @property
    def name(self) -> str:
        return self.spec.kind

    def __str__(self) -> str:
        return self.spec.kind


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Groups in Spark's own state, where their results are those of a task (`native_aggregation.py`). `columns` are
    (name, Spark SQL aggregate) in the order of the state that they are kept in; `aggregates` are what they are for."""

    aggregates: tuple[AggregateSpec, ...]
    columns: tuple[tuple[str, str], ...]

    kind = "aggregate"
    name = "aggregate"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Encode:
    """`timestamp`: the sink's TIMESTAMP property; the value column that gives the record's time."""

    sink: str
    topic: str
    kind: str
    key: CodecSpec
    value: CodecSpec
    timestamp: str | None = None
    timestamp_type: str | None = None
    timestamp_format: str | None = None

    @property
    def name(self) -> str:
        return self.sink

    def __str__(self) -> str:
        return f"{self.key.format} key, {self.value.format} value"


Step = Project | Task | Aggregate
SqlStep = Decode | Step | Encode


@dataclass(frozen=True, slots=True)
class StatementPlan:
    """One statement's query. `properties` are those it was made with (auto.offset.reset, cache.max.bytes.buffering,
    processing.guarantee ...). `functions` are the Python functions that its projections call by name."""

    query_id: str
    statement: str
    reads: tuple[Decode, ...]
    steps: tuple[Step, ...]
    write: Encode
    reset: str
    """Where reading begins without a checkpoint: earliest or latest."""
    properties: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[str, ...] = ()

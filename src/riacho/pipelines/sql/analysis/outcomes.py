"""What a statement comes to: a value for each kind of outcome, that the server or the test runner carries out.

`changes` are for `Catalogue.apply`; `message` is the sentence of success, as ksqlDB has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from riacho.pipelines.sql.analysis.analysed import Aggregation, ResultColumn
from riacho.pipelines.sql.catalogue.changes import Change
from riacho.pipelines.sql.catalogue.queries import PersistentQuery
from riacho.pipelines.sql.catalogue.sources import DataSource, LogicalSchema
from riacho.pipelines.sql.plan.steps import StatementPlan
from riacho.pipelines.sql.syntax.expressions import Expression
from riacho.pipelines.sql.syntax.statements import Ordering, Statement
from riacho.pipelines.sql.types import SqlType


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    changes: tuple[Change, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class TopicToCreate:
    """To be made unless it is there; `config` by Kafka's names (cleanup.policy, retention.ms)."""

    name: str
    partitions: int
    replicas: int
    config: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceOutcome(_Outcome):
    """CREATE STREAM | TABLE, ALTER. `topic` is None where it exists and stays as it is."""

    source: DataSource
    topic: TopicToCreate | None = None


@dataclass(frozen=True, slots=True)
class QueryOutcome(_Outcome):
    """CREATE ... AS SELECT and INSERT INTO ... SELECT. `topic` is None for an insert."""

    query: PersistentQuery
    sink: DataSource
    topic: TopicToCreate | None = None
    replaces: str | None = None

    @property
    def plan(self) -> StatementPlan:
        return self.query.plan


@dataclass(frozen=True, slots=True)
class RowOutcome(_Outcome):
    """INSERT INTO ... VALUES and DELETE FROM: a record for the source's topic, as rows of `row_json.py`'s form. `key`
    is None for a null key, `value` for a tombstone, `timestamp_ms` for now."""

    source: DataSource
    key: Mapping[str, Any] | None
    value: Mapping[str, Any] | None
    timestamp_ms: int | None = None


@dataclass(frozen=True, slots=True)
class DropOutcome(_Outcome):
    """`source` is None where IF EXISTS found none. `delete_topic`: its topic and subjects go too."""

    source: DataSource | None
    delete_topic: bool = False
    terminated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CatalogueOutcome(_Outcome):
    """Types, and queries that are terminated, paused or resumed: `query_ids` are those that it concerns."""

    query_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NothingOutcome(_Outcome):
    """IF NOT EXISTS of what exists."""


@dataclass(frozen=True, slots=True)
class PushOutcome(_Outcome):
    """SELECT ... EMIT CHANGES. Rows are the frame before Encode: `v` has all columns of `schema` in their order."""

    plan: StatementPlan
    schema: LogicalSchema
    source: DataSource
    limit: int | None = None
    is_simple: bool = False
    """Column references and literals only: a server can tail the topic itself."""
    columns: tuple[Expression, ...] = ()
    """Of a simple one: the source's column of each column of `schema`."""
    where: Expression | None = None
    key_columns: tuple[str | None, ...] = ()
    """For each column of `schema` the one of the result's key, or the window's bound, that it shows; else None."""


@dataclass(frozen=True, slots=True)
class SelectedValue:
    name: str
    expression: Expression
    type: SqlType


@dataclass(frozen=True, slots=True)
class WindowBounds:
    """Inclusive bounds in milliseconds; None where there is none."""

    start_min: int | None = None
    start_max: int | None = None
    end_min: int | None = None
    end_max: int | None = None


@dataclass(frozen=True, slots=True)
class PullOutcome(_Outcome):
    """A SELECT without EMIT. `keys` are the keys asked for, by column, None for a scan; `where` is the whole condition,
    to be held against every row that is found."""

    source: DataSource
    select: tuple[SelectedValue, ...]
    where: Expression | None
    keys: tuple[Mapping[str, Any], ...] | None
    bounds: WindowBounds
    order_by: tuple[Ordering, ...] = ()
    limit: int | None = None
    group_by: tuple[ResultColumn, ...] = ()
    aggregation: Aggregation | None = None
    """With it rows are grouped by `group_by` (all of them are one group where that is empty), and `select` is over the
    groups' names and the aggregates' (`AggregateCall.spec.name`), as `aggregation.having` is."""


@dataclass(frozen=True, slots=True)
class OtherOutcome(_Outcome):
    """Statements that ask, or concern a session, connectors or a script: nothing is analysed, others carry them out."""

    statement: Statement


Outcome: TypeAlias = (
    SourceOutcome
    | QueryOutcome
    | RowOutcome
    | DropOutcome
    | CatalogueOutcome
    | NothingOutcome
    | PushOutcome
    | PullOutcome
    | OtherOutcome
)

"""What analysis knows of a query: names resolved, keys and columns of the result found, rules checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from riacho.pipelines.sql.analysis.names import NamedSource
from riacho.pipelines.sql.catalogue.sources import DataSource, WindowInfo
from riacho.pipelines.sql.syntax.expressions import Expression, FunctionCall
from riacho.pipelines.sql.syntax.statements import Emit, Kind
from riacho.pipelines.sql.types import SqlType
from riacho.pipelines.tasks.spec import AggregateSpec, WindowSpec


class Rekeying(Enum):
    """What a query does to the key of its source."""

    NONE = ""
    PARTITION_BY = "PARTITION BY"
    GROUP_BY = "GROUP BY"


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """`expression` is over the source's columns; of an aggregation's values over its keys' names, its aggregates' names
    and the window's bounds."""

    name: str
    expression: Expression
    type: SqlType


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """An aggregate with the expressions of its column arguments, over the source's columns."""

    spec: AggregateSpec
    arguments: tuple[ResultColumn, ...]
    result_type: SqlType


@dataclass(frozen=True, slots=True)
class Aggregation:
    """`having` is over the same names as the values."""

    calls: tuple[AggregateCall, ...]
    having: Expression | None = None
    window: WindowSpec | None = None


@dataclass(frozen=True, slots=True)
class TableFunction:
    """A call whose elements become rows, under the name by which select expressions mean the element."""

    name: str
    call: FunctionCall
    type: SqlType


@dataclass(frozen=True, slots=True)
class AnalysedQuery:
    """`keys` and `values` are the columns of the result, `order` all their names as the select list has them."""

    sources: tuple[NamedSource, ...]
    kind: Kind
    rekeying: Rekeying
    keys: tuple[ResultColumn, ...]
    values: tuple[ResultColumn, ...]
    order: tuple[str, ...]
    where: Expression | None = None
    aggregation: Aggregation | None = None
    table_functions: tuple[TableFunction, ...] = ()
    window: WindowInfo | None = None
    emit: Emit = Emit.CHANGES
    limit: int | None = None

    @property
    def source(self) -> DataSource:
        """The left one, whose formats and partitions a sink inherits."""
        return self.sources[0].source

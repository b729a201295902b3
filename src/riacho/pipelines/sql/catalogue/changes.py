"""What statements do to the catalogue, as records: `Catalogue.apply` is their only reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from riacho.pipelines.sql.catalogue.queries import PersistentQuery, QueryState
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.types import SqlType


@dataclass(frozen=True, slots=True)
class SourceDefined:
    """A stream or table, new or in the place of the one with its name. `reads` are what it was made from, which cannot
    be dropped before it, even when its query is gone."""

    source: DataSource
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceRemoved:
    name: str


@dataclass(frozen=True, slots=True)
class TypeDefined:
    name: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class TypeRemoved:
    name: str


@dataclass(frozen=True, slots=True)
class QueryStarted:
    """`replaces` is the id of the query whose place, position and state it takes."""

    query: PersistentQuery
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class QueryTerminated:
    query_id: str


@dataclass(frozen=True, slots=True)
class QueryStateSet:
    query_id: str
    state: QueryState


Change: TypeAlias = (
    SourceDefined | SourceRemoved | TypeDefined | TypeRemoved | QueryStarted | QueryTerminated | QueryStateSet
)

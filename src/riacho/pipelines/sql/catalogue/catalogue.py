"""All streams, tables, types and persistent queries: an immutable value, and how a change makes the next one.

Statements are decided against a catalogue (`analysis/statements.py`) and give changes; `apply` is the only way from one
catalogue to the next, live and when the command topic is replayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar, assert_never

from riacho.pipelines.sql.catalogue.changes import (
    Change,
    QueryStarted,
    QueryStateSet,
    QueryTerminated,
    SourceDefined,
    SourceRemoved,
    TypeDefined,
    TypeRemoved,
)
from riacho.pipelines.sql.catalogue.queries import PersistentQuery, QueryType
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.types import SqlType

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`derived` says of a stream or table made by AS SELECT which sources it was made from."""

    sources: Mapping[str, DataSource] = field(default_factory=dict)
    types: Mapping[str, SqlType] = field(default_factory=dict)
    queries: Mapping[str, PersistentQuery] = field(default_factory=dict)
    derived: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def find(self, name: str) -> DataSource | None:
        return self.sources.get(name)

    def source(self, name: str) -> DataSource:
        """KsqlError where there is none."""
        found = self.sources.get(name)
        if found is None:
            raise KsqlError(f"{name} does not exist.{self._hint(name)}")
        return found

    def _hint(self, name: str) -> str:
        """Names are case-sensitive once quoted, which is what people trip over."""
        similar = [known for known in self.sources if known.upper() == name.upper()]
        if not similar:
            return ""
        quote = '"' if similar[0] != similar[0].upper() else ""
        hint = " Hint: wrap the source name in double quotes to make it case-sensitive." if quote else ""
        return f"\nDid you mean {quote}{similar[0]}{quote}?{hint}"

    def readers(self, name: str) -> tuple[str, ...]:
        """Ids of the queries that read a source, in the order of their starting."""
        return tuple(query.query_id for query in self.queries.values() if name in query.reads)

    def writers(self, name: str) -> tuple[str, ...]:
        return tuple(query.query_id for query in self.queries.values() if query.sink == name)

    def creating_query(self, name: str) -> PersistentQuery | None:
        """The query that AS SELECT started together with a stream or table."""
        return next(
            (each for each in self.queries.values() if each.sink == name and each.type is not QueryType.INSERT), None
        )

    def derived_from(self, name: str) -> tuple[str, ...]:
        """Streams and tables that were made from this one by AS SELECT."""
        return tuple(sorted(derived for derived, reads in self.derived.items() if name in reads))

    def apply(self, change: Change) -> Catalogue:
        match change:
            case SourceDefined(source, reads):
                return replace(
                    self,
                    sources=_with(self.sources, source.name, source),
                    derived=_with(self.derived, source.name, reads) if reads else self.derived,
                )
            case SourceRemoved(name):
                return replace(self, sources=_without(self.sources, name), derived=_without(self.derived, name))
            case TypeDefined(name, kind):
                return replace(self, types=_with(self.types, name, kind))
            case TypeRemoved(name):
                return replace(self, types=_without(self.types, name))
            case QueryStarted(query, replaces):
                kept = _without(self.queries, replaces) if replaces is not None else self.queries
                return replace(self, queries=_with(kept, query.query_id, query))
            case QueryTerminated(query_id):
                return replace(self, queries=_without(self.queries, query_id))
            case QueryStateSet(query_id, state):
                known = self.queries.get(query_id)
                if known is None:
                    return self
                return replace(self, queries=_with(self.queries, query_id, replace(known, state=state)))
            case _:
                assert_never(change)

    def apply_all(self, changes: Iterable[Change]) -> Catalogue:
        catalogue = self
        for change in changes:
            catalogue = catalogue.apply(change)
        return catalogue


def _with(values: Mapping[str, _T], name: str, value: _T) -> Mapping[str, _T]:
    return {**values, name: value}


def _without(values: Mapping[str, _T], name: str) -> Mapping[str, _T]:
    return {key: value for key, value in values.items() if key != name}

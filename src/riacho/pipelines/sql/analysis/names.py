"""What names mean in a query: columns of its sources, pseudo-columns, and where a name stands that means nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from riacho.pipelines.sql.analysis.source_columns import PSEUDO_COLUMNS, WINDOW_BOUNDS, place
from riacho.pipelines.sql.analysis.syntax_walk import rewrite
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.scope import Resolved
from riacho.pipelines.sql.syntax.expressions import Column, Expression
from riacho.pipelines.sql.types import BIGINT, INTEGER, SqlType, quoted

PSEUDO_TYPES: Mapping[str, SqlType] = {
    "ROWTIME": BIGINT,
    "ROWPARTITION": INTEGER,
    "ROWOFFSET": BIGINT,
    "WINDOWSTART": BIGINT,
    "WINDOWEND": BIGINT,
}


def window_bounds_refusal(name: str) -> KsqlError:
    """Bounds of the window that a query makes are known of its results only."""
    return KsqlError(
        f"Window bounds column {name} can only be used in the SELECT clause of windowed aggregations and can not be "
        "passed to aggregate functions.\nSee https://github.com/confluentinc/ksql/issues/4397"
    )


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source of a query with the name by which its columns can be qualified."""

    alias: str
    source: DataSource

    def type_of(self, name: str) -> SqlType | None:
        column = self.source.schema.find(name)
        if column is not None:
            return column.type
        if name in PSEUDO_COLUMNS or (name in WINDOW_BOUNDS and self.source.window is not None):
            return PSEUDO_TYPES[name]
        return None


@dataclass(frozen=True, slots=True)
class Names:
    """The sources of a query. Once resolved, a column of the only source is not qualified; with several (joins) it
    would be. `makes_windows`: the query itself has a WINDOW clause, whose bounds its select list may name."""

    sources: tuple[NamedSource, ...]
    makes_windows: bool = False

    def resolve(self, expression: Expression, clause: str) -> Expression:
        """The expression with every column checked and without its qualifier."""

        def change(node: Expression) -> Expression | None:
            return self._column(node, clause) if isinstance(node, Column) else None

        return rewrite(expression, change)

    def _column(self, column: Column, clause: str) -> Column:
        shown = column.name if column.source is None else f"{column.source}.{column.name}"
        start = f"{place(column.at)}{clause} column '{shown}'"
        candidates = [each for each in self.sources if column.source in (None, each.alias)]
        if not candidates:
            raise KsqlError(f"{place(column.at)}'{column.source}' is not a valid stream/table name or alias.")
        found = [each for each in candidates if each.type_of(column.name) is not None]
        if len(found) > 1:
            options = ", ".join(f"{each.alias}.{column.name}" for each in found)
            raise KsqlError(f"{start} is ambiguous. Could be any of: {options}")
        if not found:
            if column.name in WINDOW_BOUNDS and self.makes_windows:
                if clause != "SELECT":
                    raise window_bounds_refusal(column.name)
                return Column(column.name, at=column.at)
            raise KsqlError(f"{start} cannot be resolved.{self._similar(column.name)}")
        return Column(column.name, at=column.at)

    def _similar(self, name: str) -> str:
        for each in self.sources:
            for column in each.source.schema:
                if column.name.upper() == name.upper():
                    return f"\nDid you mean {quoted(column.name)}? Hint: quote the name to make it case-sensitive."
        return ""

    def types(self) -> Mapping[str, SqlType]:
        """Of every column that can be named."""
        found: dict[str, SqlType] = {}
        for each in self.sources:
            found.update({column.name: column.type for column in each.source.schema})
            for name, kind in PSEUDO_TYPES.items():
                if each.type_of(name) is not None or (self.makes_windows and name in WINDOW_BOUNDS):
                    found[name] = kind
        return found


@dataclass(frozen=True, slots=True)
class TypesScope:
    """A scope that knows types only: what analysis compiles expressions with to learn theirs."""

    types: Mapping[str, SqlType]

    def resolve(self, column: Column) -> Resolved:
        kind = self.types.get(column.name)
        if kind is None:
            raise KsqlError(f"{place(column.at)}column '{column.name}' cannot be resolved.")
        return Resolved(quoted(column.name), kind)

"""Names of columns that a select list does not name: the column's own, a struct's field, or KSQL_COL_n."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.pipelines.sql.syntax.expressions import Column, Dereference, Expression


class AliasGenerator:
    """Gives each name once, and none that a source has."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next = 0

    def column(self) -> str:
        """KSQL_COL_0, KSQL_COL_1 ..."""
        while True:
            name = f"KSQL_COL_{self._next}"
            self._next += 1
            if name not in self._taken:
                return name

    def alias(self, expression: Expression) -> str:
        match expression:
            case Column(name):
                return name
            case Dereference(_, field):
                return self._unique(field)
            case _:
                return self.column()

    def _unique(self, name: str) -> str:
        """A field's name, or with _1, _2 ... behind it where a column has that name already."""
        candidate, count = name, 0
        while candidate in self._taken:
            count += 1
            candidate = f"{name}_{count}"
        self._taken.add(candidate)
        return candidate

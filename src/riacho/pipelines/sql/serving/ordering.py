"""ORDER BY of pull queries, which ksqlDB has not: by columns of the source or of the result; nulls come first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from riacho.pipelines.sql.analysis.outcomes import SelectedValue
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.expressions import Column as ColumnReference
from riacho.pipelines.sql.syntax.statements import Ordering
from riacho.pipelines.sql.types import Array, Map, SqlType, Struct
from riacho.pipelines.sql.types import Decimal as DecimalType

_ORDER = "order by "


class Order:
    """`select` is the select list with the columns behind it by which rows are ordered."""

    def __init__(
        self, orderings: Sequence[Ordering], select: Sequence[SelectedValue], types: Mapping[str, SqlType]
    ) -> None:
        self.select = list(select)
        self._width = len(select)
        self._keys: list[tuple[Callable[[list[Any]], Any], bool]] = []
        for number, ordering in enumerate(orderings):
            place = self._place(ordering, number, types)
            kind = self.select[place].type
            if isinstance(kind, Array | Map | Struct):
                raise KsqlError(f"ORDER BY cannot be done by values of the type {kind}.")
            self._keys.append((_sort_key(place, kind), ordering.is_descending))

    def ordered(self, rows: list[list[Any]]) -> list[list[Any]]:
        """In order, without the columns that are not in the result."""
        for key, is_descending in reversed(self._keys):
            rows.sort(key=key, reverse=is_descending)
        return rows if self._width == len(self.select) else [row[: self._width] for row in rows]

    def _place(self, ordering: Ordering, number: int, types: Mapping[str, SqlType]) -> int:
        expression = ordering.expression
        for place, each in enumerate(self.select[: self._width]):
            is_named = isinstance(expression, ColumnReference) and expression.name == each.name
            if is_named or expression == each.expression:
                return place
        if not isinstance(expression, ColumnReference) or expression.name not in types:
            raise KsqlError("ORDER BY takes columns of the source and of the select list.")
        self.select.append(SelectedValue(f"{_ORDER}{number}", ColumnReference(expression.name), types[expression.name]))
        return len(self.select) - 1


def _sort_key(place: int, kind: SqlType) -> Callable[[list[Any]], Any]:
    read: Callable[[Any], Any] = (
        Decimal if isinstance(kind, DecimalType) else _number if str(kind) == "DOUBLE" else _same
    )

    def key(row: list[Any]) -> tuple[int, Any]:
        value = row[place]
        return (0, 0) if value is None else (2, 0) if value == "NaN" and read is _number else (1, read(value))

    return key


def _number(value: float | str) -> float:
    return float(value)


def _same(value: Any) -> Any:
    return value

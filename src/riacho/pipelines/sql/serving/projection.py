"""From rows to values: a select list and a condition over columns, here where that is plain, else by Spark."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from riacho.pipelines.sql.analysis.outcomes import SelectedValue
from riacho.pipelines.sql.serving.conditions import Condition, HasColumns, NotPlain, condition_of
from riacho.pipelines.sql.syntax.expressions import Column as ColumnReference
from riacho.pipelines.sql.syntax.expressions import Expression
from riacho.pipelines.sql.types import Field, SqlType

# What Spark is given at once; a row is weighed by its text.
_ROWS_AT_ONCE = 1_000
# What is looked at without a thread.
_ROWS_HERE = 20
T = TypeVar("T")

Evaluate = Callable[
    [Sequence[Field], Sequence[HasColumns], Sequence[SelectedValue], Expression | None],
    Awaitable[list[list[Any] | None]],
]
"""By Spark: of each row its values, or None where the condition does not hold. KsqlError."""


class Projection:
    """`types` are the columns that rows have."""

    def __init__(
        self,
        types: Mapping[str, SqlType],
        select: Sequence[SelectedValue],
        where: Expression | None,
        evaluate: Evaluate,
    ) -> None:
        self._fields = [Field(name, kind) for name, kind in types.items()]
        self._select = list(select)
        self._where = where
        self._evaluate = evaluate
        self._names = [each.expression.name for each in select if isinstance(each.expression, ColumnReference)]
        self._condition: Condition | None = None
        try:
            self._condition = condition_of(where, types)
        except NotPlain:
            return

    @property
    def is_plain(self) -> bool:
        return self._condition is not None and len(self._names) == len(self._select)

    def _plain(self, rows: Sequence[HasColumns]) -> list[list[Any]]:
        return [[row.column(name) for name in self._names] for row in self._holding(rows)]

    def _holding(self, rows: Sequence[HasColumns]) -> Sequence[HasColumns]:
        holds = self._condition
        assert holds is not None, "it is plain"
        return [row for row in rows if holds(row)]

    async def values(self, rows: Sequence[HasColumns]) -> list[list[Any]]:
        """Of those rows for which the condition holds, in their order. KsqlError."""
        if self._condition is not None and self.is_plain:
            return await _beside(self._plain, rows)
        holds = self._condition
        if holds is not None:
            # Spark is asked about no more rows than it has to be.
            rows = await _beside(self._holding, rows)
        found: list[list[Any]] = []
        for part in _parts(rows):
            where = self._where if holds is None else None
            answers = await self._evaluate(self._fields, part, self._select, where)
            found.extend(each for each in answers if each is not None)
        return found


async def _beside(work: Callable[[Sequence[HasColumns]], T], rows: Sequence[HasColumns]) -> T:
    """Many rows in a thread: others are answered meanwhile, and a condition may be long."""
    return work(rows) if len(rows) <= _ROWS_HERE else await asyncio.to_thread(work, rows)


def _parts(rows: Sequence[HasColumns]) -> Iterator[Sequence[HasColumns]]:
    for begin in range(0, len(rows), _ROWS_AT_ONCE):
        yield rows[begin : begin + _ROWS_AT_ONCE]

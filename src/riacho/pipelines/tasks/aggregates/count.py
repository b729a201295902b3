"""COUNT(*) and COUNT(column): rows, or rows where the column is not null."""

from __future__ import annotations

from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate


class Count(Aggregate):
    can_undo = True

    def init(self) -> int:
        return 0

    def add(self, state: int, values: list[Any], sequence: int) -> int:
        return state + 1 if not values or values[0] is not None else state

    def undo(self, state: int, values: list[Any]) -> int:
        return state - 1 if not values or values[0] is not None else state

    def merge(self, left: int, right: int) -> int:
        return left + right

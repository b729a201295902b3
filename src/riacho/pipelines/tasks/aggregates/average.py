"""AVG: always a DOUBLE; the sum keeps the argument's type until the end, so a sum of integers wraps. 0.0 of no rows.

State: [sum, count].
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.aggregates.numbers import as_double, double_json
from riacho.pipelines.tasks.aggregates.sum import open_sum
from riacho.pipelines.tasks.spec import AggregateSpec


class Average(Aggregate):
    can_undo = True

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        kind = spec.types[0] if spec.types else "BIGINT"
        summed = kind if kind in ("INTEGER", "BIGINT") else "DOUBLE"
        self._sum = open_sum(replace(spec, result_type=summed))

    def init(self) -> list[Any]:
        return [self._sum.init(), 0]

    def add(self, state: list[Any], values: list[Any], sequence: int) -> list[Any]:
        if values[0] is None:
            return state
        return [self._sum.add(state[0], values, sequence), state[1] + 1]

    def undo(self, state: list[Any], values: list[Any]) -> list[Any]:
        if values[0] is None:
            return state
        return [self._sum.undo(state[0], values), state[1] - 1]

    def merge(self, left: list[Any], right: list[Any]) -> list[Any]:
        return [self._sum.merge(left[0], right[0]), left[1] + right[1]]

    def result(self, state: list[Any]) -> float | str:
        return 0.0 if state[1] == 0 else double_json(as_double(state[0]) / state[1])

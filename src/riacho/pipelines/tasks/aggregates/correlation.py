"""CORRELATION: Pearson's coefficient of two columns; rows with a null in either count for nothing.

NaN where it has no meaning: fewer than two rows, or a column that does not vary.
State: [count, sum of x, of y, of x*x, of y*y, of x*y].
"""

from __future__ import annotations

import math
from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.aggregates.numbers import as_double, double_json


class Correlation(Aggregate):
    can_undo = True

    def init(self) -> list[Any]:
        return [0, 0.0, 0.0, 0.0, 0.0, 0.0]

    def add(self, state: list[Any], values: list[Any], sequence: int) -> list[Any]:
        return _moved(state, values, 1)

    def undo(self, state: list[Any], values: list[Any]) -> list[Any]:
        return _moved(state, values, -1)

    def merge(self, left: list[Any], right: list[Any]) -> list[Any]:
        sums = (double_json(as_double(one) + as_double(two)) for one, two in zip(left[1:], right[1:], strict=True))
        return [left[0] + right[0], *sums]

    def result(self, state: list[Any]) -> float | str:
        count = state[0]
        x, y, xx, yy, xy = (as_double(each) for each in state[1:])
        spread = (count * xx - x * x) * (count * yy - y * y)
        if not spread > 0:
            return "NaN"
        return double_json((count * xy - x * y) / math.sqrt(spread))


def _moved(state: list[Any], values: list[Any], sign: int) -> list[Any]:
    if values[0] is None or values[1] is None:
        return state
    x, y = as_double(values[0]), as_double(values[1])
    moves = (x, y, x * x, y * y, x * y)
    sums = (double_json(as_double(each) + sign * move) for each, move in zip(state[1:], moves, strict=True))
    return [state[0] + sign, *sums]

"""STDDEV_SAMP and STDDEV_SAMPLE, of a sample.

In ksqlDB the former gives the variance, since 0.16; it was left so for those who rely on it, and the latter is the
deviation. 0.0 of fewer than two rows. State: [count, sum, sum of squared differences from the mean].
"""

from __future__ import annotations

import math
from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.aggregates.numbers import as_double, double_json


class SampleVariance(Aggregate):
    can_undo = True

    def init(self) -> list[Any]:
        return [0, 0.0, 0.0]

    def add(self, state: list[Any], values: list[Any], sequence: int) -> list[Any]:
        if values[0] is None:
            return state
        value = as_double(values[0])
        count, total, squares = state[0] + 1, as_double(state[1]) + value, as_double(state[2])
        if count > 1:
            squares += (count * value - total) ** 2 / (count * (count - 1))
        return [count, double_json(total), double_json(squares)]

    def undo(self, state: list[Any], values: list[Any]) -> list[Any]:
        if values[0] is None:
            return state
        value = as_double(values[0])
        count, total, squares = state[0], as_double(state[1]), as_double(state[2])
        if count > 1:
            squares -= (count * value - total) ** 2 / (count * (count - 1))
        return [count - 1, double_json(total - value), double_json(squares)]

    def merge(self, left: list[Any], right: list[Any]) -> list[Any]:
        if left[0] == 0 or right[0] == 0:
            return list(right if left[0] == 0 else left)
        m, n = left[0], right[0]
        one, two = as_double(left[1]), as_double(right[1])
        between = (n / m * one - two) ** 2 * m / (n * (m + n))
        squares = as_double(left[2]) + as_double(right[2]) + between
        return [m + n, double_json(one + two), double_json(squares)]

    def result(self, state: list[Any]) -> float | str:
        return 0.0 if state[0] < 2 else double_json(as_double(state[2]) / (state[0] - 1))


class SampleDeviation(SampleVariance):
    def result(self, state: list[Any]) -> float | str:
        variance = as_double(super().result(state))
        return double_json(math.sqrt(variance) if variance >= 0 else math.nan)

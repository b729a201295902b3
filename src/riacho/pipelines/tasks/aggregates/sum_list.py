"""SUM_LIST: the sum of all elements of all lists."""

from __future__ import annotations

from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.aggregates.sum import open_sum
from riacho.pipelines.tasks.spec import AggregateSpec


class SumList(Aggregate):
    can_undo = True

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        self._sum = open_sum(spec)

    def init(self) -> Any:
        return self._sum.init()

    def add(self, state: Any, values: list[Any], sequence: int) -> Any:
        for value in values[0] or ():
            state = self._sum.add(state, [value], sequence)
        return state

    def undo(self, state: Any, values: list[Any]) -> Any:
        for value in values[0] or ():
            state = self._sum.undo(state, [value])
        return state

    def merge(self, left: Any, right: Any) -> Any:
        return self._sum.merge(left, right)

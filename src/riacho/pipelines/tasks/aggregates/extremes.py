"""MIN and MAX: nulls count for nothing; null of no rows."""

from __future__ import annotations

from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.aggregates.ordering import order_by_type
from riacho.pipelines.tasks.spec import AggregateSpec


class Minimum(Aggregate):
    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        self._order = order_by_type(spec.types[0] if spec.types else "BIGINT")

    def add(self, state: Any, values: list[Any], sequence: int) -> Any:
        return self.merge(state, values[0])

    def merge(self, left: Any, right: Any) -> Any:
        if left is None or right is None:
            return right if left is None else left
        return right if self._order(right) < self._order(left) else left


class Maximum(Minimum):
    def merge(self, left: Any, right: Any) -> Any:
        if left is None or right is None:
            return right if left is None else left
        return right if self._order(right) > self._order(left) else left

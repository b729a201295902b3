"""TOPK and TOPKDISTINCT: the k largest values, the largest first.

With one column the result is a list of its values; TOPK with more gives structs of the column that sorts (`sort_col`)
and the others (`col0`, `col1`, ...). Rows whose first column is null count for nothing. Of equal values the first came
first.
"""

from __future__ import annotations

from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.aggregates.ordering import order_by_type
from riacho.pipelines.tasks.spec import AggregateSpec


class TopK(Aggregate):
    is_distinct = False

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        self._k = next((each for each in spec.settings if type(each) is int), 1)
        self._order = order_by_type(spec.types[0])
        self._has_more = len(spec.arguments) > 1

    def init(self) -> list[Any]:
        return []

    def add(self, state: list[Any], values: list[Any], sequence: int) -> list[Any]:
        if values[0] is None:
            return state
        item = self._item(values)
        if self.is_distinct and item in state:
            return state
        if len(state) == self._k and self._rank(item) <= self._rank(state[-1]):
            return state
        return sorted([*state, item], key=self._rank, reverse=True)[: self._k]

    def merge(self, left: list[Any], right: list[Any]) -> list[Any]:
        added = [item for item in right if item not in left] if self.is_distinct else right
        return sorted([*left, *added], key=self._rank, reverse=True)[: self._k]

    def _item(self, values: list[Any]) -> Any:
        if not self._has_more:
            return values[0]
        return {"sort_col": values[0]} | {f"col{at}": value for at, value in enumerate(values[1:])}

    def _rank(self, item: Any) -> Any:
        return self._order(item["sort_col"] if self._has_more else item)


class TopKDistinct(TopK):
    is_distinct = True

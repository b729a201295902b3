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
        place = self._place(state, self._rank(item))
        if place < self._k and not (self.is_distinct and self._is_there(item, state, place)):
            state.insert(place, item)
            del state[self._k :]
        return state

    def merge(self, left: list[Any], right: list[Any]) -> list[Any]:
        added = [item for item in right if item not in left] if self.is_distinct else right
        return sorted([*left, *added], key=self._rank, reverse=True)[: self._k]

    def _place(self, state: list[Any], rank: Any) -> int:
        """Behind those that are as large. There may be a hundred thousand, so none is looked at for nothing."""
        low, high = 0, len(state)
        while low < high:
            middle = (low + high) // 2
            if self._rank(state[middle]) < rank:
                high = middle
            else:
                low = middle + 1
        return low

    def _is_there(self, item: Any, state: list[Any], place: int) -> bool:
        rank = self._rank(item)
        while place > 0 and self._rank(state[place - 1]) == rank:
            place -= 1
            if state[place] == item:
                return True
        return False

    def _item(self, values: list[Any]) -> Any:
        if not self._has_more:
            return values[0]
        return {"sort_col": values[0]} | {f"col{at}": value for at, value in enumerate(values[1:])}

    def _rank(self, item: Any) -> Any:
        return self._order(item["sort_col"] if self._has_more else item)


class TopKDistinct(TopK):
    is_distinct = True

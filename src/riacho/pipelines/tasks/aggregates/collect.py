"""COLLECT_LIST and COLLECT_SET: values in the order they came, nulls included, up to a limit.

The limit is the setting ksql.functions.collect_list.limit (or collect_set), as the aggregate's own setting; values
beyond it are passed over in silence. There is always one: a list in state is written anew for every row.
"""

from __future__ import annotations

from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.spec import AggregateSpec

COLLECTED_MAX = 100_000


class CollectList(Aggregate):
    can_undo = True

    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        limit = next((each for each in spec.settings if type(each) is int), COLLECTED_MAX)
        self._limit = limit if 0 <= limit < COLLECTED_MAX else COLLECTED_MAX

    def init(self) -> list[Any]:
        return []

    def add(self, state: list[Any], values: list[Any], sequence: int) -> list[Any]:
        if len(state) < self._limit:
            state.append(values[0])
        return state

    def undo(self, state: list[Any], values: list[Any]) -> list[Any]:
        """The last one that is equal goes."""
        for at in range(len(state) - 1, -1, -1):
            if state[at] == values[0]:
                del state[at]
                break
        return state

    def merge(self, left: list[Any], right: list[Any]) -> list[Any]:
        return [*left, *right][: self._limit]


class CollectSet(CollectList):
    can_undo = False

    def add(self, state: list[Any], values: list[Any], sequence: int) -> list[Any]:
        if len(state) < self._limit and values[0] not in state:
            state.append(values[0])
        return state

    def undo(self, state: list[Any], values: list[Any]) -> list[Any]:
        return Aggregate.undo(self, state, values)  # type: ignore[no-any-return]

    def merge(self, left: list[Any], right: list[Any]) -> list[Any]:
        return [*left, *(value for value in right if value not in left)][: self._limit]

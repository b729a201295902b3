"""LATEST_BY_OFFSET and EARLIEST_BY_OFFSET: the last or the first value, or the last or first n of them in their order.

Nulls are passed over unless the flag for it says false. State: [[sequence, value], ...], at most n, oldest first; the
sequence decides when sessions are merged. Settings: n where a list is asked for, then the flag, each where it was
given.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.spec import AggregateSpec


class _ByOffset(Aggregate):
    def __init__(self, spec: AggregateSpec) -> None:
        super().__init__(spec)
        count = next((each for each in spec.settings if type(each) is int), None)
        self._is_list = count is not None
        self._count: int = count or 1
        self._ignores_nulls = next((each for each in spec.settings if type(each) is bool), True)

    def init(self) -> list[list[Any]]:
        return []

    def add(self, state: list[list[Any]], values: list[Any], sequence: int) -> list[list[Any]]:
        if values[0] is None and self._ignores_nulls:
            return state
        state.append([sequence, values[0]])
        self._keep(state)
        return state

    def merge(self, left: list[list[Any]], right: list[list[Any]]) -> list[list[Any]]:
        merged = sorted([*left, *right], key=lambda item: item[0])
        self._keep(merged)
        return merged

    def result(self, state: list[list[Any]]) -> Any:
        if self._is_list:
            return [value for _, value in state]
        return state[0][1] if state else None

    @abstractmethod
    def _keep(self, items: list[list[Any]]) -> None:
        """The others go."""


class LatestByOffset(_ByOffset):
    def _keep(self, items: list[list[Any]]) -> None:
        del items[: -self._count]


class EarliestByOffset(_ByOffset):
    def _keep(self, items: list[list[Any]]) -> None:
        del items[self._count :]

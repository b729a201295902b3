"""ATTR: the value that all rows have, null where they differ. State: [[value, rows], ...], of which there are at most
two: more would not change the answer, but over a table values go again, so there all are counted, up to a bound."""

from __future__ import annotations

from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate

DISTINCT_MAX = 1_000


class Attr(Aggregate):
    can_undo = True

    def init(self) -> list[list[Any]]:
        return []

    def add(self, state: list[list[Any]], values: list[Any], sequence: int) -> list[list[Any]]:
        return _with(state, values[0], 1)

    def undo(self, state: list[list[Any]], values: list[Any]) -> list[list[Any]]:
        return [entry for entry in _with(state, values[0], -1) if entry[1] > 0]

    def merge(self, left: list[list[Any]], right: list[list[Any]]) -> list[list[Any]]:
        merged = [list(entry) for entry in left]
        for value, count in right:
            merged = _with(merged, value, count)
        return merged

    def result(self, state: list[list[Any]]) -> Any:
        return state[0][0] if len(state) == 1 else None


def _with(state: list[list[Any]], value: Any, count: int) -> list[list[Any]]:
    for entry in state:
        if entry[0] == value:
            entry[1] += count
            return state
    if len(state) < DISTINCT_MAX:
        state.append([value, count])
    return state

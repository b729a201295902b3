"""HISTOGRAM: how often each text came, for the first thousand texts."""

from __future__ import annotations

from typing import Any

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate

ENTRIES_MAX = 1_000


class Histogram(Aggregate):
    can_undo = True

    def init(self) -> dict[str, int]:
        return {}

    def add(self, state: dict[str, int], values: list[Any], sequence: int) -> dict[str, int]:
        text = values[0]
        if text is not None and (text in state or len(state) < ENTRIES_MAX):
            state[text] = state.get(text, 0) + 1
        return state

    def undo(self, state: dict[str, int], values: list[Any]) -> dict[str, int]:
        count = state.get(values[0], 0)
        if count > 1:
            state[values[0]] = count - 1
        else:
            state.pop(values[0], None)
        return state

    def merge(self, left: dict[str, int], right: dict[str, int]) -> dict[str, int]:
        merged = dict(left)
        for text, count in right.items():
            if text in merged or len(merged) < ENTRIES_MAX:
                merged[text] = merged.get(text, 0) + count
        return merged

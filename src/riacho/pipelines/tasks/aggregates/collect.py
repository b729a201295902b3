"""COLLECT_LIST and COLLECT_SET: values in the order they came, nulls included, up to a limit.

The limit is the setting ksql.functions.collect_list.limit (or collect_set), as the aggregate's own setting; values
beyond it are passed over in silence. There is always one: a list in state is written anew for every row.
"""

from __future__ import annotations

from collections.abc import Iterable
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


class Distinct(list[Any]):
    """Values in their order, and what tells at once whether one is among them: a hundred thousand would else be looked
    through for each row."""

    __slots__ = ("_known",)

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__(values)
        self._known = {_identity(value) for value in self}

    def __contains__(self, value: object) -> bool:
        return _identity(value) in self._known

    def append(self, value: Any) -> None:
        super().append(value)
        self._known.add(_identity(value))


class CollectSet(CollectList):
    can_undo = False

    def init(self) -> list[Any]:
        return Distinct()

    def add(self, state: list[Any], values: list[Any], sequence: int) -> list[Any]:
        if len(state) >= self._limit:
            return state
        # From the store it comes as a plain list.
        found = state if isinstance(state, Distinct) else Distinct(state)
        if values[0] not in found:
            found.append(values[0])
        return found

    def undo(self, state: list[Any], values: list[Any]) -> list[Any]:
        return Aggregate.undo(self, state, values)  # type: ignore[no-any-return]

    def merge(self, left: list[Any], right: list[Any]) -> list[Any]:
        known = Distinct(left)
        return Distinct([*left, *(value for value in right if value not in known)][: self._limit])


def _identity(value: Any) -> Any:
    """A JSON value as one that has a hash, alike for those that are."""
    match value:
        case list():
            return tuple(map(_identity, value))
        case dict():
            return frozenset((name, _identity(each)) for name, each in value.items())
        case _:
            return value

"""The aggregates of one group: how rows go in and a result comes out, whatever window the group is of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from riacho.pipelines.tasks.aggregates.opening import open_aggregate
from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.spec import TaskSpec

_decode: Callable[[str], Any] = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_TAG = "a1"


@dataclass(slots=True)
class Group:
    """`time` of the latest row; `states` one an aggregate, JSON values; `carried` values of the last row. `text` is the
    result, where it was asked for since the last change."""

    time: int
    states: list[Any]
    carried: list[Any]
    text: str | None = None


class Aggregation:
    def __init__(self, spec: TaskSpec) -> None:
        self._aggregates = [open_aggregate(each) for each in spec.aggregates]
        self._arguments = [each.arguments for each in spec.aggregates]
        self._names = [each.name for each in spec.aggregates]
        self._carried = spec.carried
        self.first_text: str = self.result(self.new_group(0))

    def new_group(self, time: int) -> Group:
        return Group(time, [aggregate.init() for aggregate in self._aggregates], [None] * len(self._carried))

    def decode_group(self, text: str) -> Group:
        return self.fitted(decode_group(text))

    def fitted(self, group: Group) -> Group:
        """The same, with room for aggregates that a statement in its place has added: they begin with what comes."""
        group.states += [aggregate.init() for aggregate in self._aggregates[len(group.states) :]]
        return group

    def add(self, group: Group, row: str, sequence: int = 0) -> None:
        columns = _decode(row)
        states = group.states
        for at, aggregate in enumerate(self._aggregates):
            values = [columns.get(name) for name in self._arguments[at]]
            states[at] = aggregate.add(states[at], values, sequence)
        group.carried = [columns.get(name) for name in self._carried]
        group.text = None

    def undo(self, group: Group, row: str) -> None:
        columns = _decode(row)
        states = group.states
        for at, aggregate in enumerate(self._aggregates):
            values = [columns.get(name) for name in self._arguments[at]]
            states[at] = aggregate.undo(states[at], values)
        group.carried = [columns.get(name) for name in self._carried]
        group.text = None

    def merge(self, into: Group, other: Group) -> None:
        """`other` stays as it is, so that its result can still be emitted."""
        into.states = [
            aggregate.merge(left, right)
            for aggregate, left, right in zip(self._aggregates, into.states, other.states, strict=True)
        ]
        into.time = max(into.time, other.time)
        into.text = None

    def result(self, group: Group) -> str:
        if group.text is None:
            fields = dict(zip(self._carried, group.carried, strict=True))
            for at, aggregate in enumerate(self._aggregates):
                fields[self._names[at]] = aggregate.result(group.states[at])
            group.text = _encode(fields).decode()
        return group.text


def encode_group(group: Group) -> str:
    return _encode((_TAG, group.time, group.states, group.carried)).decode()


def decode_group(text: str) -> Group:
    tag, time, states, carried = _decode(text)
    if tag != _TAG:
        raise TaskError(f"State was written by another version: {tag} where {_TAG} is known.")
    return Group(time, states, carried)

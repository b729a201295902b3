"""GROUP BY and aggregates of a pull query: its rows folded by the aggregates that streaming queries have."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import msgspec

from riacho.pipelines.sql.analysis.analysed import ResultColumn
from riacho.pipelines.sql.analysis.outcomes import PullOutcome, SelectedValue
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.serving.conditions import HasColumns
from riacho.pipelines.sql.serving.projection import Evaluate, Projection
from riacho.pipelines.sql.types import SqlType
from riacho.pipelines.tasks.aggregates.opening import open_aggregate
from riacho.pipelines.tasks.errors import TaskError

# Groups are kept in memory.
_GROUPS_MAX = 100_000


class GroupRow:
    """One group: its keys and its aggregates' results, as columns."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def column(self, name: str) -> Any:
        return self._values.get(name)


class PulledGroups:
    """`types` are the columns of rows that come in; `group_types` those of the groups."""

    def __init__(self, outcome: PullOutcome, types: Mapping[str, SqlType], evaluate: Evaluate) -> None:
        aggregation = outcome.aggregation
        assert aggregation is not None, "it has been asked"
        self._keys = [key.name for key in outcome.group_by]
        self._calls = [(call, open_aggregate(call.spec)) for call in aggregation.calls]
        arguments: dict[str, ResultColumn] = {each.name: each for call, _ in self._calls for each in call.arguments}
        wanted = [*outcome.group_by, *arguments.values()]
        select = [SelectedValue(each.name, each.expression, each.type) for each in wanted]
        self._places = {each.name: len(self._keys) + place for place, each in enumerate(arguments.values())}
        self._projection = Projection(types, select, outcome.where, evaluate)
        self.group_types: dict[str, SqlType] = {
            **{key.name: key.type for key in outcome.group_by},
            **{call.spec.name: call.result_type for call, _ in self._calls},
        }

    async def rows(self, found: AsyncIterator[Sequence[HasColumns]]) -> list[HasColumns]:
        """All groups, when all rows have come. KsqlError."""
        groups: dict[bytes, tuple[list[Any], list[Any]]] = {}
        sequence = 0
        if not self._keys:
            groups[b"[]"] = ([], [aggregate.init() for _, aggregate in self._calls])
        async for rows in found:
            values = await self._projection.values(rows)
            # What a row costs is the aggregates' matter: others are answered meanwhile.
            await asyncio.to_thread(self._add_all, groups, values, sequence)
            sequence += len(values)
        return await asyncio.to_thread(lambda: [self._row(keys, states) for keys, states in groups.values()])

    def _add_all(
        self, groups: dict[bytes, tuple[list[Any], list[Any]]], rows: Sequence[list[Any]], sequence: int
    ) -> None:
        for number, values in enumerate(rows, sequence + 1):
            self._add(groups, values, number)

    def _add(self, groups: dict[bytes, tuple[list[Any], list[Any]]], values: list[Any], sequence: int) -> None:
        keys = values[: len(self._keys)]
        identity = msgspec.json.encode(keys)
        group = groups.get(identity)
        if group is None:
            if len(groups) >= _GROUPS_MAX:
                raise KsqlError(f"GROUP BY is done for {_GROUPS_MAX} groups, and there are more: add a condition.")
            group = groups[identity] = (keys, [aggregate.init() for _, aggregate in self._calls])
        states = group[1]
        try:
            for place, (call, aggregate) in enumerate(self._calls):
                arguments = [values[self._places[name]] for name in call.spec.arguments]
                states[place] = aggregate.add(states[place], arguments, sequence)
        except TaskError as error:
            raise KsqlError(str(error)) from None

    def _row(self, keys: list[Any], states: list[Any]) -> GroupRow:
        results = {
            call.spec.name: aggregate.result(states[place]) for place, (call, aggregate) in enumerate(self._calls)
        }
        return GroupRow({**dict(zip(self._keys, keys, strict=True)), **results})

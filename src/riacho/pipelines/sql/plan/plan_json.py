"""Statement plans as JSON: how they are sent to Spark's driver and kept with their statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec

from riacho.pipelines.sql.plan.steps import Aggregate, Decode, Encode, Project, StatementPlan, Step, Task
from riacho.pipelines.tasks.spec import AggregateSpec, TaskSpec, WindowSpec

Json = dict[str, Any]


def plan_to_json(plan: StatementPlan) -> bytes:
    return msgspec.json.encode(plan_to_builtins(plan))


def plan_from_json(text: bytes | str) -> StatementPlan:
    """msgspec's errors where it is no plan."""
    return plan_from_builtins(msgspec.json.decode(text))


def plan_to_builtins(plan: StatementPlan) -> Json:
    found = cast(Json, msgspec.to_builtins(plan))
    # A step is tagged with its name, since its fields alone may be those of another.
    found["steps"] = [{"kind": step.kind, **msgspec.to_builtins(step)} for step in plan.steps]
    return found


def plan_from_builtins(json: Mapping[str, Any]) -> StatementPlan:
    return StatementPlan(
        query_id=json["query_id"],
        statement=json["statement"],
        reads=tuple(msgspec.convert(each, Decode) for each in json["reads"]),
        steps=tuple(_step(each) for each in json["steps"]),
        write=msgspec.convert(json["write"], Encode),
        reset=json["reset"],
        properties=dict(json.get("properties", {})),
        functions=tuple(json.get("functions", ())),
    )


def _step(json: Mapping[str, Any]) -> Step:
    fields = {name: value for name, value in json.items() if name != "kind"}
    match json["kind"]:
        case "project":
            return msgspec.convert(fields, Project)
        case "task":
            return Task(_task(fields["spec"]), fields.get("reason", ""))
        case "aggregate":
            columns = tuple((name, text) for name, text in fields["columns"])
            return Aggregate(_aggregates(fields["aggregates"]), columns)
        case other:
            raise ValueError(f"a step of the kind {other} is not known")


def _task(json: Mapping[str, Any]) -> TaskSpec:
    """A task's literals are JSON values of any type, which is why its fields are put together here."""
    given = dict(json)
    window = given.pop("window", None)
    aggregates = _aggregates(given.pop("aggregates", ()))
    carried = tuple(given.pop("carried", ()))
    return TaskSpec(
        aggregates=aggregates,
        carried=carried,
        window=None if window is None else msgspec.convert(window, WindowSpec),
        **given,
    )


def _aggregates(json: Iterable[Mapping[str, Any]]) -> tuple[AggregateSpec, ...]:
    return tuple(
        AggregateSpec(
            name=each["name"],
            function=each["function"],
            arguments=tuple(each["arguments"]),
            types=tuple(each["types"]),
            result_type=each["result_type"],
            settings=tuple(each.get("settings", ())),
        )
        for each in json
    )

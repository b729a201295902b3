"""A statement's plan as JSON: how it reaches Spark's driver, and how the command topic keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from riacho.pipelines.sql.plan.steps import Decode, Encode, Project, StatementPlan, Task

_PROJECT, _TASK = "project", "task"


def plan_to_builtins(plan: StatementPlan) -> dict[str, Any]:
    json: dict[str, Any] = msgspec.to_builtins(plan)
    json["steps"] = [{_kind(step): msgspec.to_builtins(step)} for step in plan.steps]
    return json


def plan_from_builtins(json: Mapping[str, Any]) -> StatementPlan:
    """ValueError where it is no plan."""
    try:
        return StatementPlan(
            query_id=json["query_id"],
            statement=json["statement"],
            reads=msgspec.convert(json["reads"], tuple[Decode, ...]),
            steps=tuple(_step(each) for each in json["steps"]),
            write=msgspec.convert(json["write"], Encode),
            reset=json["reset"],
            properties=dict(json.get("properties", {})),
            functions=tuple(json.get("functions", ())),
        )
    except (KeyError, TypeError, msgspec.ValidationError) as error:
        raise ValueError(f"A plan could not be read: {error}.") from None


def plan_to_json(plan: StatementPlan) -> bytes:
    return msgspec.json.encode(plan_to_builtins(plan))


def plan_from_json(text: bytes) -> StatementPlan:
    return plan_from_builtins(msgspec.json.decode(text))


def _kind(step: Project | Task) -> str:
    return _PROJECT if isinstance(step, Project) else _TASK


def _step(json: Mapping[str, Any]) -> Project | Task:
    return msgspec.convert(json[_PROJECT], Project) if _PROJECT in json else msgspec.convert(json[_TASK], Task)

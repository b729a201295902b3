"""Settings of a server that aggregates take: how many values COLLECT_LIST and COLLECT_SET keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.plan.steps import Step, Task
from riacho.pipelines.tasks.spec import AggregateSpec

_LIMITS = {"COLLECT_LIST": "ksql.functions.collect_list.limit", "COLLECT_SET": "ksql.functions.collect_set.limit"}


def with_limits(steps: Sequence[Step], settings: Settings) -> tuple[Step, ...]:
    return tuple(_limited(step, settings) if isinstance(step, Task) else step for step in steps)


def _limited(task: Task, settings: Settings) -> Task:
    aggregates = tuple(_aggregate(each, settings) for each in task.spec.aggregates)
    return task if aggregates == task.spec.aggregates else replace(task, spec=replace(task.spec, aggregates=aggregates))


def _aggregate(spec: AggregateSpec, settings: Settings) -> AggregateSpec:
    name = _LIMITS.get(spec.function)
    text = None if name is None else settings.value_of(name)
    if text is None:
        return spec
    try:
        return replace(spec, settings=(int(text),))
    except ValueError:
        raise KsqlError(f"Invalid value {text} for configuration {name}: Not a number of type INT") from None

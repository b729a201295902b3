"""CREATE OR REPLACE: which changes of a source and of its query leave those who use it whole."""

from __future__ import annotations

from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.plan.steps import Aggregate, Decode, Project, StatementPlan, Task
from riacho.pipelines.sql.types import quoted


def refuse_incompatible_source(old: DataSource, new: DataSource) -> None:
    """Columns may be added behind the others; nothing may go, change or move."""
    start = f"Cannot upgrade data source: DataSource '{quoted(old.name)}' has "
    if old.kind is not new.kind:
        raise KsqlError(f"{start}type = K{old.kind.value} which is not upgradeable to K{new.kind.value}")
    if old.topic != new.topic:
        raise KsqlError(f"{start}topic = {old.topic} which is not upgradeable to {new.topic}")
    if old.timestamp != new.timestamp:
        raise KsqlError(
            f"{start}timestamp column = {old.timestamp and old.timestamp.name} which is not upgradeable to "
            f"{new.timestamp and new.timestamp.name}"
        )
    changed = [
        column
        for namespace in ("key", "value", "headers")
        for position, column in enumerate(getattr(old.schema, namespace))
        if column != _at(getattr(new.schema, namespace), position)
    ]
    if changed or len(old.schema.key) != len(new.schema.key):
        texts = ", ".join(f"{quoted(column.name)} {column.type}" for column in changed or new.schema.key)
        raise KsqlError(
            f"{start}schema = {old.schema.text(old.kind)} which is not upgradeable to {new.schema.text(new.kind)}. "
            f"(The following columns are changed, missing or reordered: [{texts}])"
        )


def _at(columns: tuple[object, ...], position: int) -> object:
    return columns[position] if position < len(columns) else None


def refuse_incompatible_query(old: StatementPlan, new: StatementPlan) -> None:
    """A query that takes another's place keeps its position and state: it reads the same topics and what its tasks
    group by is the same. Filters and select lists may change, aggregates may be added."""
    start = "Query is not upgradeable."
    for before, after in zip(old.reads, new.reads, strict=False):
        _refuse_other_source(before, after, start)
    before_keys, after_keys = _group_keys(old), _group_keys(new)
    if before_keys != after_keys and before_keys and after_keys:
        kind = "StreamGroupBy" if old.reads[0].kind == "STREAM" else "TableGroupBy"
        raise KsqlError(
            f"{start} Plan step of type {kind} must have matching group by clause. "
            f"Values differ: {_key_names(old)} vs. {_key_names(new)}"
        )
    _refuse_other_native_state(old, new, start)
    before_tasks = [step for step in old.steps if isinstance(step, Task)]
    after_tasks = [step for step in new.steps if isinstance(step, Task)]
    if len(old.reads) != len(new.reads) or len(before_tasks) != len(after_tasks):
        raise KsqlError(f"{start} The query before and the new one keep different state.")
    for one, other in zip(before_tasks, after_tasks, strict=True):
        for what in ("kind", "window"):
            if getattr(one.spec, what, None) != getattr(other.spec, what, None):
                raise KsqlError(
                    f"{start} Plan step of type {one.name} must have matching {what}. Values differ: "
                    f"{getattr(one.spec, what, None)} vs. {getattr(other.spec, what, None)}"
                )
        kept = {each.name: each for each in other.spec.aggregates}
        for aggregate in one.spec.aggregates:
            if kept.get(aggregate.name, aggregate) != aggregate:
                raise KsqlError(f"{start} The aggregate {aggregate.function} would change the state it has kept.")


def _refuse_other_native_state(old: StatementPlan, new: StatementPlan, start: str) -> None:
    """State that Spark keeps itself has a column an aggregate: none can be added, and no task can read it."""
    before, after = (
        [each for step in plan.steps if isinstance(step, Aggregate) for each in step.aggregates] for plan in (old, new)
    )
    if before == after:
        return
    if after and before:
        names = " vs. ".join(f"[{', '.join(each.function for each in found)}]" for found in (before, after))
        raise KsqlError(f"{start} The query before has its state in Spark's own aggregation, which keeps: {names}")
    reason = next((step.reason for step in new.steps if isinstance(step, Task)), "it has no groups")
    raise KsqlError(f"{start} The query before has its state in Spark's own aggregation, the new one cannot: {reason}.")


def _group_keys(plan: StatementPlan) -> list[str]:
    """What tasks group by, as Spark computes it."""
    return [
        text
        for step in plan.steps
        if isinstance(step, Project) and step.name in ("group", "groups")
        for name, text in step.columns
        if name in ("key", "new_key")
    ]


def _key_names(plan: StatementPlan) -> str:
    return f"[{', '.join(name for name, _ in plan.write.key.columns)}]"


def _refuse_other_source(before: Decode, after: Decode, start: str) -> None:
    step = "StreamSource" if before.kind == "STREAM" else "TableSource"
    if before.topic != after.topic:
        raise KsqlError(
            f"{start} Plan step of type {step} must have matching topicName. "
            f"Values differ: {before.topic} vs. {after.topic}"
        )

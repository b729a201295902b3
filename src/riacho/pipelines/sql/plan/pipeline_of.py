"""A statement as a pipeline: the value that connectors are too. EXPLAIN draws it, the runner runs it."""

from __future__ import annotations

from riacho.pipelines.errors.policy import ErrorPolicy
from riacho.pipelines.pipeline import AT_LEAST_ONCE, DEFAULT_TRIGGER_MS, EXACTLY_ONCE, Pipeline, Topics
from riacho.pipelines.sql.plan.steps import SqlStep, StatementPlan


def pipeline_of(
    plan: StatementPlan, processing_log: str = "", trigger_ms: int = DEFAULT_TRIGGER_MS
) -> Pipeline[SqlStep]:
    """`processing_log` is the topic of records that are left out; empty where they are only counted. Its steps are the
    plan's: what it reads, what is done, what it writes, in this order."""
    guarantee = plan.properties.get("processing.guarantee", "exactly_once_v2")
    return Pipeline(
        name=plan.query_id,
        source=Topics(names=tuple(read.topic for read in plan.reads), reset=plan.reset),
        steps=(*plan.reads, *plan.steps, plan.write),
        sink=Topics(names=(plan.write.topic,) if plan.write.topic else ()),
        errors=ErrorPolicy(tolerate=True, dead_letter_topic=processing_log or None),
        guarantee=AT_LEAST_ONCE if guarantee == "at_least_once" else EXACTLY_ONCE,
        trigger_ms=trigger_ms,
    )

"""EXPLAIN: what a query does, as ksqlDB draws it, and what each step is in Spark, with whose state it keeps."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.pipeline import Pipeline
from riacho.pipelines.sql.formats.codec import CodecSpec
from riacho.pipelines.sql.plan.steps import Aggregate, Decode, Encode, SqlStep, StatementPlan, Step, Task
from riacho.pipelines.sql.types import quoted
from riacho.pipelines.tasks.spec import AggregateSpec

_PROJECTS = {
    "select": ("PROJECT", "Project"),
    "group": ("GROUP_BY", "GroupBy"),
    "rows by group": ("GROUP_BY", "GroupBy"),
    "flatten": ("FLAT_MAP", "FlatMap"),
}
_TASKS = {
    "aggregate": ("AGGREGATE", "Aggregate"),
    "window": ("AGGREGATE", "Aggregate"),
    "session": ("AGGREGATE", "Aggregate"),
    "materialise": ("MATERIALIZE", "Materialize"),
}


def execution_plan(plan: StatementPlan) -> str:
    """The tree, the sink first: ` > [ SINK ] | Schema: ... | Logger: ...`."""
    lines = [_line("SINK", f" | Schema: {_schema(plan.write)}", plan, plan.write.sink)]
    for step in reversed(plan.steps):
        lines.extend(_step_lines(step, plan))
    lines.extend(
        _line("SOURCE", f" | Schema: {_schema(read)}", plan, "KsqlTopic.Source") for read in reversed(plan.reads)
    )
    return "".join("\t\t" * depth + line for depth, line in enumerate(lines))


def _step_lines(step: Step, plan: StatementPlan) -> list[str]:
    if isinstance(step, Aggregate):
        return [_line("AGGREGATE", "", plan, "Aggregate")]
    if isinstance(step, Task):
        name, logger = _TASKS.get(step.spec.kind, (step.spec.kind.upper(), step.spec.kind))
        return [_line(name, _window(step), plan, logger)]
    lines: list[str] = []
    if step.name in _PROJECTS:
        name, logger = _PROJECTS[step.name]
        lines.append(_line(name, "", plan, logger))
    if step.where is not None:
        lines.append(_line("FILTER", "", plan, "WhereFilter"))
    return lines


def _line(name: str, detail: str, plan: StatementPlan, logger: str) -> str:
    return f" > [ {name} ]{detail} | Logger: {plan.query_id}.{logger}\n"


def _window(step: Task) -> str:
    window = step.spec.window
    if window is None:
        return ""
    return f" | Window: {window.kind} {window.size_ms} ms, grace {window.grace_ms} ms"


def _schema(end: Decode | Encode) -> str:
    key_word = " PRIMARY KEY" if end.kind == "TABLE" else " KEY"
    keys = [f"{quoted(name)} {kind}{key_word}" for name, kind in end.key.columns]
    return ", ".join([*keys, *(f"{quoted(name)} {kind}" for name, kind in end.value.columns)])


def topology(plan: StatementPlan, pipeline: Pipeline[SqlStep]) -> str:
    """The plan's pipeline as a picture, and below it what Spark does."""
    return f"{pipeline.draw()}\n\n{spark_plan(plan)}"


def spark_plan(plan: StatementPlan) -> str:
    """Each step with its Spark SQL; of tasks, what state they keep."""
    lines = [_read_line(read) for read in plan.reads]
    frame = "records"
    for number, step in enumerate(plan.steps, 1):
        if isinstance(step, Task):
            lines.append(f"{number}. task {step.spec.kind}: {_state(step)}")
        elif isinstance(step, Aggregate):
            lines.append(f"{number}. aggregate: {_native_state(step)}")
        else:
            lines.append(f"{number}. {step.name}: {step.sql(frame)}")
        frame = f"step_{number}"
    write = plan.write
    lines.append(f"write {write.topic or 'to the client'}: {_formats(write.key, write.value)}")
    return "\n".join(lines)


def _read_line(read: Decode) -> str:
    time = f", time from {read.timestamp}" if read.timestamp is not None else ""
    return f"read {read.topic}: {_formats(read.key, read.value)}{time}"


def _formats(key: CodecSpec, value: CodecSpec) -> str:
    return f"{key.format} key, {value.format} value"


def _native_state(step: Aggregate) -> str:
    kept = ", ".join(f"{text} AS {name}" for name, text in step.columns)
    return (
        f"{_calls(step.aggregates)}; state is Spark's own, as the result is the same: {kept} for each key; "
        "emits the last change of a key in a micro-batch"
    )


def _state(step: Task) -> str:
    """A task's answers are Kafka Streams' to the letter."""
    spec = step.spec
    kept = "the last row of each key" if spec.kind == "materialise" else "an entry a group"
    if spec.window is not None:
        kept += " and window"
    aggregates = _calls(spec.aggregates)
    emits = "every change" if spec.emit_every_change else "the last change of a key in a micro-batch"
    if spec.emit_final:
        emits = "a window's result when it has closed"
    why = f" (not Spark's own: {step.reason})" if step.reason else ""
    return f"{f'{aggregates}; ' if aggregates else ''}state is the task's{why}, {kept}; emits {emits}"


def _calls(aggregates: Sequence[AggregateSpec]) -> str:
    return ", ".join(f"{each.function}({', '.join(each.arguments)})" for each in aggregates)

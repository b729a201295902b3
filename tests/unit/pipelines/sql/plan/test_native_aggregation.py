"""Which aggregations may be Spark's own: each reason against it, and what the plan is where there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.plan.explain import execution_plan, spark_plan
from riacho.pipelines.sql.plan.native_aggregation import native_columns, native_result, why_a_task
from riacho.pipelines.sql.plan.plan_json import plan_from_builtins, plan_from_json, plan_to_builtins, plan_to_json
from riacho.pipelines.sql.plan.planner import NATIVE
from riacho.pipelines.sql.plan.steps import Aggregate, Project, StatementPlan, Task
from riacho.pipelines.tasks.aggregates.opening import AGGREGATES
from riacho.pipelines.tasks.spec import AggregateSpec, TaskSpec, WindowSpec
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()
TYPES = ("INTEGER", "BIGINT", "DOUBLE", "DECIMAL(5, 2)", "STRING", "BYTES", "TIME", "DATE", "TIMESTAMP")
WHOLE = ("INTEGER", "BIGINT")
# Which types of an aggregate are Spark's own; COUNT takes all.
SAME = {
    "COUNT": TYPES,
    "SUM": WHOLE,
    "AVG": WHOLE,
    "MIN": (*WHOLE, "DECIMAL(5, 2)", "TIME", "DATE", "TIMESTAMP"),
    "MAX": (*WHOLE, "DECIMAL(5, 2)", "TIME", "DATE", "TIMESTAMP"),
}
COUNT = AggregateSpec("N", "COUNT", (), (), "BIGINT")
PLAIN = TaskSpec("aggregate", (COUNT,))


def of(function: str, kind: str) -> AggregateSpec:
    result = {"COUNT": "BIGINT", "AVG": "DOUBLE"}.get(function, kind)
    return AggregateSpec("X", function, ("A",), (kind,), result)


@pytest.mark.parametrize("function", sorted(AGGREGATES))
def test_each_aggregate_of_each_type(function: str) -> None:
    for kind in TYPES:
        found = why_a_task(replace(PLAIN, aggregates=(COUNT, of(function, kind))))
        assert (found is None) is (kind in SAME.get(function, ())), (function, kind, found)
        if found is not None:
            assert function in found
            assert "is not the same in Spark" in found


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (TaskSpec("materialise"), "it is no aggregation"),
        (replace(PLAIN, kind="window", window=WindowSpec("TUMBLING", 1, 1, 0, 1)), "groups have windows"),
        (replace(PLAIN, kind="session", window=WindowSpec("SESSION", 1, 1, 0, 1)), "groups have windows"),
        (replace(PLAIN, is_over_table=True), "rows of a table are taken back"),
        (replace(PLAIN, emit_every_change=True), "every change is emitted, as there is no cache"),
        (replace(PLAIN, carried=("B",)), "columns of the last row are kept"),
        (replace(PLAIN, aggregates=(of("SUM", "DOUBLE"),)), "SUM of DOUBLE is not the same in Spark"),
        (replace(PLAIN, aggregates=(of("MIN", "DECIMAL(40, 2)"),)), "MIN of DECIMAL(40, 2) is not the same in Spark"),
        (replace(PLAIN, aggregates=(replace(COUNT, settings=(1,)),)), "COUNT is not the same in Spark"),
        (replace(PLAIN, aggregates=(of("OF_A_USER", "INTEGER"),)), "OF_A_USER is not the same in Spark"),
        (PLAIN, None),
    ],
)
def test_each_reason(spec: TaskSpec, reason: str | None) -> None:
    assert why_a_task(spec) == reason


def test_having_asks_what_was_before() -> None:
    assert why_a_task(PLAIN, has_having=True) == "HAVING asks what was before"


def test_what_spark_keeps_and_what_comes_of_it() -> None:
    found = (COUNT, of("COUNT", "STRING"), of("SUM", "INTEGER"), of("AVG", "BIGINT"), of("MIN", "DATE"))
    assert native_columns(found, {"A": "a0"}) == (
        ("n0", "count(1)"),
        ("n1", "count(a0)"),
        ("s2", "sum(a0)"),
        ("s3", "sum(a0)"),
        ("n3", "count(a0)"),
        ("x4", "min(a0)"),
        ("ts", "max(ts)"),
    )
    assert [native_result(each, at) for at, each in enumerate(found)] == [
        "n0",
        "n1",
        "CAST(coalesce(s2, 0L) AS INT)",
        "IF(n3 = 0, 0D, CAST(CAST(coalesce(s3, 0L) AS BIGINT) AS DOUBLE) / CAST(n3 AS DOUBLE))",
        "x4",
    ]


def planned(text: str, properties: dict[str, str] | None = None) -> StatementPlan:
    return carry_out(f"CREATE TABLE X AS {text};", KNOWN, Settings(properties or {})).query.plan


NATIVE_SELECT = "SELECT A, COUNT(*) AS N, SUM(ID) AS S FROM S WHERE ID > 3 GROUP BY A"


def test_a_plan_with_sparks_own_aggregation() -> None:
    plan = planned(NATIVE_SELECT)
    assert " ".join(step.name for step in plan.steps) == "read group aggregate results select"
    _, group, aggregate, _, select = plan.steps
    assert isinstance(group, Project)
    assert isinstance(aggregate, Aggregate)
    assert isinstance(select, Project)
    assert [name for name, _ in group.columns] == ["key", "left_out", "ts", "a0"]
    assert aggregate.columns == (("n0", "count(1)"), ("s1", "sum(a0)"), ("ts", "max(ts)"))
    assert [name for name, _ in select.columns] == ["k", "v", "ts", "headers", "ws", "we", "seq"]
    assert plan_from_json(plan_to_json(plan)) == plan


def test_explain_says_which_and_why() -> None:
    native = spark_plan(planned(NATIVE_SELECT)).splitlines()[3]
    assert native.startswith("3. aggregate: COUNT(), SUM(")
    assert "state is Spark's own, as the result is the same" in native
    assert " > [ AGGREGATE ] | Logger: CTAS_X_0.Aggregate" in execution_plan(planned(NATIVE_SELECT))
    for text, properties, reason in (
        (f"{NATIVE_SELECT} HAVING COUNT(*) > 1", {}, "HAVING asks what was before"),
        ("SELECT A, MAX(B) AS B FROM S GROUP BY A", {}, "MAX of STRING is not the same in Spark"),
        ("SELECT A, COUNT(*) AS N FROM T GROUP BY A", {}, "rows of a table are taken back"),
        (NATIVE_SELECT, {"cache.max.bytes.buffering": "0"}, "every change is emitted, as there is no cache"),
        (NATIVE_SELECT, {NATIVE: "false"}, f"{NATIVE} is false"),
    ):
        assert f"state is the task's (not Spark's own: {reason})" in spark_plan(planned(text, properties))


def test_plans_that_were_made_before_there_was_a_choice_are_read() -> None:
    kept = plan_to_builtins(planned(NATIVE_SELECT, {NATIVE: "false"}))
    kept["steps"] = [{name: text for name, text in step.items() if name != "reason"} for step in kept["steps"]]
    found = plan_from_builtins(kept)
    assert [step.reason for step in found.steps if isinstance(step, Task)] == [""]


def replaced(before: dict[str, str], text: str) -> StatementPlan:
    """By another statement, with the server's own settings."""
    made = carry_out(f"CREATE TABLE X AS {NATIVE_SELECT};", KNOWN, Settings(before))
    return carry_out(f"CREATE OR REPLACE TABLE X AS {text};", made.catalogue, Settings()).query.plan


def test_a_query_in_a_tasks_place_stays_a_task() -> None:
    plan = replaced({NATIVE: "false"}, "SELECT A, COUNT(*) AS N, SUM(ID) AS S FROM S WHERE ID > 4 GROUP BY A")
    assert [step.reason for step in plan.steps if isinstance(step, Task)] == ["the query before has a task's state"]


def test_filters_and_columns_over_sparks_own_aggregation_may_change() -> None:
    text = "SELECT A, COUNT(*) AS N, SUM(ID) AS S, COUNT(*) + 1 AS M FROM S WHERE ID > 4 GROUP BY A"
    assert any(isinstance(step, Aggregate) for step in replaced({}, text).steps)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "SELECT A, COUNT(*) AS N, SUM(ID) AS S, MAX(ID) AS M FROM S GROUP BY A",
            "has its state in Spark's own aggregation, which keeps: [COUNT, SUM] vs. [COUNT, SUM, MAX]",
        ),
        (
            "SELECT A, COUNT(*) AS N, SUM(ID) AS S FROM S GROUP BY A HAVING COUNT(*) > 1",
            "Spark's own aggregation, the new one cannot: HAVING asks what was before.",
        ),
    ],
)
def test_state_of_sparks_own_is_not_another_querys(text: str, problem: str) -> None:
    with pytest.raises(KsqlError) as refused:
        replaced({}, text)
    assert str(refused.value).startswith("Query is not upgradeable.")
    assert problem in str(refused.value)

"""Plans: the steps of each form of query, as values that can be sent and shown."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.analysis.outcomes import PushOutcome
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.plan.explain import execution_plan, spark_plan
from riacho.pipelines.sql.plan.pipeline_of import pipeline_of
from riacho.pipelines.sql.plan.plan_json import plan_from_json, plan_to_json
from riacho.pipelines.sql.plan.planner import NATIVE
from riacho.pipelines.sql.plan.steps import Project, StatementPlan, Task
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()

# A query with its sink, and the names of its steps.
FORMS = [
    ("STREAM X AS SELECT * FROM S", "read select"),
    ("STREAM X AS SELECT ID, A FROM S WHERE A > 3", "read select"),
    ("STREAM X AS SELECT * FROM S PARTITION BY A", "read select"),
    ("STREAM X AS SELECT * FROM W", "read select"),
    ("TABLE X AS SELECT * FROM T", "read select"),
    ("TABLE X AS SELECT * FROM T WHERE A > 3", "rows materialise changes select"),
    ("TABLE X AS SELECT * FROM T WHERE ROWTIME > 3", "read rows materialise changes select"),
    ("TABLE X AS SELECT A, COUNT(*) AS N FROM S GROUP BY A", "read group aggregate results select"),
    (
        "TABLE X AS SELECT A, COUNT(*) AS N FROM S WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY A",
        "read group window results select",
    ),
    (
        "TABLE X AS SELECT A, COUNT(*) AS N FROM S WINDOW SESSION (1 HOUR) GROUP BY A",
        "read group session results select",
    ),
    (
        "TABLE X AS SELECT A, COUNT(*) AS N FROM T WHERE ID > 1 GROUP BY A",
        "rows materialise changes groups split rows by group aggregate results select",
    ),
]


def planned(text: str, settings: Settings | None = None) -> StatementPlan:
    return carry_out(f"CREATE {text};", KNOWN, settings).query.plan


@pytest.mark.parametrize(("text", "steps"), FORMS)
def test_the_steps_of_each_form(text: str, steps: str) -> None:
    plan = planned(text)
    assert " ".join(step.name for step in plan.steps) == steps


@pytest.mark.parametrize(("text", "steps"), FORMS)
def test_a_plan_survives_json(text: str, steps: str) -> None:
    plan = planned(text)
    assert plan_from_json(plan_to_json(plan)) == plan


@pytest.mark.parametrize(("text", "steps"), FORMS)
def test_frames_between_steps_have_the_columns_of_the_contract(text: str, steps: str) -> None:
    plan = planned(text)
    for step, following in zip(plan.steps, (*plan.steps[1:], None), strict=True):
        if isinstance(step, Project) and isinstance(following, Task):
            assert {name for name, _ in step.columns} >= {"side", "key", "row", "undo", "ts", "part", "off", "seq"}
        if isinstance(step, Project) and following is None:
            assert [name for name, _ in step.columns] == ["k", "v", "ts", "headers", "ws", "we", "seq"]


def test_windows_have_their_default_grace() -> None:
    spec = _task("TABLE X AS SELECT A, COUNT(*) AS N FROM S WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY A")
    assert spec.spec.window is not None
    assert (spec.spec.window.grace_ms, spec.spec.window.retention_ms) == (82_800_000, 86_400_000)
    long = _task("TABLE X AS SELECT A, COUNT(*) AS N FROM S WINDOW TUMBLING (SIZE 2 DAYS) GROUP BY A").spec.window
    assert long is not None
    assert (long.grace_ms, long.retention_ms) == (0, 172_800_000)


def test_grace_and_retention_that_are_given() -> None:
    window = _task(
        "TABLE X AS SELECT A, COUNT(*) AS N FROM S "
        "WINDOW HOPPING (SIZE 1 HOUR, ADVANCE BY 1 MINUTE, RETENTION 1 DAY, GRACE PERIOD 1 SECOND) "
        "GROUP BY A EMIT FINAL"
    ).spec
    assert window.emit_final
    assert window.window is not None
    assert (window.window.advance_ms, window.window.grace_ms, window.window.retention_ms) == (60_000, 1_000, 86_400_000)


def _task(text: str) -> Task:
    return next(step for step in planned(text).steps if isinstance(step, Task))


@pytest.mark.parametrize(
    ("text", "properties", "reset"),
    [
        ("STREAM X AS SELECT * FROM S", {}, "latest"),
        ("TABLE X AS SELECT * FROM T", {}, "earliest"),
        ("STREAM X AS SELECT * FROM S", {"auto.offset.reset": "earliest"}, "earliest"),
        ("TABLE X AS SELECT * FROM T", {"ksql.streams.auto.offset.reset": "Latest"}, "latest"),
    ],
)
def test_where_reading_begins(text: str, properties: dict[str, str], reset: str) -> None:
    assert planned(text, Settings(properties)).reset == reset


def test_every_change_is_emitted_without_a_cache() -> None:
    text = "TABLE X AS SELECT A, COUNT(*) AS N FROM S GROUP BY A"
    for properties, every in (({NATIVE: "false"}, False), ({"cache.max.bytes.buffering": "0"}, True)):
        tasks = [step for step in planned(text, Settings(properties)).steps if isinstance(step, Task)]
        assert [task.spec.emit_every_change for task in tasks] == [every]


def test_codecs_know_windows_and_subjects() -> None:
    settings = Settings(registry={"schema.registry.url": "http://registry"})
    plan = planned("STREAM X WITH (VALUE_FORMAT='AVRO') AS SELECT * FROM W", settings)
    assert (plan.reads[0].key.window, plan.reads[0].key.window_size_ms) == ("TUMBLING", 3_600_000)
    assert (plan.write.key.window, plan.write.value.subject) == ("TUMBLING", "X-value")
    assert (plan.write.value.registry, plan.write.key.registry) == ({"schema.registry.url": "http://registry"}, {})


def test_an_insert_gives_the_sinks_types() -> None:
    text = """
    CREATE STREAM WIDE (ID BIGINT KEY, A DOUBLE) WITH (KAFKA_TOPIC='wide', VALUE_FORMAT='JSON');
    INSERT INTO WIDE SELECT ID, A FROM S;
    """
    plan = carry_out(text, KNOWN).query.plan
    select = plan.steps[-1]
    assert isinstance(select, Project)
    assert "AS DOUBLE)" in dict(select.columns)["v"]


def test_a_push_query_has_all_columns_in_its_value() -> None:
    outcome = carry_out("SELECT A, ID, A + 1 AS B FROM S EMIT CHANGES LIMIT 3;", KNOWN).last
    assert isinstance(outcome, PushOutcome)
    assert [column.name for column in outcome.schema] == ["A", "ID", "B"]
    assert (outcome.limit, outcome.is_simple) == (3, False)
    simple = carry_out("SELECT A, ID FROM S WHERE A > 3 EMIT CHANGES;", KNOWN).last
    assert isinstance(simple, PushOutcome)
    assert simple.is_simple


def test_explain() -> None:
    plan = planned("TABLE X AS SELECT A, COUNT(*) AS N FROM S WHERE ID > 3 GROUP BY A", Settings({NATIVE: "false"}))
    assert execution_plan(plan).splitlines() == [
        " > [ SINK ] | Schema: `A` INTEGER PRIMARY KEY, `N` BIGINT | Logger: CTAS_X_0.X",
        "\t\t > [ PROJECT ] | Logger: CTAS_X_0.Project",
        "\t\t\t\t > [ AGGREGATE ] | Logger: CTAS_X_0.Aggregate",
        "\t\t\t\t\t\t > [ GROUP_BY ] | Logger: CTAS_X_0.GroupBy",
        "\t\t\t\t\t\t\t\t > [ FILTER ] | Logger: CTAS_X_0.WhereFilter",
        "\t\t\t\t\t\t\t\t\t\t > [ SOURCE ] | Schema: "
        + ", ".join(
            [
                "`ID` BIGINT KEY",
                *(f"`{column.name}` {column.type}" for column in KNOWN.source("S").schema.value),
            ]
        )
        + " | Logger: CTAS_X_0.KsqlTopic.Source",
    ]
    lines = spark_plan(plan).splitlines()
    assert lines[0] == "read s: KAFKA key, JSON value"
    assert "state is the task's (not Spark's own: " in lines[3]


def test_a_statement_is_a_pipeline() -> None:
    plan = planned("TABLE X AS SELECT A, COUNT(*) AS N FROM S GROUP BY A")
    pipeline = pipeline_of(plan, "the-log")
    assert pipeline.steps == (*plan.reads, *plan.steps, plan.write)
    picture = pipeline.draw().splitlines()
    assert picture[0].startswith(f"topic {plan.reads[0].topic} -> [")
    assert picture[0].endswith("-> topic X")
    assert picture[-1].endswith("+-- bad records --> topic the-log")
    assert "  gives   exactly-once" in pipeline.explain()

"""What Spark is told of a statement's pipeline, without Spark."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.analysis.settings import Settings as AnalysisSettings
from riacho.pipelines.sql.plan.pipeline_of import pipeline_of
from riacho.pipelines.sql.runner.protocol import Settings
from riacho.pipelines.sql.runner.query_frame import QueryFrame
from support.sql_statements import carry_out, known_sources


def frame(**properties: str) -> QueryFrame:
    plan = carry_out("CREATE STREAM X AS SELECT * FROM S;", known_sources(), AnalysisSettings(properties)).query.plan
    return QueryFrame(pipeline_of(plan), Settings(bootstrap_servers="b:1", client={"retries": "3"}), partitions=4)


@pytest.mark.parametrize(
    ("guarantee", "delivery"),
    [
        ("exactly_once", "exactly-once"),
        ("exactly_once_beta", "exactly-once"),
        ("exactly_once_v2", "exactly-once"),
        ("at_least_once", "at-least-once"),
    ],
)
def test_the_sink_delivers_as_the_statement_says(guarantee: str, delivery: str) -> None:
    assert frame(**{"processing.guarantee": guarantee}).sink_options()["riacho.delivery"] == delivery


def test_without_a_word_of_it_records_are_written_exactly_once() -> None:
    assert frame().sink_options() == {
        "kafka.bootstrap.servers": "b:1",
        "kafka.client.id": "query_CSAS_X_0",
        "kafka.retries": "3",
        "riacho.delivery": "exactly-once",
    }


@pytest.mark.parametrize("reset", ["earliest", "latest"])
def test_reading_begins_where_the_statement_says(reset: str) -> None:
    options = frame(**{"auto.offset.reset": reset}).source_options()
    assert (options["subscribe"], options["startingOffsets"]) == ("s", reset)

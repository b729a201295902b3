"""The headers of a dead letter: Kafka's names in Kafka's order. What they hold is tested with Spark (tests/spark)."""

from __future__ import annotations

from riacho.pipelines.errors.dead_letters import CONTEXT, PREFIX


def test_the_headers_are_kafkas() -> None:
    assert [PREFIX + name for name, _ in CONTEXT] == [
        "__connect.errors.topic",
        "__connect.errors.partition",
        "__connect.errors.offset",
        "__connect.errors.connector.name",
        "__connect.errors.task.id",
        "__connect.errors.stage",
        "__connect.errors.class.name",
        "__connect.errors.exception.class.name",
        "__connect.errors.exception.message",
        "__connect.errors.exception.stacktrace",
    ]

"""Topics that CREATE ... AS SELECT writes to: made as the source's, or there with as many partitions."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.analysis.outcomes import QueryOutcome
from riacho.pipelines.sql.analysis.settings import Settings, TopicFacts
from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out

THERE = {"in": TopicFacts(3, 2), "same": TopicFacts(3, 1), "other": TopicFacts(6, 1)}
SETTINGS = Settings(find_topic=THERE.get)
STREAM = "CREATE STREAM S (K INT KEY, V INT) WITH (KAFKA_TOPIC='in', VALUE_FORMAT='JSON');"


@pytest.mark.parametrize(
    ("given", "partitions"),
    [
        ("KAFKA_TOPIC='new'", 3), ("KAFKA_TOPIC='new', PARTITIONS=5", 5), ("KAFKA_TOPIC='same'", 3),
        ("KAFKA_TOPIC='other', PARTITIONS=6", 6), ("KAFKA_TOPIC='other', PARTITIONS=6, REPLICAS=1", 6),
    ],
)  # fmt: skip
def test_a_topic_that_is_new_or_fits(given: str, partitions: int) -> None:
    done = carry_out(f"{STREAM} CREATE STREAM R WITH ({given}) AS SELECT * FROM S;", settings=SETTINGS).last
    assert isinstance(done, QueryOutcome)
    assert done.sink.partitions == partitions


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("KAFKA_TOPIC='other'", "3 partitions (topic has 6), and 1 replication factor (topic has 1)."),
        ("KAFKA_TOPIC='other', PARTITIONS=2", "2 partitions (topic has 6), and 1 replication factor (topic has 1)."),
        ("KAFKA_TOPIC='same', REPLICAS=3", "3 partitions (topic has 3), and 3 replication factor (topic has 1)."),
    ],
)
def test_a_topic_that_does_not_fit(given: str, wanted: str) -> None:
    with pytest.raises(KsqlError) as refused:
        carry_out(f"{STREAM} CREATE STREAM R WITH ({given}) AS SELECT * FROM S;", settings=SETTINGS)
    assert refused.value.message.startswith("A Kafka topic with the name '")
    assert refused.value.message.endswith(f"KSQL expects {wanted}")

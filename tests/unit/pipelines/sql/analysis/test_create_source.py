"""CREATE STREAM | TABLE: sources as they are added, topics to be made, columns that the registry gives."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.analysis.outcomes import NothingOutcome, SourceOutcome, TopicToCreate
from riacho.pipelines.sql.analysis.settings import InferenceRequest, Inferred, Settings, TopicFacts
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.types import BIGINT, INTEGER, STRING, Field
from support.sql_statements import carry_out


def created(text: str, settings: Settings | None = None) -> DataSource:
    outcome = carry_out(text, settings=settings).last
    assert isinstance(outcome, SourceOutcome)
    return outcome.source


def test_formats_and_columns() -> None:
    source = created("CREATE STREAM S (K INT KEY, V STRING) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='json');")
    assert (source.key_format.name, source.value_format.name, source.topic) == ("KAFKA", "JSON", "t")
    assert source.schema.text(source.kind) == "`K` INTEGER KEY, `V` STRING"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("ksql.persistence.default.format.value", "AVRO", ("KAFKA", "AVRO")),
        ("ksql.persistence.default.format.key", "JSON", ("JSON", "DELIMITED")),
    ],
)
def test_default_formats(name: str, value: str, expected: tuple[str, str]) -> None:
    settings = Settings({"ksql.persistence.default.format.value": "DELIMITED", name: value})
    source = created("CREATE STREAM S (K INT KEY, V STRING) WITH (KAFKA_TOPIC='t');", settings)
    assert (source.key_format.name, source.value_format.name) == expected


def test_types_that_were_created_can_be_used_and_dropped() -> None:
    text = """
    CREATE TYPE P AS STRUCT<X INT, Y ARRAY<STRING>>;
    CREATE STREAM S (K INT KEY, V P, L ARRAY<P>) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
    """
    done = carry_out(text)
    kind = "STRUCT<`X` INTEGER, `Y` ARRAY<STRING>>"
    assert [str(column.type) for column in done.catalogue.source("S").schema.value] == [kind, f"ARRAY<{kind}>"]
    assert not carry_out("DROP TYPE P;", done.catalogue).catalogue.types


@pytest.mark.parametrize(("column", "name"), [("ts", "TS"), ("TS", "TS"), ("`x`", "x"), ('"x"', "x")])
def test_the_timestamp_column_follows_the_rules_of_identifiers(column: str, name: str) -> None:
    text = "CREATE STREAM S (TS BIGINT, `x` BIGINT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON', TIMESTAMP='{}');"
    timestamp = created(text.format(column)).timestamp
    assert timestamp is not None
    assert timestamp.name == name


def test_windowed_keys() -> None:
    text = """
    CREATE TABLE S (K INT PRIMARY KEY, V INT)
      WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON', WINDOW_TYPE='hopping', WINDOW_SIZE='10 minutes');
    """
    window = created(text).window
    assert window is not None
    assert (window.kind.value, window.size_ms) == ("HOPPING", 600_000)


def test_wrapping_is_kept_where_it_was_asked_for() -> None:
    text = "CREATE STREAM S (V INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON'{});"
    assert created(text.format(", WRAP_SINGLE_VALUE=false")).value_format.wrap is False
    assert created(text.format("")).value_format.wrap is None
    unwrapping = Settings({"ksql.persistence.wrap.single.values": "false"})
    assert created(text.format(""), unwrapping).value_format.wrap is False


def test_a_topic_that_is_not_there_needs_partitions() -> None:
    settings = Settings(find_topic=lambda name: TopicFacts(3, 2) if name == "there" else None)
    text = "CREATE STREAM S (V INT) WITH (KAFKA_TOPIC='{}', VALUE_FORMAT='JSON'{});"
    there = carry_out(text.format("there", ""), settings=settings).last
    assert isinstance(there, SourceOutcome)
    assert (there.topic, there.source.partitions) == (None, 3)
    made = carry_out(text.format("new", ", PARTITIONS=5, RETENTION_MS=1000"), settings=settings).last
    assert isinstance(made, SourceOutcome)
    assert made.topic == TopicToCreate("new", 5, 1, {"retention.ms": "1000"})
    for topic, more, sentence in (
        ("new", "", "Topic 'new' does not exist. If you want to create a new topic for the stream/table"),
        ("there", ", PARTITIONS=4", "A Kafka topic with the name 'there' already exists, with different partition"),
    ):
        with pytest.raises(KsqlError, match=sentence):
            carry_out(text.format(topic, more), settings=settings)


def test_columns_from_the_registry() -> None:
    asked: list[InferenceRequest] = []

    def infer(request: InferenceRequest) -> Inferred:
        asked.append(request)
        return (
            Inferred((Field("K", BIGINT),)) if request.is_key else Inferred((Field("A", INTEGER), Field("B", STRING)))
        )

    settings = Settings(infer=infer)
    whole = created("CREATE STREAM S WITH (KAFKA_TOPIC='t', FORMAT='AVRO');", settings)
    assert whole.schema.text(whole.kind) == "`K` BIGINT KEY, `A` INTEGER, `B` STRING"
    assert [(each.topic, each.is_key) for each in asked] == [("t", True), ("t", False)]
    part = created("CREATE TABLE S (ID INT PRIMARY KEY) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='AVRO');", settings)
    assert part.schema.text(part.kind) == "`ID` INTEGER PRIMARY KEY, `A` INTEGER, `B` STRING"


def test_inferred_columns_can_clash_with_those_given() -> None:
    settings = Settings(infer=lambda _: Inferred((Field("A", INTEGER),)))
    with pytest.raises(KsqlError, match="Duplicate column names: `A`"):
        created("CREATE TABLE S (A INT PRIMARY KEY) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='AVRO');", settings)


def test_if_not_exists_leaves_what_is_there() -> None:
    text = "CREATE STREAM {} S (V INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');"
    done = carry_out(text.format("") + text.format("IF NOT EXISTS"))
    assert isinstance(done.last, NothingOutcome)
    assert done.last.changes == ()


def test_columns_can_be_added() -> None:
    text = "CREATE {} STREAM S (V INT{}) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');"
    first = carry_out(text.format("", "")).catalogue
    for more in (text.format("OR REPLACE", ", W STRING"), "ALTER STREAM S ADD COLUMN W STRING;"):
        source = carry_out(more, first).catalogue.source("S")
        assert source.schema.text(source.kind) == "`V` INTEGER, `W` STRING"


def test_a_value_whose_schema_is_no_record_is_not_wrapped() -> None:
    settings = Settings(infer=lambda _: Inferred((Field("ROWVAL", INTEGER),), is_single=True))
    source = created("CREATE STREAM S WITH (KAFKA_TOPIC='t', VALUE_FORMAT='AVRO');", settings)
    assert source.value_format.wrap is False


def test_the_result_of_a_query_has_to_fit_a_schema_that_is_named() -> None:
    settings = Settings(infer=lambda _: Inferred((Field("A", INTEGER), Field("B", STRING))))
    text = """
    CREATE STREAM S (A INT, B STRING) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
    CREATE STREAM X WITH (VALUE_FORMAT='AVRO', VALUE_SCHEMA_ID=7) AS SELECT {} FROM S;
    """
    assert carry_out(text.format("A, B"), settings=settings).query.sink.value_format.schema_id == 7
    assert carry_out(text.format("A"), settings=settings).query
    with pytest.raises(KsqlError, match="The following value columns are changed, missing or reordered: "):
        carry_out(text.format("B, A"), settings=settings)

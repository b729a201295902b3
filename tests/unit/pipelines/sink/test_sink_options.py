"""Options, schemas and rows that cannot be written: one sentence each, before anything is sent."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructField, StructType

from riacho.pipelines.sink.columns import read_columns
from riacho.pipelines.sink.errors import SinkError
from riacho.pipelines.sink.options import parse_options
from riacho.pipelines.sink.process_clients import clients
from riacho.pipelines.sink.task import write_at_least_once
from riacho.pipelines.sink.writer import batch_writer, stream_writer
from riacho.testing import KafkaCluster
from riacho.wire.compression import Codec

BROKERS = {"kafka.bootstrap.servers": "localhost:9092"}


def schema(**types: object) -> StructType:
    return StructType([StructField(name, kind) for name, kind in types.items()])  # type: ignore[arg-type]


VALUE = schema(value=StringType())


def test_java_names() -> None:
    options = parse_options(
        BROKERS
        | {
            "topic": "t",
            "kafka.compression.type": "zstd",
            "kafka.compression.zstd.level": "7",
            "kafka.max.request.size": "5000",
            "kafka.batch.size": "900000",
            "kafka.delivery.timeout.ms": "7",
            "kafka.client.id": "me",
            "checkpointLocation": "elsewhere",
        }
    )
    assert (options.codec, options.compression_level) == (Codec.ZSTD, 7)
    assert (options.batch_size_bytes, options.request_size_bytes_max) == (5_000, 5_000)
    assert (options.delivery_timeout_ms, options.settings.client_id, options.topic) == (7, "me", "t")


def test_options_travel_to_the_tasks() -> None:
    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="geheim";'
    secure = {
        "kafka.security.protocol": "SASL_PLAINTEXT",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": jaas,
    }
    options = parse_options(BROKERS | secure)
    again = pickle.loads(pickle.dumps(options))
    assert again.properties == options.properties
    assert again.settings.security.mechanism == "PLAIN"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"kafka.bootstrap.servers": ""}, r"Option kafka.bootstrap.servers is missing"),
        ({"kafka.bootstrap.servers": "a:b"}, "'a:b' is not an address"),
        ({"kafka.acks": "0"}, r"Option kafka.acks is 0: it must be all or 1\."),
        ({"kafka.acks": "1", "riacho.delivery": "exactly-once"}, "exactly-once needs all"),
        ({"kafka.compression.type": "zip"}, "must be one of none, gzip, snappy, lz4, zstd"),
        ({"kafka.compression.type": "gzip", "kafka.compression.gzip.level": "70"}, "must be from -1 to 9"),
        ({"kafka.linger.ms": "5", "kafka.batch.size": "many"}, r"Option kafka.batch.size is many: it must be a number"),
        ({"kafka.batch.size": "1\N{SUPERSCRIPT TWO}"}, r"Option kafka.batch.size is 1.: it must be a number"),
        ({"kafka.max.in.flight.requests.per.connection": "6"}, "must be 1 to 5"),
        ({"riacho.delivery": "often"}, "it must be exactly-once or at-least-once"),
        ({"riacho.sink.id": "a/b"}, "a name without slashes"),
        ({"riacho.replay": "none"}, "it must be same or any"),
        ({"kafka.security.protocol": "SASL_SSL"}, r"needs sasl.mechanism and sasl.jaas.config"),
    ],
)
def test_options_that_cannot_be_used(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(SinkError, match=sentence):
        parse_options(BROKERS | given)


@pytest.mark.parametrize(
    ("columns", "given", "sentence"),
    [
        ({"value": IntegerType()}, {"topic": "t"}, "Column 'value' is int, but must be string or binary"),
        ({"key": StringType()}, {"topic": "t"}, "The frame has no column 'value'"),
        ({"value": BinaryType()}, {}, "No topic is given"),
        ({"value": BinaryType(), "headers": StringType()}, {"topic": "t"}, "Column 'headers' is string, but must be"),
        ({"value": BinaryType(), "partition": StringType()}, {"topic": "t"}, "Column 'partition' is string"),
        (
            {"value": BinaryType()},
            {"topic": "t", "riacho.delivery": "exactly-once"},
            r"needs the option riacho.sink.id",
        ),
    ],
)
def test_frames_that_cannot_be_written(columns: dict[str, object], given: dict[str, str], sentence: str) -> None:
    with pytest.raises(SinkError, match=sentence):
        batch_writer(BROKERS | given, schema(**columns), False)


def test_a_topic_is_not_overwritten_but_complete_mode_is_written() -> None:
    with pytest.raises(SinkError, match="only ever appended to"):
        batch_writer(BROKERS | {"topic": "t"}, VALUE, True)
    assert stream_writer(BROKERS | {"topic": "t"}, VALUE, True) is not None


def test_a_stream_is_exactly_once_unless_told_otherwise_and_needs_all_replicas() -> None:
    given = BROKERS | {"topic": "t", "kafka.acks": "1"}
    with pytest.raises(SinkError, match=r"kafka.acks is 1: exactly-once needs all"):
        stream_writer(given, VALUE, False)
    assert stream_writer(given | {"riacho.delivery": "at-least-once"}, VALUE, False) is not None


def test_connections_are_kept_from_one_epoch_to_the_next() -> None:
    first, second = (parse_options(BROKERS | {"riacho.batch.id": str(epoch)}) for epoch in (1, 2))
    assert clients(first) is clients(second)
    assert clients(first) is not clients(parse_options(BROKERS | {"kafka.client.id": "another"}))


@pytest.mark.parametrize(
    ("columns", "topic", "sentence"),
    [
        ({"value": pa.array(["a"]), "topic": pa.array([None], pa.string())}, None, "A row has no topic"),
        ({"value": pa.array(["a"]), "timestamp": pa.array([-1], pa.timestamp("us"))}, "t", "lies before 1970"),
        ({"value": pa.array(["a"]), "headers": pa.array([[{"key": None, "value": b""}]])}, "t", "header has no key"),
    ],
)
def test_rows_that_cannot_be_written(columns: dict[str, pa.Array], topic: str | None, sentence: str) -> None:
    with pytest.raises(SinkError, match=sentence):
        read_columns(pa.record_batch(columns), topic)


def test_brokers_and_topics_that_are_not_there(kafka_cluster_session: KafkaCluster) -> None:
    batch = pa.record_batch({"value": pa.array(["a"])})
    quick = {"topic": "no topic", "kafka.max.block.ms": "300"}
    with pytest.raises(SinkError, match="'no topic' cannot be a topic's name"):
        write_at_least_once(
            parse_options({"kafka.bootstrap.servers": kafka_cluster_session.bootstrap_servers} | quick), [batch], 0
        )
    with pytest.raises(Exception, match="Cannot reach the cluster"):
        write_at_least_once(parse_options({"kafka.bootstrap.servers": "localhost:1"} | quick), [batch], 0)

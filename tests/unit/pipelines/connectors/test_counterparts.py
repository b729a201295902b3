"""Connectors that people know and that are not here: the refusal says which of ours does the job."""

from __future__ import annotations

import re

import pytest

from riacho.pipelines.config_def import ConfigError
from riacho.pipelines.connectors import counterparts, registry
from riacho.pipelines.connectors.jdbc.url import parse_jdbc_url
from riacho.pipelines.plugin import ConnectError


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("io.debezium.connector.postgresql.PostgresConnector", "JdbcSource polls"),
        ("io.debezium.connector.mysql.MySqlConnector", "None here follows the log"),
        ("io.debezium.connector.mongodb.MongoDbConnector", "None here follows the log"),
        ("io.confluent.connect.s3.S3SinkConnector", "DirectorySink writes to S3"),
        ("io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector", "DirectorySink writes to S3"),
        ("S3Sink", "DirectorySink writes to S3"),
        ("io.confluent.connect.gcs.GcsSinkConnector", "gs://"),
        ("io.confluent.connect.azure.blob.AzureBlobStorageSinkConnector", "abfs://"),
        ("io.confluent.connect.elasticsearch.ElasticsearchSinkConnector", "HttpSink"),
        ("io.aiven.kafka.connect.opensearch.OpensearchSinkConnector", "HttpSink"),
        ("com.mongodb.kafka.connect.MongoSinkConnector", "spark.format=mongodb"),
        ("com.snowflake.kafka.connector.SnowflakeSinkConnector", "spark.format=snowflake"),
        ("com.wepay.kafka.connect.bigquery.BigQuerySinkConnector", "spark.format=bigquery"),
        ("io.confluent.connect.hdfs.HdfsSinkConnector", "hdfs://"),
        ("com.redis.kafka.connect.RedisSinkConnector", "None here reads or writes Redis"),
        ("io.aiven.connect.jdbc.JdbcSourceConnector", "JdbcSource"),
        ("com.example.OracleJdbcSinkConnector", "spark.format=jdbc"),
        ("io.confluent.connect.replicator.ReplicatorSourceConnector", "MirrorSource"),
    ],
)
def test_a_refusal_says_what_does_the_job_here(name: str, told: str) -> None:
    with pytest.raises(ConnectError) as refused:
        registry.find(name)
    assert str(refused.value).startswith(
        f"Failed to find any class that implements Connector and which name matches {name}"
    )
    assert told in str(refused.value)


def test_of_others_nothing_is_said() -> None:
    assert counterparts.counterpart("com.example.Thing") is None
    with pytest.raises(ConnectError, match=r"SparkSourceConnector$"):
        registry.find("com.example.Thing")


@pytest.mark.parametrize("url", ["jdbc:mysql://h/x?password=hunter2", "jdbc:sqlserver://h", "jdbc:oracle:thin:@h:1:x"])
def test_databases_that_jdbc_does_not_know_here(url: str) -> None:
    with pytest.raises(ConfigError, match=r"spark\.format=jdbc") as refused:
        parse_jdbc_url(url)
    assert "hunter2" not in str(refused.value)


def test_whatever_is_named_is_there() -> None:
    named = {word for row in counterparts._TABLE for word in re.findall(r"\b[A-Z]\w+(?:Sink|Source)\b", row.advice)}
    assert {registry.find(name).CLASS for name in named}
    assert named >= {"DirectorySink", "DirectorySource", "SparkSink", "HttpSink", "HttpSource", "JdbcSource"}

"""Connectors that people know by name and that are not here: which of ours does the job, and how, or that none does.

counterpart("io.confluent.connect.s3.S3SinkConnector")     # "Here DirectorySink writes to S3: ..."
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ALLOWED = "allowed by riacho.connectors.allowed.urls in the worker's file"
_JAR = (
    "with that connector's jar in spark.jars and the format in riacho.connectors.allowed.formats of the worker's file"
)


class _Row(NamedTuple):
    """`pattern` is looked for in the class name, in any case. The first that fits counts."""

    pattern: str
    advice: str


_TABLE = (
    _Row(
        r"debezium.*postgres",
        "None here follows a database's log. JdbcSource polls tables of PostgreSQL (mode=timestamp+incrementing): it "
        "sees new and changed rows, and no deletions.",
    ),
    _Row(r"debezium|(mysql|sqlserver|oracle|db2|maria)\w*cdc", "None here follows the log of such a database."),
    _Row(
        r"\bs3\b|s3(sink|source)|amazon",
        "Here DirectorySink writes to S3: directory=s3://BUCKET/FOLDER, with credentials in the worker's environment; "
        "DirectorySource reads s3a://BUCKET/FOLDER with Hadoop's S3 jars in spark.jars of the worker's file. The "
        f"address must be {_ALLOWED}.",
    ),
    _Row(
        r"\bgcs\b|gcs(sink|source)|google.*storage|storage.*google",
        "Here DirectorySink writes to Google's storage: directory=gs://BUCKET/FOLDER, with credentials in the worker's "
        f"environment. The address must be {_ALLOWED}.",
    ),
    _Row(
        r"azure|datalake|adls|blobstorage",
        "Here DirectorySink writes to Azure's storage: directory=abfs://CONTAINER@ACCOUNT.dfs.core.windows.net/FOLDER, "
        f"with credentials in the worker's environment. The address must be {_ALLOWED}.",
    ),
    _Row(
        r"hdfs|hadoop",
        "Here SparkSink writes to HDFS: spark.format=parquet, spark.option.path=hdfs://HOST/FOLDER; DirectorySource "
        f"reads from there. The address must be {_ALLOWED}.",
    ),
    _Row(
        r"elastic|opensearch",
        "Here HttpSink writes documents, each under its record's key: "
        "http.api.url=http://HOST:9200/${topic}/_doc/${key}, request.method=PUT. None reads them.",
    ),
    _Row(r"mongo", f"Here SparkSink writes by MongoDB's connector for Spark: spark.format=mongodb, {_JAR}."),
    _Row(r"snowflake", f"Here SparkSink writes by Snowflake's connector for Spark: spark.format=snowflake, {_JAR}."),
    _Row(r"bigquery", f"Here SparkSink writes by BigQuery's connector for Spark: spark.format=bigquery, {_JAR}."),
    _Row(r"iceberg", f"Here SparkSink writes by Iceberg's connector for Spark: spark.format=iceberg, {_JAR}."),
    _Row(r"redis", "None here reads or writes Redis."),
    _Row(
        r"(mysql|mariadb|sqlserver|mssql|oracle)",
        "JdbcSource and JdbcSink know PostgreSQL and SQLite. Here SparkSink writes to other databases: "
        "spark.format=jdbc, spark.option.url, spark.option.dbtable, with the driver's jar in spark.jars of the "
        "worker's file; none reads them.",
    ),
    _Row(r"jdbc.*source|source.*jdbc", "Here it is JdbcSource, for PostgreSQL and SQLite, with the same settings."),
    _Row(r"jdbc", "Here it is JdbcSink, for PostgreSQL and SQLite, with the same settings."),
    _Row(r"replicator", "Here it is MirrorSource, with MirrorMaker 2's settings."),
    _Row(
        r"spooldir|filepulse|sftp.*source", "Here DirectorySource reads files that arrive in a folder of the machine."
    ),
    _Row(r"http.*sink|webhook", "Here it is HttpSink."),
    _Row(r"http.*source|rest.*source", "Here it is HttpSource."),
)
_OTHER_DATABASE = re.compile(r"jdbc:(mysql|mariadb|sqlserver|oracle|db2|h2|snowflake|redshift)\b", re.IGNORECASE)


def counterpart(class_name: str) -> str | None:
    """A sentence or two; None where nothing is known of such a connector."""
    return next((row.advice for row in _TABLE if re.search(row.pattern, class_name, re.IGNORECASE)), None)


def database_counterpart(url: str) -> str | None:
    """The same for the address of a database that the JDBC connectors do not know. Does not repeat the address."""
    found = _OTHER_DATABASE.match(url.strip())
    return None if found is None else counterpart("mysql")

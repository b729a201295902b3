"""The session that statements run in: settings on which the meaning of compiled expressions depends, and functions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from riacho.pipelines.spark.session import MASTER_VARIABLE, spark
from riacho.pipelines.spark.web_ui import CHILD_DEFAULTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

APP_NAME = "riacho-ksql"

MEANING = {
    # An expression that fails gives null, and integers wrap, as in Java.
    "spark.sql.ansi.enabled": "false",
    # `a` and A are two columns.
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    # A key that comes twice has its last value, as in Java's maps.
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    # Types of decimals are computed by analysis; Spark would make room for digits by dropping others.
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    # Rows are read by `from_json`, which keeps the column of this name for itself.
    "spark.sql.columnNameOfCorruptRecord": "_row that cannot be read_",
    # '${env:HOME}' in a statement is a text: Spark would put the driver's environment in its place.
    "spark.sql.variable.substitute": "false",
    # Literals are written with backslashes before what would end them (`row_json.sql_string`).
    "spark.sql.parser.escapedStringLiterals": "false",
}
# Of a session too, so a server of Spark Connect takes them: without this store there is no transformWithState.
_STATE = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
_RUNNING = {
    "spark.scheduler.mode": "FAIR",
    "spark.sql.streaming.numRecentProgressUpdates": "20",
    "spark.sql.streaming.noDataProgressEventInterval": "10000",
    "spark.sql.streaming.stopTimeout": "30000",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}


def ksql_session(bootstrap: str, given: Mapping[str, str]) -> tuple[SparkSession, str]:
    """The session and its master. A Spark Connect server has settings of its own, but for those of the session."""
    master = given.get("spark.master") or os.environ.get(MASTER_VARIABLE)
    is_remote = (master or "").startswith("sc://")
    conf = {**_STATE, **({} if is_remote else _RUNNING | CHILD_DEFAULTS), **given, **MEANING}
    conf.pop("spark.master", None)
    session = spark(APP_NAME, master=master, bootstrap=bootstrap, conf=conf)
    return session, master or session.conf.get("spark.master", "") or ""

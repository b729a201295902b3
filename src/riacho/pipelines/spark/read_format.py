"""Which connector reads topics: ours, or the one that comes with Spark.

    spark.readStream.format(riacho.read_format(spark)).option("subscribe", "orders")...

Both take the same options and give the same rows, so one setting of the session, `spark.riacho.reader`, chooses for a
whole program. The official one needs its jar on the class path (`spark.jars` or `spark.jars.packages`), and its
`kafka.bootstrap.servers` said with each read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.config import ConfigError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTING = "spark.riacho.reader"
_FORMATS = {"riacho": "riacho", "official": "kafka"}


def read_format(session: SparkSession) -> str:
    chosen = session.conf.get(SETTING, "riacho")
    if chosen not in _FORMATS:
        raise ConfigError(f"{SETTING}={chosen}: write one of {', '.join(_FORMATS)}.")
    return _FORMATS[chosen]

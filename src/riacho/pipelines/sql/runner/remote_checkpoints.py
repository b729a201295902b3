"""Checkpoints where only Spark can reach (hdfs://, s3a://): deleted by Hadoop's file systems in the driver's JVM."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, cast

from riacho.pipelines.spark.failures import failure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def delete_checkpoints(spark: SparkSession, location: str, names: Collection[str], warn: Callable[[str], None]) -> None:
    """Those of `names` that are below `location`; what cannot be deleted stays, and `warn` is called with it."""
    try:
        # A session of Spark Connect has neither.
        jvm, context = cast(Any, spark)._jvm, cast(Any, spark)._jsc
        root = jvm.org.apache.hadoop.fs.Path(location)
        files = root.getFileSystem(context.hadoopConfiguration())
        there = {each.getPath().getName(): each.getPath() for each in files.listStatus(root)}
    except Exception as error:
        warn(f"checkpoints not deleted location={location} count={len(names)} reason={failure(error).sentence}")
        return
    for name in there.keys() & set(names):
        try:
            files.delete(there[name], True)
        except Exception as error:
            warn(f"checkpoint not deleted name={name} reason={failure(error).sentence}")

"""What a runner that was killed left of a query's first micro-batch, taken away before the query is started again.

Spark writes the offsets of a micro-batch into a hidden file, and then gives it its name. If it dies in between the file
stays, which harms nobody later on; but before the first micro-batch of a query with state, Spark wants that directory
to be empty, and refuses the query for good. Where no micro-batch has its name nothing was read or written yet, so there
is nothing to be lost.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OFFSETS = "offsets"


def clear_abandoned_start(spark: SparkSession, checkpoint: str) -> None:
    """Nothing where the query has begun. Not while another writes to that checkpoint."""
    if "://" in checkpoint:
        _clear_remote(spark, f"{checkpoint}/{_OFFSETS}")
        return
    offsets = Path(checkpoint) / _OFFSETS
    found = list(offsets.iterdir()) if offsets.is_dir() else []
    if all(_is_hidden(each.name) for each in found):
        for each in found:
            each.unlink()


def _clear_remote(spark: SparkSession, location: str) -> None:
    # A session of Spark Connect has neither; whoever runs it looks after its file systems.
    jvm, context = getattr(spark, "_jvm", None), getattr(spark, "_jsc", None)
    if jvm is None or context is None:
        return
    offsets = cast(Any, jvm).org.apache.hadoop.fs.Path(location)
    files = offsets.getFileSystem(cast(Any, context).hadoopConfiguration())
    if not files.exists(offsets):
        return
    found = [each.getPath() for each in files.listStatus(offsets)]
    if all(_is_hidden(each.getName()) for each in found):
        for each in found:
            files.delete(each, False)


def _is_hidden(name: str) -> bool:
    return name.startswith(".")

"""Writing from foreachBatch: what a query in update mode needs, as Spark's Python sinks take append and complete only.

query = counts.writeStream.outputMode("update").foreachBatch(write_to(topic="counts", sink_id="counts", **options))
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame

from riacho.pipelines.sink.options import DELIVERY, EXACTLY_ONCE, SINK_ID
from riacho.pipelines.sink.writer import BATCH_ID

_FORMAT = "riacho"


def write_to(
    *, topic: str | None = None, sink_id: str, delivery: str = EXACTLY_ONCE, **options: str
) -> Callable[[DataFrame, int], None]:
    """What foreachBatch is to call; `sink_id` tells this write from others of the same query, and must not change.

    Options are those of the format; underscores stand for dots (`kafka_bootstrap_servers`). On Spark Connect a write is
    not given its query: give `riacho_query_id` there, a name that stays with the checkpoint and is new with a new one.
    """
    given = {name.replace("_", "."): value for name, value in options.items()}
    given |= {SINK_ID: sink_id, DELIVERY: delivery}
    if topic is not None:
        given["topic"] = topic

    def write(frame: DataFrame, epoch: int) -> None:
        frame.write.format(_FORMAT).mode("append").options(**given, **{BATCH_ID: str(epoch)}).save()

    return write

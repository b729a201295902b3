"""A user's own program on some Spark: one topic to two others, each record once, by both ways to write.

    python spark_masters_worker.py SETTINGS BOOTSTRAP TOPIC DIRECTORY

SETTINGS is JSON with `spark.master`. TOPIC goes to TOPIC-stream in capitals, and the counts of its keys, as they
change, to TOPIC-counts. Both end with what is there now; a second run goes on from the first one's checkpoints.
"""

from __future__ import annotations

import json
import sys

import riacho

_LIMIT_S = 200


def main(settings: dict[str, str], bootstrap: str, topic: str, directory: str) -> None:
    from riacho.pipelines.sink.each_batch import write_to

    spark = riacho.spark("plain", settings.pop("spark.master"), bootstrap, conf=settings)
    try:
        rows = spark.readStream.format("riacho").option("subscribe", topic).option("startingOffsets", "earliest").load()
        capitals = rows.selectExpr("key", "upper(cast(value as string)) as value").writeStream.format("riacho")
        capitals = capitals.option("topic", f"{topic}-stream")
        counts = rows.groupBy("key").count().selectExpr("key", "cast(count as string) as value").writeStream
        write = write_to(
            topic=f"{topic}-counts", sink_id="counts", kafka_bootstrap_servers=bootstrap, riacho_query_id=topic
        )
        counts = counts.outputMode("update").foreachBatch(write)
        for name, stream in (("stream", capitals), ("counts", counts)):
            stream = stream.option("checkpointLocation", f"{directory}/{name}").trigger(availableNow=True)
            assert stream.start().awaitTermination(_LIMIT_S), f"{name} did not end"
    finally:
        spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4])

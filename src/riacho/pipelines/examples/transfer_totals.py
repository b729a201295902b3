"""Totals of bank transfers by account and ten seconds, kept true in a topic: a Spark program on Riacho, all of it.

    python -m riacho.pipelines.examples.transfer_totals BOOTSTRAP REGISTRY CHECKPOINT

It reads Avro from `transfers`, passes over what cannot be read, adds up by window and account, and writes each total
that changed to `transfer-totals`, exactly once: kill it at any time and start it again with the same checkpoint.
"""

from __future__ import annotations

import signal
import sys
import threading

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import riacho
from riacho.pipelines.formats.functions import from_avro
from riacho.pipelines.sink.each_batch import write_to

SOURCE = "transfers"
TARGET = "transfer-totals"
WINDOW = "10 seconds"
_TRIGGER = "1 second"
_LOOK_S = 1


def totals(transfers: DataFrame, registry: str) -> DataFrame:
    """Rows of the topic in, key and value of the totals out."""
    # What cannot be read is null here; the archive's dead letters have it.
    transfer = from_avro("value", registry=registry, subject=f"{SOURCE}-value", options={"mode": "PERMISSIVE"})
    read = transfers.select("timestamp", transfer.alias("transfer"))
    summed = (
        read.where("transfer IS NOT NULL")
        .withWatermark("timestamp", "1 minute")
        .groupBy(F.window("timestamp", WINDOW).alias("window"), F.col("transfer.account").alias("account"))
        .agg(F.sum("transfer.amount_cents").alias("cents"), F.count("*").alias("transfers"))
    )
    start = F.unix_millis("window.start")
    return summed.select(
        F.concat_ws("@", "account", start.cast("string")).alias("key"),
        F.to_json(F.struct("account", start.alias("from_ms"), "cents", "transfers")).alias("value"),
    )


def main(bootstrap: str, registry: str, checkpoint: str) -> None:
    spark = riacho.spark("transfer-totals", bootstrap=bootstrap)
    spark.sparkContext.setLogLevel("ERROR")
    source = spark.readStream.format("riacho").option("subscribe", SOURCE).option("startingOffsets", "earliest")
    transfers = source.option("kafka.client.id", TARGET).load()
    query = (
        totals(transfers, registry)
        .writeStream.outputMode("update")
        .foreachBatch(write_to(topic=TARGET, sink_id=TARGET, kafka_bootstrap_servers=bootstrap, kafka_client_id=TARGET))
        .option("checkpointLocation", checkpoint)
        .trigger(processingTime=_TRIGGER)
        .queryName("transfer-totals")
        .start()
    )
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: stopped.set())
    while not stopped.is_set() and not query.awaitTermination(_LOOK_S):
        pass
    query.stop()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:4])

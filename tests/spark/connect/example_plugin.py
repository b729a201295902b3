"""Connectors of somebody else's: a source that counts, and a sink that keeps how many records each topic had.

They are found by naming this module in the worker's `plugin.modules`, or by an entry point of the group
`riacho.connectors` in the package that has them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.plugin import Rejected, SinkConnector, SourceConnector, SourceOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class CounterSource(SourceConnector):
    CLASS = "com.example.CounterSourceConnector"
    VERSION = "1.0"
    DOC = "Numbers, a few in each batch."
    CONFIG = ConfigDef(Definition("topic", ConfigType.STRING, doc="Where the numbers go.", required=True))

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        from pyspark.sql import functions as F

        numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "10").load()
        return numbers.select(F.lit(str(self.settings["topic"])).alias("topic"), F.struct("value").alias("value"))


class TallySink(SinkConnector):
    CLASS = "com.example.TallySinkConnector"
    VERSION = "1.0"
    DOC = "How many records each topic had, as a file of JSON."
    CONFIG = ConfigDef(Definition("file", ConfigType.STRING, doc="The file to keep.", required=True))

    def put(self, batch: DataFrame, batch_id: int) -> Sequence[Rejected]:
        file = Path(str(self.settings["file"]))
        kept = json.loads(file.read_text()) if file.exists() else {"batch": -1, "counts": {}}
        # A batch that comes again after a failure has been counted already if its id is there.
        if kept["batch"] < batch_id:
            for row in batch.groupBy("topic").count().collect():
                kept["counts"][row["topic"]] = kept["counts"].get(row["topic"], 0) + row["count"]
            fresh = file.with_suffix(".new")
            fresh.write_text(json.dumps({"batch": batch_id, "counts": kept["counts"]}))
            fresh.replace(file)
        return ()

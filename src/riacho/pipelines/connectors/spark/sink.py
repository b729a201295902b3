"""Any sink that Spark knows, by its format's name.

    {"connector.class": "SparkSink", "topics": "orders", "spark.format": "parquet", "spark.option.path": "/data/orders"}

The fields of the values are the columns. A batch that is run again after a failure is written again: at least once,
unless the format tells batches apart by itself (Delta does, by `txnAppId` and `txnVersion`, which are set here).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from riacho.base.config import one_of
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.connectors.delta_jars import FORMAT as DELTA
from riacho.pipelines.connectors.delta_jars import delta_errors
from riacho.pipelines.connectors.scratch_id import file_token
from riacho.pipelines.connectors.spark.source import unknown_settings
from riacho.pipelines.plugin import Rejected, SinkConnector
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.reach.spark_formats import OPTION, spark_options, spark_refusals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class SparkSink(SinkConnector):
    CLASS = "riacho.connect.SparkSinkConnector"
    DOC = "Any sink of Spark's, by its format."
    CLIENT_PREFIXES = (f"{OPTION}kafka.",)
    CONFIG = ConfigDef(
        Definition(
            "spark.format",
            ConfigType.STRING,
            doc="The format's name; its options are spark.option.*.",
            required=True,
            importance=Importance.HIGH,
        ),
        Definition(
            "spark.mode",
            ConfigType.STRING,
            "append",
            doc="What becomes of what is there already.",
            valid=one_of("append", "overwrite", "ignore", "error"),
        ),
        Definition("spark.partition.by", ConfigType.LIST, "", doc="Fields of the value to partition by."),
        Definition("include.metadata", ConfigType.BOOLEAN, "false", doc="Whether topic and offset are columns too."),
    )

    @classmethod
    def reach(cls, configs: Mapping[str, str], limits: Limits) -> Iterator[tuple[str, str]]:
        is_replaced = configs.get("spark.mode", "append") == "overwrite"
        yield from spark_refusals(configs.get("spark.format", ""), configs, limits, is_replaced=is_replaced)
        yield from unknown_settings(cls.CONFIG, configs)

    def put(self, batch: DataFrame, batch_id: int) -> Sequence[Rejected]:
        from riacho.pipelines.connectors.row_records import values_as_rows

        name = str(self.settings["spark.format"])
        rows = values_as_rows(batch, self.settings["include.metadata"] is True)
        writer = rows.write.format(name).mode(str(self.settings["spark.mode"]))
        is_delta = name.lower() == DELTA
        if is_delta:
            # With the checkpoint in it: batches of another one count from zero too.
            token = file_token(self.context.name, self.context.scratch)
            writer = writer.option("txnAppId", token).option("txnVersion", str(batch_id))
        fields = self.settings["spark.partition.by"]
        if isinstance(fields, list) and fields:
            writer = writer.partitionBy(*fields)
        with delta_errors(rows.sparkSession.version) if is_delta else nullcontext():
            writer.options(**spark_options(self.context.configs)).save()
        return ()

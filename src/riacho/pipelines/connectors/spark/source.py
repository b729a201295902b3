"""Any streaming source that Spark knows, by its format's name.

    {"connector.class": "SparkSource", "spark.format": "rate", "spark.option.rowsPerSecond": "10", "topic": "numbers"}

A frame with a `value` column and none but those of a record is taken as records; of any other each row becomes a value
with the columns as its fields. Offsets are Spark's own, and only its checkpoint can go on from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.plugin import ConnectError, SourceConnector, SourceOffset
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.reach.spark_formats import OPTION, spark_options, spark_refusals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkSource(SourceConnector):
    CLASS = "riacho.connect.SparkSourceConnector"
    DOC = "Any streaming source of Spark's, by its format."
    CLIENT_PREFIXES = (f"{OPTION}kafka.",)
    CONFIG = ConfigDef(
        Definition(
            "spark.format",
            ConfigType.STRING,
            doc="The format's name; its options are spark.option.*.",
            required=True,
            importance=Importance.HIGH,
        ),
        Definition("spark.schema", ConfigType.STRING, doc="The schema as DDL, for formats that need one."),
        Definition(
            "topic",
            ConfigType.STRING,
            doc="Where the rows go; needed unless they have a topic column.",
            importance=Importance.HIGH,
        ),
    )

    @classmethod
    def reach(cls, configs: Mapping[str, str], limits: Limits) -> Iterator[tuple[str, str]]:
        yield from spark_refusals(configs.get("spark.format", ""), configs, limits)
        yield from unknown_settings(cls.CONFIG, configs)

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Sequence[SourceOffset]) -> None:
        if any(each.offset is not None for each in offsets):
            raise ConnectError("The offsets of a Spark source are in its checkpoint and cannot be given from outside.")

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        from riacho.pipelines.connectors.row_records import rows_as_records

        # Those of a connector that was deleted mean nothing without its checkpoint: this one begins anew.
        name = str(self.settings["spark.format"])
        reader = spark.readStream.format(name).options(**spark_options(self.context.configs))
        if self.settings["spark.schema"]:
            reader = reader.schema(str(self.settings["spark.schema"]))
        return rows_as_records(reader.load(), self.settings["topic"])


def unknown_settings(known: ConfigDef, configs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A session is the worker's to set up: what would be set of it here is refused rather than passed over."""
    for name in configs:
        if name.lower().startswith("spark.") and not name.lower().startswith(OPTION) and name not in known:
            yield name, "settings of Spark's session stand in the worker's file"

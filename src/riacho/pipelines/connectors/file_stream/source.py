"""Lines of one growing file to a topic: Kafka's FileStreamSource.

    {"connector.class": "FileStreamSource", "file": "/var/log/orders.log", "topic": "orders"}

A line counts once it ends: what follows the last newline waits for the rest. The file need not exist at first. Its
offset is the position in bytes, as Kafka's; after a restart reading goes on there. One that became shorter than what
was read has been replaced, which is said rather than guessed around.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riacho.base.config import at_least
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance, Outside
from riacho.pipelines.connectors.offset_values import check_count
from riacho.pipelines.plugin import ConnectError, SourceConnector, SourceOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILENAME = "filename"
POSITION = "position"


class FileStreamSource(SourceConnector):
    CLASS = "org.apache.kafka.connect.file.FileStreamSourceConnector"
    DOC = "Lines of a file, as they are appended."
    CONFIG = ConfigDef(
        Definition(
            "file",
            ConfigType.STRING,
            doc="The file to read.",
            required=True,
            importance=Importance.HIGH,
            outside=Outside.FILE,
        ),
        Definition("topic", ConfigType.STRING, doc="Where the lines go.", required=True, importance=Importance.HIGH),
        Definition(
            "batch.size",
            ConfigType.INT,
            "2000",
            doc="How many lines are handed on in one go.",
            valid=at_least(1),
            importance=Importance.LOW,
        ),
    )

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Sequence[SourceOffset]) -> None:
        for each in offsets:
            if FILENAME not in each.partition:
                raise ConnectError(f"Partition objects should contain the key '{FILENAME}'")
            if each.offset is None:
                continue
            if POSITION not in each.offset:
                raise ConnectError(f"Offset objects should either be null or contain the key '{POSITION}'")
            check_count(each.offset, POSITION)

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        from pyspark.sql import functions as F

        from riacho.pipelines.connectors.file_stream.line_stream import FORMAT, LineDataSource

        spark.dataSource.register(LineDataSource)
        lines = (
            spark.readStream.format(FORMAT)
            .option("file", str(self.settings["file"]))
            .option("position", str(self._beginning(offsets)))
            .option("batchSize", str(self.settings["batch.size"]))
            .option("limits", json.dumps(self.context.limits.as_json()))
            .load()
        )
        return lines.select(F.lit(str(self.settings["topic"])).alias("topic"), "value")

    def source_offsets(self, end: Mapping[str, Any]) -> list[SourceOffset]:
        return [SourceOffset({FILENAME: str(self.settings["file"])}, {POSITION: end.get(POSITION, 0)})]

    def _beginning(self, offsets: Sequence[SourceOffset] | None) -> int:
        file = str(self.settings["file"])
        for each in offsets or ():
            same = each.partition.get(FILENAME) in (file, str(Path(file)))
            if same and each.offset is not None:
                return int(each.offset.get(POSITION, 0))
        return 0

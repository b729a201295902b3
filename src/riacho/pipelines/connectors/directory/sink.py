"""Records as files in a directory: Parquet, JSON, CSV or Delta, by partition fields, each record once.

    {"connector.class": "DirectorySink", "topics": "orders", "directory": "/data/orders", "format": "parquet",
     "partition.by": "country"}

A file's name says the checkpoint, the batch and the task that wrote it, and it gets that name when it is whole; so a
batch that is run again replaces its files. Fields that come later are in the files from then on, as Spark and others
read them with `mergeSchema`. Delta keeps its own log, and tells batches apart by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from riacho.base.config import one_of
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance, Outside
from riacho.pipelines.connectors.delta_jars import FORMAT as DELTA
from riacho.pipelines.connectors.delta_jars import delta_errors
from riacho.pipelines.connectors.scratch_id import file_token
from riacho.pipelines.plugin import ConnectError, Rejected, SinkConnector
from riacho.pipelines.reach.limits import ALL, Limits
from riacho.pipelines.reach.spark_formats import spark_options, spark_refusals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FORMATS = ("parquet", "json", "csv", DELTA)
_NOTE = "directory-batch"


class DirectorySink(SinkConnector):
    CLASS = "riacho.connect.DirectorySinkConnector"
    DOC = "Records as Parquet, JSON, CSV or Delta files of a directory."
    CONFIG = ConfigDef(
        Definition(
            "directory",
            ConfigType.STRING,
            doc="Where files go.",
            required=True,
            importance=Importance.HIGH,
            outside=Outside.FOLDER,
        ),
        Definition(
            "format", ConfigType.STRING, "parquet", doc="What files are.", valid=one_of(*FORMATS), recommended=FORMATS
        ),
        Definition("partition.by", ConfigType.LIST, "", doc="Fields of the value that make directories."),
        Definition("include.metadata", ConfigType.BOOLEAN, "false", doc="Whether topic and offset are columns too."),
        Definition(
            "compression",
            ConfigType.STRING,
            "snappy",
            doc="How Parquet is compressed.",
            valid=one_of("none", "snappy", "gzip", "zstd", "lz4"),
        ),
    )

    @classmethod
    def reach(cls, configs: Mapping[str, str], limits: Limits) -> Iterator[tuple[str, str]]:
        kind = configs.get("format", "parquet")
        return spark_refusals(kind, configs, replace(limits, formats=(ALL,))) if kind in FORMATS else iter(())

    def put(self, batch: DataFrame, batch_id: int) -> Sequence[Rejected]:
        from riacho.pipelines.connectors.row_records import values_as_rows

        rows = values_as_rows(batch, self.settings["include.metadata"] is True)
        fields = self._fields(rows.columns)
        if self.settings["format"] == DELTA:
            self._put_delta(rows, fields, batch_id)
        else:
            self._put_files(rows, fields, batch_id)
        return ()

    def _fields(self, columns: Sequence[str]) -> list[str]:
        wanted = self.settings["partition.by"]
        fields = list(wanted) if isinstance(wanted, list) else []
        for field in fields:
            if field not in columns:
                raise ConnectError(f"The records have no field {field} to make directories by (partition.by).")
        return fields

    def _put_delta(self, rows: DataFrame, fields: list[str], batch_id: int) -> None:
        writer = rows.write.format(DELTA).mode("append").option("mergeSchema", "true")
        writer = writer.option("txnAppId", self._token()).option("txnVersion", str(batch_id))
        if fields:
            writer = writer.partitionBy(*fields)
        with delta_errors(rows.sparkSession.version):
            writer.options(**spark_options(self.context.configs)).save(str(self.settings["directory"]))

    def _put_files(self, rows: DataFrame, fields: list[str], batch_id: int) -> None:
        from riacho.pipelines.connectors.directory.files import FileWriter, remove_batch

        directory, kind = str(self.settings["directory"]), str(self.settings["format"])
        prefix = f"{self._token()}-{batch_id:09d}"
        note = Path(self.context.scratch) / _NOTE
        if note.exists() and note.read_text() == prefix:
            # A second try, maybe split into other tasks than the first.
            remove_batch(directory, prefix)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(prefix)
        write = FileWriter(directory, kind, tuple(fields), prefix, str(self.settings["compression"]))
        if kind == "json":
            rows = _as_json(rows, fields)
        rows.mapInArrow(write, "rows long").count()

    def _token(self) -> str:
        """The connector and its checkpoint: batches of another checkpoint count from zero too."""
        return file_token(self.context.name, self.context.scratch)


def _as_json(rows: DataFrame, fields: Sequence[str]) -> DataFrame:
    """The directories' fields, and the others as one line of JSON."""
    from pyspark.sql import functions as F

    others = [F.col(f"`{name}`") for name in rows.columns if name not in fields]
    line = F.to_json(F.struct(*others), {"ignoreNullFields": "false"})
    return rows.select(*(F.col(f"`{name}`") for name in fields), line.alias("value"))

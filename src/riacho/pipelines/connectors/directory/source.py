"""Files that arrive in a directory: lines, JSON, CSV or Parquet, by Spark's own file streams.

    {"connector.class": "DirectorySource", "directory": "/data/in", "format": "json", "topic": "orders"}

Each row is a record; in lines it is the text, in the others the columns are fields of the value. Files have to arrive
whole (written elsewhere and moved in). Without `schema` the fields are those of the files that are there at the start.
A line that is no JSON or CSV of those fields is a bad record, and no more than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from riacho.base.config import at_least, one_of
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance, Outside
from riacho.pipelines.plugin import ConnectError, SourceConnector, SourceOffset
from riacho.pipelines.reach.limits import ALL, Limits
from riacho.pipelines.reach.spark_formats import spark_options, spark_refusals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_FORMATS = {"lines": "text", "json": "json", "csv": "csv", "parquet": "parquet"}
_BAD = "_not_understood"


class DirectorySource(SourceConnector):
    CLASS = "riacho.connect.DirectorySourceConnector"
    DOC = "Rows of files that arrive in a directory."
    CONFIG = ConfigDef(
        Definition(
            "directory",
            ConfigType.STRING,
            doc="Where files arrive.",
            required=True,
            importance=Importance.HIGH,
            outside=Outside.FOLDER,
        ),
        Definition("topic", ConfigType.STRING, doc="Where rows go.", required=True, importance=Importance.HIGH),
        Definition(
            "format",
            ConfigType.STRING,
            "lines",
            doc="What the files are.",
            valid=one_of(*_FORMATS),
            recommended=tuple(_FORMATS),
        ),
        Definition("schema", ConfigType.STRING, doc="The fields as DDL, e.g. `id INT, name STRING`."),
        Definition("pattern", ConfigType.STRING, doc="Only files with such a name, e.g. `*.json`."),
        Definition("files.max", ConfigType.INT, "100", doc="Files at most in one batch.", valid=at_least(1)),
    )

    @classmethod
    def reach(cls, configs: Mapping[str, str], limits: Limits) -> Iterator[tuple[str, str]]:
        kind = _FORMATS.get(configs.get("format", "lines"))
        return spark_refusals(kind, configs, replace(limits, formats=(ALL,))) if kind else iter(())

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Sequence[SourceOffset]) -> None:
        if any(each.offset is not None for each in offsets):
            raise ConnectError("Which files have been read is in the checkpoint and cannot be given from outside.")

    def prepare(self) -> None:
        directory = str(self.settings["directory"])
        if "://" not in directory and not Path(directory).is_dir():
            raise ConnectError(f"The directory {directory} does not exist.")

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        from pyspark.sql import functions as F

        from riacho.pipelines import records
        from riacho.pipelines.connectors.row_records import rows_as_records

        # Offsets of a connector that was deleted mean nothing without its checkpoint: this one begins anew.
        directory, kind = str(self.settings["directory"]), str(self.settings["format"])
        reader = spark.readStream.format(_FORMATS[kind]).options(**self._options())
        reader = reader.option("maxFilesPerTrigger", str(self.settings["files.max"]))
        if kind == "lines":
            return rows_as_records(reader.load(directory), self.settings["topic"])
        schema = self._schema(spark)
        if kind == "parquet":
            return rows_as_records(reader.schema(schema).load(directory), self.settings["topic"])
        # Of a row that cannot be read, Spark keeps the text in this column: so it can be logged and left out alone.
        rows = reader.schema(schema.add(_BAD, "string")).option("columnNameOfCorruptRecord", _BAD).load(directory)
        value = F.struct(*(F.col(f"`{name}`") for name in schema.names if name != _BAD))
        bad = F.col(_BAD).isNotNull()
        found = rows.select(
            F.lit(str(self.settings["topic"])).alias(records.TOPIC),
            F.when(~bad, value).alias(records.VALUE),
            F.lit(None).cast(records.ERROR_TYPE).alias(records.ERROR),
            F.col(_BAD),
        )
        message = F.concat(F.lit(f"The line is no {kind.upper()} with the fields of the others: "), F.col(_BAD))
        return records.fail_where(
            found, bad, stage="TASK_POLL", class_name=self.CLASS, message=F.substring(message, 1, 300)
        ).drop(_BAD)

    def _schema(self, spark: SparkSession) -> StructType:
        from pyspark.errors import AnalysisException
        from pyspark.sql.types import StructType

        given = self.settings["schema"]
        if given:
            parsed = StructType.fromDDL(str(given))
            if not isinstance(parsed, StructType):
                raise ConnectError(f"The schema {given} has no names of fields.")
            return parsed
        kind, directory = str(self.settings["format"]), str(self.settings["directory"])
        options = {"inferSchema": "true"} | self._options()
        try:
            schema = spark.read.format(kind).options(**options).load(directory).schema
        except AnalysisException:
            schema = StructType()
        if not schema.fields:
            raise ConnectError(f"No {kind} file is in {directory} yet to take the fields from: set schema.")
        return schema

    def _options(self) -> dict[str, str]:
        options = {"header": "true"} if self.settings["format"] == "csv" else {}
        if self.settings["pattern"]:
            options["pathGlobFilter"] = str(self.settings["pattern"])
        return options | spark_options(self.context.configs)

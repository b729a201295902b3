"""Datagen: made-up records of a well-known kind (`quickstart`) or after a schema of one's own.

Confluent's settings. Record number n of a task is always the same for the same seed, so a micro-batch that is read
again is the same; without `random.seed` the connector's name is the seed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from riacho.base.config import Value, at_least
from riacho.pipelines.config_def import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConfigValue,
    Definition,
    Importance,
    Outside,
    with_errors,
)
from riacho.pipelines.connectors.datagen.quickstarts import QUICKSTARTS
from riacho.pipelines.connectors.datagen.schema import record_recipe
from riacho.pipelines.connectors.offset_values import check_count, check_keys
from riacho.pipelines.plugin import ConnectError, SourceConnector, SourceOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SOURCES = ("quickstart", "schema.string", "schema.filename")


def _valid_quickstart(name: str, value: Value) -> None:
    if value and str(value).lower() not in QUICKSTARTS:
        known = ", ".join(sorted(QUICKSTARTS))
        raise ConfigError(f"Invalid value {value} for configuration {name}: String must be one of: {known}")


def _valid_schema(name: str, value: Value) -> None:
    if value:
        try:
            record_recipe(str(value))
        except ConfigError as error:
            raise ConfigError(f"{name} cannot be used: {error}") from None


class DatagenConnector(SourceConnector):
    CLASS: ClassVar[str] = "io.confluent.kafka.connect.datagen.DatagenConnector"
    DOC: ClassVar[str] = "Made-up records: users, orders, clicks and the like, or after an Avro schema."
    CONFIG: ClassVar[ConfigDef] = ConfigDef(
        Definition(
            "kafka.topic", ConfigType.STRING, doc="Where records go.", required=True, importance=Importance.HIGH
        ),
        Definition(
            "quickstart",
            ConfigType.STRING,
            "",
            doc="Which of the well-known data sets to make.",
            valid=_valid_quickstart,
            importance=Importance.HIGH,
            recommended=tuple(sorted(QUICKSTARTS)),
        ),
        Definition(
            "schema.string",
            ConfigType.STRING,
            "",
            doc="An Avro record schema in JSON, with arg.properties that say how to fill it.",
            valid=_valid_schema,
        ),
        Definition("schema.filename", ConfigType.STRING, "", doc="A file with such a schema.", outside=Outside.FILE),
        Definition("schema.keyfield", ConfigType.STRING, "", doc="The field that becomes the key."),
        Definition(
            "max.interval",
            ConfigType.LONG,
            "500",
            doc="The longest wait in ms between two records of a task; 0: as many as go.",
            importance=Importance.HIGH,
        ),
        Definition(
            "iterations",
            ConfigType.INT,
            "-1",
            doc="How many records each task makes; -1: without end.",
            valid=at_least(-1),
            importance=Importance.HIGH,
        ),
        Definition("random.seed", ConfigType.LONG, doc="The same seed gives the same records."),
    )

    @classmethod
    def check(cls, configs: Mapping[str, str]) -> list[ConfigValue]:
        given = [name for name in _SOURCES if configs.get(name, "").strip()]
        at_fault = given[-1] if given else "quickstart"
        wrong = "Set exactly one of quickstart, schema.string and schema.filename"
        return with_errors(super().check(configs), {} if len(given) == 1 else {at_fault: wrong})

    def prepare(self) -> None:
        """ConnectError when the schema is not to be had, or lacks the key field."""
        text, key = self._recipe()
        try:
            _, fields = record_recipe(text)
        except ConfigError as error:
            raise ConnectError(f"The schema cannot be used: {error}") from None
        if key and key not in fields:
            raise ConnectError(f"The schema has no field {key} for schema.keyfield; it has {', '.join(fields)}")

    def _recipe(self) -> tuple[str, str]:
        """The schema's text and the field that is the key, or ''."""
        given: Mapping[str, Any] = self.settings
        key = given["schema.keyfield"]
        if given["quickstart"]:
            usual, schema = QUICKSTARTS[given["quickstart"].lower()]
            return json.dumps(schema), key or usual
        if given["schema.string"]:
            return given["schema.string"], key
        try:
            return Path(given["schema.filename"]).read_text(encoding="utf-8"), key
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise ConnectError(f"The schema file {given['schema.filename']} cannot be read: {reason}") from None

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        from pyspark.sql import functions as F

        from riacho.pipelines.connectors.datagen.stream import FORMAT, DatagenDataSource

        spark.dataSource.register(DatagenDataSource)
        given: Mapping[str, Any] = self.settings
        text, key = self._recipe()
        start = {
            str(each.partition.get("task.id")): each.offset["current.iteration"]
            for each in offsets or ()
            if each.offset
        }
        options = {
            "schema": text,
            "seed": str(self.context.name if given["random.seed"] is None else given["random.seed"]),
            "tasks": str(max(1, self.context.tasks_max)),
            "interval.ms": str(given["max.interval"]),
            "iterations": str(given["iterations"]),
            "start": json.dumps(start),
        }
        made = spark.readStream.format(FORMAT).options(**options).load()
        columns = [F.lit(given["kafka.topic"]).alias("topic"), F.col("value")]
        if key:
            columns.append(F.col("value").getField(key).alias("key"))
        return made.select(*columns)

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Sequence[SourceOffset]) -> None:
        check_keys(offsets, ["task.id"], ["current.iteration"])
        for each in offsets:
            check_count(each.partition, "task.id")
            if each.offset is not None:
                check_count(each.offset, "current.iteration")

    def source_offsets(self, end: Mapping[str, Any]) -> list[SourceOffset]:
        return [SourceOffset({"task.id": int(task)}, {"current.iteration": made}) for task, made in end.items()]

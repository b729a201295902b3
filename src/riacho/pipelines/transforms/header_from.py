"""HeaderFrom: copies or moves fields of the key or value into headers, in their simple text form."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from riacho.base.config import ConfigError, one_of
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.records import HEADERS, HEADERS_TYPE
from riacho.pipelines.transforms.part import Part
from riacho.pipelines.transforms.simple_text import column_text
from riacho.pipelines.transforms.transform import (
    REPLACE_NULL_WITH_DEFAULT,
    Outcome,
    PartTransform,
    key_and_value,
    non_empty_list,
)


class HeaderFrom(PartTransform):
    DOC = "Moves or copies fields of a record's key or value into its headers."
    CONFIG = ConfigDef(
        Definition(
            "fields",
            ConfigType.LIST,
            doc="Field names in the record whose values are to be copied or moved to headers.",
            required=True,
            valid=non_empty_list,
            importance=Importance.HIGH,
        ),
        Definition(
            "headers",
            ConfigType.LIST,
            doc="Header names, in the same order as the field names.",
            required=True,
            valid=non_empty_list,
            importance=Importance.HIGH,
        ),
        Definition(
            "operation",
            ConfigType.STRING,
            doc="Either move, which takes the fields out of the key or value, or copy, which leaves them there.",
            required=True,
            valid=one_of("move", "copy"),
            importance=Importance.HIGH,
        ),
        REPLACE_NULL_WITH_DEFAULT,
    )

    def __init__(self, configs: Mapping[str, str]) -> None:
        super().__init__(configs)
        if len(self.items("fields")) != len(self.items("headers")):
            raise ConfigError("'fields' config must have the same number of elements as 'headers' config.")

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART, self.replaces_null)
        operation = self.text("operation")
        unfit = part.needs_struct(f"header {operation}", null_fails=True)
        names = self.items("fields")
        missing = [name for name in names if part.find(name) is None]
        if not part.is_struct:
            return self.failing(part, unfit)
        if missing and not part.is_schemaless:
            # Kafka fails these records too, by a NullPointerException.
            failure = F.when(part.value.isNotNull(), F.lit(f"Field does not exist: {missing[0]}")).otherwise(unfit)
            return self.failing(part, failure)
        added = F.array(*(self._header(part, *pair) for pair in zip(names, self.items("headers"), strict=True)))
        columns = {HEADERS: F.concat(F.col(HEADERS), added.cast(HEADERS_TYPE))}
        moved = names if operation == "move" else []
        columns[self.PART] = part.rebuilt([part.kept(field) for field in part.fields if field.name not in moved])
        return Outcome(columns, {self.PART: part.metadata}, unfit)

    @staticmethod
    def _header(part: Part, name: str, header: str) -> Column:
        field = part.find(name)
        text = F.lit(None) if field is None else column_text(part.read(field), field.dataType)
        return F.struct(F.lit(header).alias("key"), text.cast("string").cast("binary").alias("value"))


HeaderFromKey, HeaderFromValue = key_and_value(HeaderFrom)

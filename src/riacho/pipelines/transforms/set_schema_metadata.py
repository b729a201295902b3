"""SetSchemaMetadata: the name and the version of the key's or value's schema. They are the column's, so of all rows.

Kafka 4.3 fails on schemas other than structs ("Cannot list fields on non-struct type"); here those get their name too.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.base.config import ConfigError
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.records import SCHEMA_NAME, SCHEMA_VERSION
from riacho.pipelines.transforms.part import Part
from riacho.pipelines.transforms.transform import REPLACE_NULL_WITH_DEFAULT, Outcome, PartTransform, key_and_value


class SetSchemaMetadata(PartTransform):
    DOC = "Set the schema name, version or both on the record's key or value schema."
    CONFIG = ConfigDef(
        Definition("schema.name", ConfigType.STRING, doc="Schema name to set.", importance=Importance.HIGH),
        Definition("schema.version", ConfigType.INT, doc="Schema version to set.", importance=Importance.HIGH),
        REPLACE_NULL_WITH_DEFAULT,
    )

    def __init__(self, configs: Mapping[str, str]) -> None:
        super().__init__(configs)
        given = {SCHEMA_NAME: self.settings["schema.name"], SCHEMA_VERSION: self.settings["schema.version"]}
        self._given = {name: value for name, value in given.items() if value is not None}
        if not self._given:
            raise ConfigError("Neither schema name nor version configured")

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART, self.replaces_null)
        if part.is_schemaless:
            message = F.lit("Schema required for [updating schema metadata]")
            return self.failing(part, F.when(part.value.isNotNull(), message))
        return Outcome({self.PART: part.value}, {self.PART: {**part.metadata, **self._given}})


SetSchemaMetadataKey, SetSchemaMetadataValue = key_and_value(SetSchemaMetadata)

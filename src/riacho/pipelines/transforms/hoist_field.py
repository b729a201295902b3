"""HoistField: wraps the key or value into a struct with one field. A null is wrapped too: a tombstone is none after."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.transforms.part import SCHEMALESS, Part, named
from riacho.pipelines.transforms.transform import Outcome, PartTransform, key_and_value


class HoistField(PartTransform):
    DOC = "Wrap data using the specified field name in a Struct."
    CONFIG = ConfigDef(
        Definition(
            "field",
            ConfigType.STRING,
            doc="Field name for the single field that will be created in the resulting struct.",
            required=True,
        )
    )

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART)
        inner = {name: value for name, value in part.metadata.items() if name != SCHEMALESS}
        hoisted = F.struct(named(part.value, self.text("field"), inner))
        return Outcome({self.PART: hoisted}, {self.PART: part.bare_metadata})


HoistFieldKey, HoistFieldValue = key_and_value(HoistField)

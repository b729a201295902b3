"""ExtractField: the key or value becomes one of its fields. Null passes."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.transforms.field_path import FIELD_SYNTAX_VERSION, steps_of
from riacho.pipelines.transforms.part import Part, java_class, null_of
from riacho.pipelines.transforms.transform import REPLACE_NULL_WITH_DEFAULT, Outcome, PartTransform, key_and_value


class ExtractField(PartTransform):
    DOC = "Extract the specified field from a Struct. Any null values are passed through unmodified."
    CONFIG = ConfigDef(
        Definition("field", ConfigType.STRING, doc="Field name to extract.", required=True),
        REPLACE_NULL_WITH_DEFAULT,
        FIELD_SYNTAX_VERSION,
    )

    def __init__(self, configs: Mapping[str, str]) -> None:
        super().__init__(configs)
        self._steps = steps_of(self.text("field"), self.text("field.syntax.version"))

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART, self.replaces_null)
        unfit = part.needs_struct("field extraction")
        if unfit is not None:
            return self.failing(part, unfit)
        field = part.find(self._steps[0]) if self._steps else None
        column = part.value if field is None else part.read(field)
        for step in self._steps[1:]:
            if field is None:
                break
            if not isinstance(field.dataType, T.StructType):
                return self._not_nested(part, java_class(field.dataType))
            field = next((each for each in field.dataType.fields if each.name == step), None)
            column = column.getField(step) if field is not None else column
        if field is None and (part.is_schemaless or isinstance(part.type, T.NullType)):
            return Outcome({self.PART: null_of(T.StringType())}, {self.PART: part.bare_metadata})
        if field is None:
            unknown = F.when(part.value.isNotNull(), F.lit(f"Unknown field: {self.text('field')}"))
            return self.failing(part, unknown, "java.lang.IllegalArgumentException")
        return Outcome({self.PART: column}, {self.PART: {**(field.metadata or {}), **part.bare_metadata}})

    def _not_nested(self, part: Part, found: str) -> Outcome:
        message = "Cannot look up fields on non-struct type"
        if part.is_schemaless:
            message = f"Only Map objects supported in absence of schema for [nested field access], found: {found}"
        return self.failing(part, F.when(part.value.isNotNull(), F.lit(message)))


ExtractFieldKey, ExtractFieldValue = key_and_value(ExtractField)

"""Flatten: nested structs become fields of the root, their names joined by a delimiter. Arrays stay as they are.

A struct that is null gives null fields, as Kafka does with a schema; without one Kafka would keep the one null under
the struct's own name, which a column that has fields in other rows cannot.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition
from riacho.pipelines.transforms.part import Part, named
from riacho.pipelines.transforms.transform import Outcome, PartTransform, key_and_value


class Flatten(PartTransform):
    DOC = "Flatten a nested data structure, with names of the field names at each level joined by a delimiter."
    CONFIG = ConfigDef(
        Definition("delimiter", ConfigType.STRING, ".", doc="What stands between the field names of the levels.")
    )

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART)
        unfit = part.needs_struct("flattening")
        if unfit is not None or not part.is_struct:
            return self.failing(part, unfit)
        leaves = list(self._leaves("", part.value, part.fields))
        if not part.is_schemaless:
            for name, _, field in leaves:
                if isinstance(field.dataType, T.MapType):
                    message = f"Flatten transformation does not support MAP for record with schemas (for field {name})."
                    return self.failing(part, F.when(part.value.isNotNull(), F.lit(message)))
        names = [name for name, _, _ in leaves]
        for name in names:
            if names.count(name) > 1:
                message = f"Cannot create field because of field name duplication {name}"
                exception = "org.apache.kafka.connect.errors.SchemaBuilderException"
                return self.failing(part, F.when(part.value.isNotNull(), F.lit(message)), exception)
        flat = part.rebuilt([named(column, name, field.metadata) for name, column, field in leaves])
        return Outcome({self.PART: flat}, {self.PART: part.metadata})

    def _leaves(
        self, prefix: str, parent: Column, fields: list[T.StructField]
    ) -> Iterator[tuple[str, Column, T.StructField]]:
        for field in fields:
            name = f"{prefix}{self.text('delimiter')}{field.name}" if prefix else field.name
            column = parent.getField(field.name)
            if isinstance(field.dataType, T.StructType):
                yield from self._leaves(name, column, list(field.dataType.fields))
            else:
                yield name, column, field


FlattenKey, FlattenValue = key_and_value(Flatten)

"""The key or the value of a batch's records, as transforms look at it: its type, its fields, how to build it anew.

Kafka knows data with a schema (a Struct) and without (a Map), and its transforms differ a little between the two: a
field that is missing is an error in one and null in the other. Here both are struct columns; the column's metadata says
`connect.schemaless` where the fields were only inferred. `connect.default` in a field's metadata is its default value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from riacho.pipelines.records import schema_of

SCHEMALESS = "connect.schemaless"
DEFAULT = "connect.default"

_CLASSES: Mapping[type[T.DataType], str] = {
    T.StringType: "java.lang.String",
    T.BooleanType: "java.lang.Boolean",
    T.ByteType: "java.lang.Byte",
    T.ShortType: "java.lang.Short",
    T.IntegerType: "java.lang.Integer",
    T.LongType: "java.lang.Long",
    T.FloatType: "java.lang.Float",
    T.DoubleType: "java.lang.Double",
    T.BinaryType: "[B",
    T.DecimalType: "java.math.BigDecimal",
    T.DateType: "java.util.Date",
    T.TimestampType: "java.util.Date",
    T.ArrayType: "java.util.ArrayList",
    T.MapType: "java.util.HashMap",
    T.StructType: "org.apache.kafka.connect.data.Struct",
}


def java_class(kind: T.DataType) -> str:
    """The class that a value of this type would be in Connect, as its messages name it."""
    return _CLASSES.get(type(kind), kind.simpleString())


def null_of(kind: T.DataType) -> Column:
    return F.lit(None).cast(kind)


def named(column: Column, name: str, metadata: Mapping[str, Any] | None = None) -> Column:
    return column.alias(name, metadata=dict(metadata)) if metadata else column.alias(name)


@dataclass(frozen=True)
class Part:
    column: str
    type: T.DataType
    metadata: dict[str, Any]
    replaces_null: bool = True

    @classmethod
    def of(cls, batch: DataFrame, column: str, replaces_null: bool = True) -> Part:
        kind, metadata = schema_of(batch, column)
        return cls(column, kind, metadata, replaces_null)

    @property
    def value(self) -> Column:
        return F.col(self.column)

    @property
    def is_schemaless(self) -> bool:
        return bool(self.metadata.get(SCHEMALESS))

    @property
    def bare_metadata(self) -> dict[str, Any]:
        """What metadata a new schema without a name has: only whether there is a schema at all."""
        return {SCHEMALESS: True} if self.is_schemaless else {}

    @property
    def is_struct(self) -> bool:
        return isinstance(self.type, T.StructType)

    @property
    def fields(self) -> list[T.StructField]:
        return list(self.type.fields) if isinstance(self.type, T.StructType) else []

    def find(self, name: str) -> T.StructField | None:
        return next((field for field in self.fields if field.name == name), None)

    def read(self, field: T.StructField) -> Column:
        """The field's value, its default where it is null and that is wanted."""
        column = self.value.getField(field.name)
        default = (field.metadata or {}).get(DEFAULT)
        if default is None or not self.replaces_null:
            return column
        return F.when(self.value.isNotNull(), F.coalesce(column, F.lit(default).cast(field.dataType)))

    def kept(self, field: T.StructField, name: str | None = None) -> Column:
        """The field as it is, for the new struct, under another name where one is given."""
        return named(self.read(field), name or field.name, field.metadata)

    def rebuilt(self, columns: Sequence[Column]) -> Column:
        """A struct of these fields; null stays null."""
        return F.when(self.value.isNotNull(), F.struct(*columns))

    def needs_struct(self, purpose: str, null_fails: bool = False) -> Column | None:
        """Why this is not data with fields, row by row; None where it always is."""
        absent = f"Only Map objects supported in absence of schema for [{purpose}], found: null"
        of_null = F.when(self.value.isNull(), F.lit(absent)) if null_fails else None
        if self.is_struct or isinstance(self.type, T.NullType):
            return of_null
        kinds = "Map objects supported in absence of schema" if self.is_schemaless else "Struct objects supported"
        message = F.lit(f"Only {kinds} for [{purpose}], found: {java_class(self.type)}")
        present = F.when(self.value.isNotNull(), message)
        return present if of_null is None else present.otherwise(of_null)

"""MaskField: fields replaced by the null value of their type (0, false, empty text), or by one that is configured.

A null stays null, and a record without a value fails, both as in Kafka.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from riacho.base.config import Value, non_empty
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.transforms.part import Part, java_class, named, null_of
from riacho.pipelines.transforms.transform import (
    REPLACE_NULL_WITH_DEFAULT,
    Outcome,
    PartTransform,
    field_list,
    first_failure,
    key_and_value,
)

_BITS: dict[type[T.DataType], int] = {T.ByteType: 8, T.ShortType: 16, T.IntegerType: 32, T.LongType: 64}


def _non_empty_if_given(name: str, value: Value) -> None:
    if value is not None:
        non_empty(name, value)


class MaskField(PartTransform):
    DOC = "Mask specified fields with a valid null value for the field type (i.e. 0, false, empty string, and so on)."
    CONFIG = ConfigDef(
        field_list("fields", "Names of fields to mask."),
        Definition(
            "replacement",
            ConfigType.STRING,
            doc="Custom value replacement, for all fields (numeric or non-empty string values only).",
            valid=_non_empty_if_given,
            importance=Importance.LOW,
        ),
        REPLACE_NULL_WITH_DEFAULT,
    )

    def outcome(self, batch: DataFrame) -> Outcome:
        part = Part.of(batch, self.PART, self.replaces_null)
        unfit = part.needs_struct("mask fields", null_fails=True)
        if not part.is_struct:
            return self.failing(part, unfit)
        names = self.items("fields")
        columns: list[Column] = []
        failures: list[Column | None] = [unfit]
        for field in part.fields:
            if field.name not in names:
                columns.append(part.kept(field))
                continue
            present = part.read(field).isNotNull()
            mask, message = self._mask(field.dataType)
            columns.append(named(F.when(present, mask), field.name, field.metadata))
            failures.append(None if message is None else F.when(present, F.lit(message)))
        if part.is_schemaless:
            absent = dict.fromkeys(name for name in names if part.find(name) is None)
            columns += [null_of(T.StringType()).alias(name) for name in absent]
        return Outcome({self.PART: part.rebuilt(columns)}, {self.PART: part.metadata}, first_failure(failures))

    def _mask(self, kind: T.DataType) -> tuple[Column, str | None]:
        replacement = self.settings["replacement"]
        if replacement is None:
            mask = _null_value(kind)
            message = None if mask is not None else f"Cannot mask value of type: class {java_class(kind)}"
            return (null_of(kind) if mask is None else mask), message
        if isinstance(kind, T.NullType):
            return null_of(kind), None
        if not isinstance(kind, T.NumericType | T.StringType):
            return null_of(kind), f"Cannot mask value of type class {java_class(kind)} with custom replacement."
        text = str(replacement)
        value = text if isinstance(kind, T.StringType) else _number(text, kind)
        if value is None:
            return null_of(kind), f"Unable to convert {text} (class java.lang.String) to a number"
        return F.lit(value).try_cast(kind), None


def _null_value(kind: T.DataType) -> Column | None:
    match kind:
        case T.NullType():
            return null_of(kind)
        case T.BooleanType():
            return F.lit(False)
        case T.NumericType():
            return F.lit(0).cast(kind)
        case T.StringType():
            return F.lit("")
        case T.DateType():
            return F.date_from_unix_date(F.lit(0))
        case T.TimestampType():
            return F.timestamp_millis(F.lit(0))
        case T.ArrayType():
            return F.array().cast(kind)
        case T.MapType():
            return F.create_map().cast(kind)
        case _:
            return None


def _number(text: str, kind: T.DataType) -> Any:
    """The text as a number of that type, cut as Java cuts it; None where it is no number."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    bits = _BITS.get(type(kind))
    if bits is None:
        return number if isinstance(kind, T.DecimalType) else float(number)
    wrapped = int(number) & ((1 << bits) - 1)
    return wrapped - (1 << bits) if wrapped >> (bits - 1) else wrapped


MaskFieldKey, MaskFieldValue = key_and_value(MaskField)

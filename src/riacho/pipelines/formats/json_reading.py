"""JSON texts to typed columns, as native expressions: each text is parsed once, whatever is looked at in it.

A value is built in one go from what `from_json` gives: logical types, defaults, and the fields of a type that several
schemas share. What may be null, and what has gone wrong, is asked of the parsed fields, not of the value built.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DecimalType, MapType, StringType, StructField, StructType

from riacho.pipelines.formats.column_types import REQUIRED
from riacho.pipelines.formats.json_values import differs, from_wire, once, wire_type

CORRUPT = "__riacho_corrupt"
OPTIONS = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}

# What becomes of a value and of the message that tells what is wrong with it.
Finish = Callable[[Column, Column], Column]


def outcome(value: Column, error: Column) -> Column:
    """A struct of both; the value only where nothing is wrong."""
    return F.struct(F.when(error.isNull(), value).alias("value"), error.alias("error"))


@dataclass(frozen=True)
class Expected:
    """What is to be read: the column of its schema, the type that it becomes, the message where it is no such JSON."""

    field: StructField
    target: DataType
    message: str
    path: str = "$"
    defaults: bool = True

    def checked(self, read: Column, is_there: Column, is_wrong: Column, finish: Finish) -> Column:
        value = _typed(read, self.field, self.target, is_there, self.defaults)
        missing = _missing_fields(read, self.field, self.path, is_there, self.defaults)
        return finish(value, F.coalesce(F.when(is_wrong, F.lit(self.message)), *missing))


def payload(text: Column, expected: Expected, finish: Finish) -> Column:
    """What `finish` makes of a JSON text's value, and of what is wrong with it."""

    def checked(read: Column, is_there: Column, is_wrong: Column) -> Column:
        return expected.checked(read, is_there, is_wrong, finish)

    return _parsed(text, wire_type(expected.field.dataType), checked)


def _parsed(text: Column, kind: DataType, use: Callable[[Column, Column, Column], Column]) -> Column:
    """`use` of what was read, of whether it is a value, and of whether the text is no JSON of the type.

    What was read may be a struct with more fields than `kind` has.
    """
    corrupt = StructField(CORRUPT, StringType())
    if isinstance(kind, StructType):
        # At the top level no frame is needed, which spares a copy of the text.
        def opened(read: Column) -> Column:
            # The text is there again where it could not be read. Nothing was read of null, and of a blank text.
            wrong_text = read[CORRUPT]
            is_wrong = F.when(wrong_text.isNotNull(), F.trim(wrong_text) != "null").otherwise(
                read.isNull() & text.isNull()
            )
            return use(read, read.isNotNull() & wrong_text.isNull(), is_wrong)

        return once(F.from_json(text, StructType([*kind.fields, corrupt]), OPTIONS), opened)

    def unframed(read: Column) -> Column:
        # A text such as `1},{` would be closed by the frame.
        is_wrong = F.try_parse_json(text).isNull() | read[CORRUPT].isNotNull()
        return use(read["v"], read["v"].isNotNull(), is_wrong)

    framed = F.concat(F.lit('{"v":'), text, F.lit("}"))
    return once(F.from_json(framed, StructType([StructField("v", kind), corrupt]), OPTIONS), unframed)


def _typed(read: Column, field: StructField, target: DataType, is_there: Column, defaults: bool) -> Column:
    """The value of what was read; a field that only `target` has is null."""
    kind = field.dataType
    if kind == target or not (isinstance(kind, StructType) and isinstance(target, StructType)):
        # The cast keeps the metadata of fields, which structs that are put together have not.
        return _own(read, field, is_there, defaults).cast(target)
    own = {each.name: each for each in kind.fields}
    fields = [
        (
            _typed(read[each.name], own[each.name], each.dataType, read[each.name].isNotNull(), defaults)
            if each.name in own
            else F.lit(None).cast(each.dataType)
        ).alias(each.name)
        for each in target.fields
    ]
    return F.when(is_there, F.struct(*fields))


def _own(read: Column, field: StructField, is_there: Column, defaults: bool) -> Column:
    """The value in the type of its schema: defaults of scalars in place of null."""
    if not isinstance(field.dataType, StructType):
        return _leaf(read, field, defaults)
    fields = []
    for each in field.dataType.fields:
        inner = read[each.name]
        if differs(each.dataType) or (defaults and _has_defaults(each)):
            inner = _own(inner, each, inner.isNotNull(), defaults)
        fields.append(inner.alias(each.name))
    return F.when(is_there, F.struct(*fields))


def _leaf(read: Column, field: StructField, defaults: bool) -> Column:
    value = from_wire(read, field.dataType)
    default = _default(field) if defaults else None
    if default is None:
        return value
    return F.coalesce(value, from_wire(F.lit(default).try_cast(wire_type(field.dataType)), field.dataType))


def _default(field: StructField) -> Any:
    """Of scalars only."""
    found = json.loads((field.metadata or {}).get("connect.default", "null"))
    return None if isinstance(found, list | dict) else found


def _has_defaults(field: StructField) -> bool:
    if isinstance(field.dataType, StructType):
        return any(_has_defaults(each) for each in field.dataType.fields)
    return _default(field) is not None


def _missing_fields(read: Column, field: StructField, path: str, is_there: Column, defaults: bool) -> list[Column]:
    """Each names a field where its schema requires it and the payload has it not."""
    found: list[Column] = []
    if (field.metadata or {}).get(REQUIRED):
        is_missing = _leaf(read, field, defaults).isNull() if _may_become_null(field, defaults) else ~is_there
        found.append(F.when(is_missing, F.lit(f"Invalid null value for required field {path}.")))
    if isinstance(field.dataType, StructType):
        inner = [
            each
            for own in field.dataType.fields
            for each in _missing_fields(read[own.name], own, f"{path}.{own.name}", read[own.name].isNotNull(), defaults)
        ]
        if inner:
            found.append(F.when(is_there, F.coalesce(*inner)))
    return found


def _may_become_null(field: StructField, defaults: bool) -> bool:
    """Whether there can be a value where nothing was read, or none where something was."""
    if isinstance(field.dataType, StructType):
        return False
    is_pairs = isinstance(field.dataType, MapType) and not isinstance(field.dataType.keyType, StringType)
    return isinstance(field.dataType, DecimalType) or is_pairs or (defaults and _default(field) is not None)

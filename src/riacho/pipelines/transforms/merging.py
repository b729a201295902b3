"""One column for rows that a transform changed and rows that its predicate left alone.

Connect's records each carry their own schema; a column has one type. So the two types are merged: structs get the union
of their fields, those that a row lacks are null in it. Where types cannot be merged (or names of schemas differ), it
is still fine when all rows of the batch match, or none: that is looked up, and only a true mixture is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from riacho.base.shortening import shortened
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.records import is_good, schema_of


@dataclass(frozen=True)
class Choice:
    """Which rows take the new columns: where `where` is true (None: all of them), or none at all."""

    where: Column | None
    is_nothing: bool = False
    types: Mapping[str, tuple[T.DataType, T.DataType, T.DataType]] = field(default_factory=dict)
    """By column: the type of the new one, of the old one, and what both become."""

    @classmethod
    def everything(cls) -> Choice:
        return cls(None)

    def conformed(self, name: str, new: Column, old: Column) -> tuple[Column, Column]:
        if name not in self.types:
            return new, old
        new_type, old_type, merged = self.types[name]
        return conform(new, new_type, merged), conform(old, old_type, merged)


def choose(
    batch: DataFrame,
    columns: Mapping[str, Column],
    metadata: Mapping[str, Mapping[str, Any]],
    where: Column,
    class_name: str,
) -> Choice:
    types: dict[str, tuple[T.DataType, T.DataType, T.DataType]] = {}
    for name in metadata:
        old_type, old_metadata = schema_of(batch, name)
        new_type = batch.select(columns[name].alias(name)).schema[name].dataType
        merged = merged_type(new_type, old_type)
        if merged is None or dict(metadata[name]) != old_metadata:
            return _all_or_none(batch, where, name, class_name, old_type, new_type)
        types[name] = (new_type, old_type, merged)
    return Choice(where, types=types)


def _all_or_none(
    batch: DataFrame, where: Column, name: str, class_name: str, old: T.DataType, new: T.DataType
) -> Choice:
    found = batch.where(is_good()).agg(F.min(where).alias("all"), F.max(where).alias("any")).first()
    if found is None or not found["any"]:
        return Choice(None, is_nothing=True)
    if found["all"]:
        return Choice.everything()
    change = "its schema's name or version" if old == new else f"its type from {_short(old)} to {_short(new)}"
    raise ConnectError(
        f"{class_name} changes the {name} of the records that match its predicate ({change}) so that those which "
        "match and those which do not cannot be in one batch; split them into two connectors."
    )


def _short(kind: T.DataType) -> str:
    return shortened(kind.simpleString(), 100)


def merged_type(one: T.DataType, other: T.DataType) -> T.DataType | None:
    """What holds values of both, or None."""
    if isinstance(one, T.NullType):
        return other
    if isinstance(other, T.NullType):
        return one
    if isinstance(one, T.StructType) and isinstance(other, T.StructType):
        return _merged_struct(one, other)
    return one if _plain(one) == _plain(other) else None


def _merged_struct(one: T.StructType, other: T.StructType) -> T.StructType | None:
    fields = {each.name: each for each in one.fields}
    for each in other.fields:
        known = fields.get(each.name)
        kind = each.dataType if known is None else merged_type(known.dataType, each.dataType)
        if kind is None:
            return None
        fields[each.name] = T.StructField(each.name, kind, True, (known or each).metadata)
    return T.StructType(list(fields.values()))


def conform(column: Column, have: T.DataType, want: T.DataType) -> Column:
    """`column` of type `have` as one of the merged type `want`."""
    if isinstance(have, T.NullType):
        return F.lit(None).cast(want)
    if not isinstance(want, T.StructType) or not isinstance(have, T.StructType) or _plain(have) == _plain(want):
        return column
    own = {each.name: each.dataType for each in have.fields}
    fields = [
        (
            conform(column.getField(each.name), own[each.name], each.dataType)
            if each.name in own
            else F.lit(None).cast(each.dataType)
        ).alias(each.name, metadata=each.metadata or {})
        for each in want.fields
    ]
    return F.when(column.isNotNull(), F.struct(*fields))


def _plain(kind: T.DataType) -> T.DataType:
    """The type without what does not matter here: whether parts may be null, and their metadata."""
    if isinstance(kind, T.StructType):
        return T.StructType([T.StructField(each.name, _plain(each.dataType)) for each in kind.fields])
    if isinstance(kind, T.ArrayType):
        return T.ArrayType(_plain(kind.elementType))
    if isinstance(kind, T.MapType):
        return T.MapType(_plain(kind.keyType), _plain(kind.valueType))
    return kind

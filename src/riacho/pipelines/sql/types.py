"""SQL types as ksqlDB has them: what a column may hold, how it is written, and what it is in Spark.

Times are numbers everywhere between the formats: TIMESTAMP is milliseconds since 1970, DATE days since then, TIME
milliseconds of the day. So rows are plain JSON (`row_json.py`) and no session time zone can change them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class Base(Enum):
    BOOLEAN = "BOOLEAN"
    INTEGER = "INTEGER"
    BIGINT = "BIGINT"
    DOUBLE = "DOUBLE"
    STRING = "STRING"
    BYTES = "BYTES"
    TIME = "TIME"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"


@dataclass(frozen=True, slots=True)
class Primitive:
    base: Base

    def __str__(self) -> str:
        return self.base.value


@dataclass(frozen=True, slots=True)
class Decimal:
    precision: int
    scale: int

    def __str__(self) -> str:
        return f"DECIMAL({self.precision}, {self.scale})"


@dataclass(frozen=True, slots=True)
class Array:
    item: SqlType

    def __str__(self) -> str:
        return f"ARRAY<{self.item}>"


@dataclass(frozen=True, slots=True)
class Map:
    key: SqlType
    value: SqlType

    def __str__(self) -> str:
        return f"MAP<{self.key}, {self.value}>"


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class Struct:
    fields: tuple[Field, ...]

    def __str__(self) -> str:
        return "STRUCT<" + ", ".join(f"{quoted(field.name)} {field.type}" for field in self.fields) + ">"

    def field(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)


@dataclass(frozen=True, slots=True)
class Lambda:
    """The type of a lambda argument; no column has it."""

    inputs: tuple[SqlType, ...]
    result: SqlType

    def __str__(self) -> str:
        return "LAMBDA (" + ", ".join(map(str, self.inputs)) + f") => {self.result}"


SqlType: TypeAlias = Primitive | Decimal | Array | Map | Struct | Lambda

BOOLEAN = Primitive(Base.BOOLEAN)
INTEGER = Primitive(Base.INTEGER)
BIGINT = Primitive(Base.BIGINT)
DOUBLE = Primitive(Base.DOUBLE)
STRING = Primitive(Base.STRING)
BYTES = Primitive(Base.BYTES)
TIME = Primitive(Base.TIME)
DATE = Primitive(Base.DATE)
TIMESTAMP = Primitive(Base.TIMESTAMP)

# In the order in which a narrower number becomes a wider one; DECIMAL stands between BIGINT and DOUBLE.
NUMBERS = (INTEGER, BIGINT, DOUBLE)
TIMES = (TIME, DATE, TIMESTAMP)


def quoted(name: str) -> str:
    """An identifier that is read back as it is, whatever it is."""
    return "`" + name.replace("`", "``") + "`"


def is_number(kind: SqlType | None) -> bool:
    return isinstance(kind, Decimal) or kind in NUMBERS


def walk(kind: SqlType) -> Iterator[SqlType]:
    """The type and all that it is made of."""
    yield kind
    match kind:
        case Array(item):
            yield from walk(item)
        case Map(key, value):
            yield from walk(key)
            yield from walk(value)
        case Struct(fields):
            for field in fields:
                yield from walk(field.type)
        case _:
            pass


_SPARK = {
    Base.BOOLEAN: "BOOLEAN",
    Base.INTEGER: "INT",
    Base.BIGINT: "BIGINT",
    Base.DOUBLE: "DOUBLE",
    Base.STRING: "STRING",
    Base.BYTES: "BINARY",
    Base.TIME: "INT",
    Base.DATE: "INT",
    Base.TIMESTAMP: "BIGINT",
}


DECIMAL_DIGITS_MAX = 38
_SCALE_IN_SPARK_MAX = 19


def is_wide(kind: SqlType | None) -> bool:
    """A decimal that Spark's have no digits for: with so many behind the point, too few are left before it. It is held
    as a text, plain digits with all of its scale."""
    return isinstance(kind, Decimal) and kind.precision > DECIMAL_DIGITS_MAX and kind.scale > _SCALE_IN_SPARK_MAX


def spark_type(kind: SqlType) -> str:
    """The Spark SQL type of a column while expressions work on it."""
    match kind:
        case Primitive(base):
            return _SPARK[base]
        case Decimal() if is_wide(kind):
            return "STRING"
        case Decimal(precision, scale):
            # ksqlDB's arithmetic gives types of any precision: their values are held in as many digits as Spark has.
            return f"DECIMAL({min(precision, DECIMAL_DIGITS_MAX)},{min(scale, DECIMAL_DIGITS_MAX)})"
        case Array(item):
            return f"ARRAY<{spark_type(item)}>"
        case Map(key, value):
            return f"MAP<{spark_type(key)}, {spark_type(value)}>"
        case Struct(fields):
            return "STRUCT<" + ", ".join(f"{quoted(each.name)}: {spark_type(each.type)}" for each in fields) + ">"
        case Lambda():
            raise AssertionError("no column is a lambda")

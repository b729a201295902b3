"""Columns of tables and what they become: one word for a type, from which the Arrow and the Spark type follow.

The words are Spark's own (`int`, `decimal(10,2)`, `array<string>`), and `time`, which Spark does not have: Connect's
Time is an int of milliseconds with a name in the field's metadata.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

CONNECT_NAME = "connect.name"
TIME_NAME = "org.apache.kafka.connect.data.Time"
# A numeric without precision can hold anything; this is as much as Spark's decimal can on both sides of the point.
UNBOUND_DECIMAL = "decimal(38,18)"
_PRECISION_MAX = 38
_EXACT = Context(prec=_PRECISION_MAX + 2, rounding=ROUND_HALF_EVEN)
_INTEGERS = ((2, "smallint"), (4, "smallint"), (9, "int"), (18, "bigint"))


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str


def columns_to_text(columns: Sequence[Column]) -> str:
    return json.dumps([[column.name, column.type] for column in columns])


def columns_from_text(text: str) -> list[Column]:
    return [Column(name, kind) for name, kind in json.loads(text)]


def numeric_type(precision: int | None, scale: int | None, mapping: str) -> str:
    """What `numeric.mapping` makes of numeric(precision, scale); both None where the column gives none."""
    if precision is None or precision > _PRECISION_MAX or scale is None or scale < 0:
        return "double" if mapping.startswith("best_fit") else UNBOUND_DECIMAL
    if scale == 0 and mapping != "none":
        fitting = [name for digits, name in _INTEGERS if precision <= digits]
        return fitting[0] if fitting else f"decimal({precision},0)"
    if mapping == "best_fit_eager_double" or (mapping == "best_fit" and precision <= _INTEGERS[-1][0]):
        return "double"
    return f"decimal({precision},{scale})"


def arrow_type(kind: str) -> pa.DataType:
    import pyarrow as pa

    if kind.startswith("array<"):
        return pa.list_(arrow_type(kind[6:-1]))
    if kind.startswith("decimal("):
        precision, scale = kind[8:-1].split(",")
        return pa.decimal128(int(precision), int(scale))
    return {
        "boolean": pa.bool_(),
        "smallint": pa.int16(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "binary": pa.binary(),
        "date": pa.date32(),
        "time": pa.int32(),
        "timestamp": pa.timestamp("us", "UTC"),
    }.get(kind, pa.string())


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([pa.field(column.name, arrow_type(column.type)) for column in columns])


def spark_struct(columns: Sequence[Column]) -> StructType:
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    return StructType(
        [
            StructField(
                column.name,
                from_arrow_type(arrow_type(column.type)),
                metadata={CONNECT_NAME: TIME_NAME} if column.type == "time" else None,
            )
            for column in columns
        ]
    )


def fitted(value: Any, kind: str, zone: ZoneInfo) -> Any:
    """What the driver gave for one field, as Arrow takes it for a column of this kind. What cannot be is null."""
    if value is None:
        return None
    if kind.startswith("array<"):
        return [fitted(item, kind[6:-1], zone) for item in value]
    if kind.startswith("decimal("):
        return _decimal(value, *map(int, kind[8:-1].split(",")))
    match kind:
        case "string":
            return value if isinstance(value, str) else json.dumps(value, default=str)
        case "timestamp":
            return _instant(value, zone)
        case "date":
            return dt.date.fromisoformat(value[:10]) if isinstance(value, str) else value
        case "time":
            return _milliseconds(dt.time.fromisoformat(value) if isinstance(value, str) else value)
        case "boolean":
            return bool(value)
        case "binary":
            return value.encode() if isinstance(value, str) else bytes(value)
        case "float" | "double":
            return float(value)
        case _:
            return int(value)


def _decimal(value: Any, precision: int, scale: int) -> Decimal | None:
    number = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        return None
    rounded = _EXACT.quantize(number, Decimal(1).scaleb(-scale)) if number.adjusted() < precision - scale else None
    return rounded if rounded is None or rounded.adjusted() < precision - scale else None


def _instant(value: Any, zone: ZoneInfo) -> dt.datetime:
    """SQLite has no timestamps: text of the ISO kind, or milliseconds since 1970."""
    if isinstance(value, int | float):
        return dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(milliseconds=value)
    moment = dt.datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=zone).astimezone(dt.UTC)


def _milliseconds(time: dt.time) -> int:
    return ((time.hour * 60 + time.minute) * 60 + time.second) * 1000 + time.microsecond // 1000

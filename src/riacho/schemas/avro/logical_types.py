"""Which `logicalType` is one, on the type it stands on. One that is not stays an attribute without meaning."""

from __future__ import annotations

import math

from riacho.schemas.avro.types import AvroType, Fixed, Kind
from riacho.schemas.parsed import Json

_ON = {
    "date": Kind.INT,
    "time-millis": Kind.INT,
    "time-micros": Kind.LONG,
    "timestamp-millis": Kind.LONG,
    "timestamp-micros": Kind.LONG,
    "timestamp-nanos": Kind.LONG,
    "local-timestamp-millis": Kind.LONG,
    "local-timestamp-micros": Kind.LONG,
    "local-timestamp-nanos": Kind.LONG,
    "big-decimal": Kind.BYTES,
}


def logical_type(avro_type: AvroType) -> str | None:
    name = avro_type.props.get("logicalType")
    if not isinstance(name, str):
        return None
    size = avro_type.size if isinstance(avro_type, Fixed) else None
    if name == "uuid":
        valid = avro_type.kind is Kind.STRING or size == 16
    elif name == "duration":
        valid = size == 12
    elif name == "decimal":
        valid = (avro_type.kind is Kind.BYTES or size is not None) and _is_decimal(avro_type.props, size)
    else:
        valid = _ON.get(name) is avro_type.kind
    return name if valid else None


def _is_decimal(props: dict[str, Json], size: int | None) -> bool:
    precision, scale = props.get("precision"), props.get("scale", 0)
    if type(precision) is not int or type(scale) is not int:
        return False
    digits_max = 2**31 - 1 if size is None else math.floor(math.log10(2) * (8 * size - 1))
    return 0 < precision <= digits_max and 0 <= scale <= precision

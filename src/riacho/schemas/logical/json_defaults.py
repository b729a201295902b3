"""Whether a `default` of JSON Schema is a value that its column could have; one that is not counts as none."""

from __future__ import annotations

import base64
import binascii
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation

from riacho.schemas.logical.types import Kind, LogicalType
from riacho.schemas.parsed import Json

_NUMBERS = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT, Kind.FLOAT, Kind.DOUBLE)
_TEXTS = (Kind.CHAR, Kind.VARCHAR, Kind.ENUM)


def is_default_of(value: Json, column: LogicalType) -> bool:
    """A union's is one of its first branch. Structs, lists and maps have none."""
    kind = column.kind
    if kind is Kind.UNION and column.columns:
        return is_default_of(value, column.columns[0].type)
    if kind is Kind.BOOLEAN:
        return isinstance(value, bool)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return kind in _NUMBERS or kind in (Kind.DECIMAL, Kind.TIMESTAMP_LTZ)
    return isinstance(value, str) and (kind in _TEXTS or _is_written(value, kind))


def _is_written(text: str, kind: Kind) -> bool:
    try:
        match kind:
            case Kind.BINARY | Kind.VARBINARY:
                base64.b64decode(text, validate=True)
            case Kind.DECIMAL:
                Decimal(text)
            case Kind.DATE:
                date.fromisoformat(text)
            case Kind.TIME:
                time.fromisoformat(text)
            case Kind.TIMESTAMP:
                return datetime.fromisoformat(text).tzinfo is None
            case Kind.TIMESTAMP_LTZ:
                return datetime.fromisoformat(text).tzinfo is not None
            case _:
                return False
    except (ValueError, InvalidOperation, binascii.Error):
        return False
    return True

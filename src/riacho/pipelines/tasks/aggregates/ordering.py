"""How values of a type compare in Java."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

OrderOf: TypeAlias = Callable[[Any], Any]

_SIGNED = bytes(byte ^ 0x80 for byte in range(256))


def order_by_type(type_text: str) -> OrderOf:
    """A sort key for JSON values of a type."""
    if type_text.startswith("DECIMAL"):
        return Decimal
    match type_text:
        case "STRING":
            # String.compareTo is by UTF-16 code units.
            return lambda text: text.encode("utf-16-be", "surrogatepass")
        case "DOUBLE":
            return _double_order
        case "BYTES":
            # ByteBuffer.compareTo takes bytes as signed.
            return lambda text: base64.b64decode(text).translate(_SIGNED)
        case _:
            return lambda value: value


def _double_order(value: Any) -> tuple[bool, float, float]:
    """As Double.compare: NaN is above all, -0.0 below 0.0."""
    number = float(value)
    if math.isnan(number):
        return (True, 0.0, 0.0)
    return (False, number, math.copysign(1.0, number))

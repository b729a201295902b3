"""Whether a default fits its type, by Java's rule: any branch of a union will do (since 1.12), and that of an enum or a
fixed only has to be a string. It is asked of new schemas alone: what older versions let through is stored, and stays.
"""

from __future__ import annotations

from riacho.schemas.avro.types import MISSING, Array, AvroType, Kind, MapType, Record, Union
from riacho.schemas.parsed import Json

_TEXTUAL = (Kind.STRING, Kind.BYTES, Kind.ENUM, Kind.FIXED)
_BITS = {Kind.INT: 31, Kind.LONG: 63}


class DefaultCheck:
    """Remembers each pair of type and value: unions of records would else take time exponential in a value's depth.

    A pair that is met again while it is being looked at is a default without end (a record that fills its own field
    with itself), which fits nothing. Pairs are known by identity; types and values live longer than the check.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bool] = {}

    def fits(self, avro_type: AvroType, value: Json) -> bool:
        if not isinstance(avro_type, Union | Record | Array | MapType):
            return _is_valid_scalar(avro_type.kind, value)
        pair = (id(avro_type), id(value))
        if pair not in self._known:
            self._known[pair] = False
            self._known[pair] = self._fits(avro_type, value)
        return self._known[pair]

    def _fits(self, avro_type: Union | Record | Array | MapType, value: Json) -> bool:
        match avro_type:
            case Union():
                return any(self.fits(branch, value) for branch in avro_type.branches)
            case Record():
                return isinstance(value, dict) and all(
                    self.fits(field.type, value.get(field.name, field.default)) for field in avro_type.fields
                )
            case Array():
                return isinstance(value, list) and all(self.fits(avro_type.items, item) for item in value)
            case MapType():
                return isinstance(value, dict) and all(self.fits(avro_type.values, item) for item in value.values())


def _is_valid_scalar(kind: Kind, value: Json) -> bool:
    if value is MISSING:
        return False
    if kind in _TEXTUAL:
        return isinstance(value, str)
    if kind is Kind.NULL:
        return value is None
    if kind is Kind.BOOLEAN or isinstance(value, bool):
        return kind is Kind.BOOLEAN and isinstance(value, bool)
    if kind in _BITS:
        return isinstance(value, int) and -(1 << _BITS[kind]) <= value < 1 << _BITS[kind]
    return isinstance(value, int | float)

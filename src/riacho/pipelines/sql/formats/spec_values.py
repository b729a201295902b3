"""Values as test cases write them, and as rows have them: fields in any case, decimals as numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.connect_values import entries
from riacho.pipelines.sql.formats.json_reading import Read, reader
from riacho.pipelines.sql.formats.json_source import InexactError, NumberText
from riacho.pipelines.sql.formats.misfit import Misfit
from riacho.pipelines.sql.types import Array, Decimal, Map, SqlType, Struct


def from_spec(value: Any, kind: SqlType) -> Any:
    """CodecError where it does not fit."""
    if value is None:
        return None
    try:
        return _reader(kind)(_prepared(value, kind))
    except Misfit as wrong:
        raise wrong.error() from None
    except InexactError:
        raise CodecError("A number has to be given with all its digits") from None


@lru_cache(maxsize=1_000)
def _reader(kind: SqlType) -> Read:
    return reader(kind)


def _prepared(value: Any, kind: SqlType) -> Any:
    """Fields by the names that the type has for them; floats as texts, whose digits count."""
    if type(value) is float:
        return NumberText(repr(value))
    if value is None:
        return None
    match kind:
        case Struct(fields) if isinstance(value, dict):
            types = {field.name.upper(): field for field in fields}
            found: dict[str, Any] = {}
            for name, item in value.items():
                field = next((f for f in fields if f.name == name), None) or types.get(name.upper())
                if field is not None:
                    found[field.name] = _prepared(item, field.type)
            return found
        case Array(item) if isinstance(value, list):
            return [_prepared(each, item) for each in value]
        case Map(_, item) if isinstance(value, dict):
            return {name: _prepared(each, item) for name, each in value.items()}
        case _:
            return value


def to_spec(value: Any, kind: SqlType) -> Any:
    if value is None:
        return None
    match kind:
        case Decimal():
            return NumberText(value) if "." in value else int(value)
        case Struct(fields):
            return {field.name: to_spec(value.get(field.name), field.type) for field in fields}
        case Array(item):
            return [to_spec(each, item) for each in value]
        case Map(_, item):
            return {str(name): to_spec(each, item) for name, each in entries(value)}
        case _:
            return value

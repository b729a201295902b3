"""Values as cases write them, and the JSON values of rows (`row_json.py`): they differ in decimals, and in maps whose
keys are no texts. Names of fields are found in either case of letters, as cases write them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from riacho.pipelines.sql.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, STRING, Array, Map, SqlType, Struct
from riacho.pipelines.sql.types import Decimal as DecimalType


def row_value(value: Any, kind: SqlType) -> Any:
    """From a case to a row."""
    if value is None:
        return None
    match kind:
        case DecimalType(_, scale):
            return f"{Decimal(str(value)).quantize(Decimal(1).scaleb(-scale)):f}"
        case Array(item):
            return [row_value(each, item) for each in value]
        case Map(key, inner) if key == STRING:
            return {str(name): row_value(each, inner) for name, each in value.items()}
        case Map(key, inner):
            return [{"key": _map_key(name, key), "value": row_value(each, inner)} for name, each in value.items()]
        case Struct(fields):
            return {field.name: row_value(_field(value, field.name), field.type) for field in fields}
        case _:
            return _scalar(value, kind)


def _field(value: Mapping[str, Any], name: str) -> Any:
    if name in value:
        return value[name]
    return next((each for key, each in value.items() if key.upper() == name.upper()), None)


def _map_key(name: str, kind: SqlType) -> Any:
    if kind == BOOLEAN:
        return name.lower() == "true"
    if kind in (INTEGER, BIGINT):
        return int(name)
    return float(name) if kind == DOUBLE else row_value(name, kind)


def _scalar(value: Any, kind: SqlType) -> Any:
    if kind == DOUBLE:
        return value if isinstance(value, str) else float(value)
    if kind == STRING and not isinstance(value, str):
        return str(value)
    return int(value) if isinstance(value, Decimal) else value


def case_value(value: Any, kind: SqlType) -> Any:
    """From a row to a case."""
    if value is None:
        return None
    match kind:
        case DecimalType():
            return Decimal(value)
        case Array(item):
            return [case_value(each, item) for each in value]
        case Map(key, inner) if key == STRING:
            return {name: case_value(each, inner) for name, each in value.items()}
        case Map(key, inner):
            return {_key_text(each["key"]): case_value(each["value"], inner) for each in value}
        case Struct(fields):
            return {field.name: case_value(value.get(field.name), field.type) for field in fields}
        case _:
            return value


def _key_text(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)

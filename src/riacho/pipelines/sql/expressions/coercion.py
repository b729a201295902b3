"""Implicit conversions: which types become others unasked, and the type in which several expressions meet.

Numbers become wider ones (INTEGER, BIGINT, DECIMAL, DOUBLE), collections what their parts become. Literals may do more:
in lists of expressions (ARRAY, MAP, IN ...) a string literal that is a number, a boolean or a time stands for it, and
any literal for its text.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.casting import cast
from riacho.pipelines.sql.expressions.compiled import Compiled, typed_null
from riacho.pipelines.sql.expressions.decimals import decimal_of, decimal_type, fits, wider
from riacho.pipelines.sql.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    NUMBERS,
    STRING,
    TIMES,
    Array,
    Decimal,
    Field,
    Map,
    SqlType,
    Struct,
    is_number,
)

_TRUTH = re.compile(r"(?i)\s*(?:(t|tr|tru|true|y|ye|yes)|(f|fa|fal|fals|false|n|no))\s*")
_WHOLE = re.compile(r"\s*[+-]?[0-9]{1,18}\s*")
_POINTED = re.compile(r"\s*[+-]?(?:[0-9]{1,38}\.?[0-9]{0,38}|\.[0-9]{1,38})\s*")
_REAL = re.compile(r"\s*[+-]?(?:[0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,4})?\s*")


def can_coerce(source: SqlType | None, target: SqlType) -> bool:
    if source is None or source == target:
        return True
    match source, target:
        case Decimal(), Decimal():
            return fits(source, target)
        case Array(item), Array(to_item):
            return can_coerce(item, to_item)
        case Map(key, value), Map(to_key, to_value):
            return can_coerce(key, to_key) and can_coerce(value, to_value)
        case Struct(fields), Struct():
            both = ((field, target.field(field.name)) for field in fields)
            return all(known is None or can_coerce(field.type, known.type) for field, known in both)
        case _:
            return is_number(source) and is_number(target) and _rank(source) < _rank(target)


def _rank(kind: SqlType) -> float:
    return 1.5 if isinstance(kind, Decimal) else float(NUMBERS.index(kind))


def coerce(value: Compiled, target: SqlType) -> Compiled:
    """KsqlError where only an explicit cast makes the one into the other."""
    if value.type is None:
        return typed_null(target)
    if value.type == target:
        return value
    if not can_coerce(value.type, target):
        raise KsqlError(f"Cannot coerce {value.source or value.type} of type {value.type} to {target}.")
    return cast(value, target)


def common_type(types: Sequence[SqlType | None]) -> SqlType | None:
    """The type that all of them become; None where all are NULL. KsqlError where there is none."""
    common: SqlType | None = None
    for kind in types:
        common = _meet(common, kind)
    return common


def _meet(left: SqlType | None, right: SqlType | None) -> SqlType | None:
    if left is None or right is None or left == right:
        return left if right is None else right
    match left, right:
        case Array(item), Array(other):
            return Array(_known(_meet(item, other)))
        case Map(key, value), Map(other_key, other_value):
            return Map(_known(_meet(key, other_key)), _known(_meet(value, other_value)))
        case Struct(fields), Struct(others):
            names = {field.name for field in fields}
            shared = tuple(Field(field.name, _meet_field(field, right)) for field in fields)
            return Struct(shared + tuple(field for field in others if field.name not in names))
        case _ if is_number(left) and is_number(right):
            return widest(left, right)
        case _:
            raise KsqlError(
                f"operator does not exist: {left} = {right}\nHint: You might need to add explicit type casts."
            )


def _meet_field(field: Field, other: Struct) -> SqlType:
    known = other.field(field.name)
    return field.type if known is None else _known(_meet(field.type, known.type))


def _known(kind: SqlType | None) -> SqlType:
    assert kind is not None
    return kind


def widest(left: SqlType, right: SqlType) -> SqlType:
    if left == DOUBLE or right == DOUBLE:
        return DOUBLE
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return wider(decimal_of(left), decimal_of(right))
    return BIGINT if BIGINT in (left, right) else INTEGER


def coerce_list(values: Sequence[Compiled]) -> tuple[SqlType | None, list[Compiled]]:
    """Expressions that stand side by side, all in the type that the first with a type and the others agree upon."""
    first = next((value for value in values if value.type is not None), None)
    if first is None:
        return None, list(values)
    adapted = [_adapted(value, first) for value in values]
    common = _common(adapted, first)
    return common, [cast(value, common) for value in adapted]


def _common(values: Sequence[Compiled], first: Compiled) -> SqlType:
    common: SqlType | None = None
    for value in values:
        try:
            common = _meet(common, value.type)
        except KsqlError:
            raise _no_operator(first, value) from None
    return _known(common)


def _adapted(value: Compiled, first: Compiled) -> Compiled:
    """A literal as what it stands for beside others of the first one's type."""
    if value.type is None or value.literal is None or first.type is None:
        return value
    if first.type == STRING and value.type != STRING:
        return cast(value, STRING)
    if value.type != STRING or first.type == STRING:
        return value
    kind = literal_type(str(value.literal), first.type)
    if kind is None:
        if is_number(first.type) or first.type == BOOLEAN or first.type in TIMES:
            raise KsqlError(f'invalid input syntax for type {_base_name(first.type)}: "{value.literal}".')
        return value
    return cast(value, kind)


def literal_type(text: str, wanted: SqlType) -> SqlType | None:
    """The type that a string literal has where a number, a boolean or a time is wanted; None where it is none."""
    if wanted == BOOLEAN:
        return BOOLEAN if _TRUTH.fullmatch(text) else None
    if wanted in TIMES:
        return wanted
    if not is_number(wanted):
        return None
    if _WHOLE.fullmatch(text):
        return INTEGER if -(2**31) <= int(text) < 2**31 else BIGINT
    if _POINTED.fullmatch(text):
        return decimal_type(decimal.Decimal(text.strip()))
    return DOUBLE if _REAL.fullmatch(text) else None


def _no_operator(first: Compiled, value: Compiled) -> KsqlError:
    named = f" ({value.source})" if value.source else ""
    return KsqlError(
        f"operator does not exist: {first.type} = {value.type}{named}\nHint: You might need to add explicit type casts."
    )


def _base_name(kind: SqlType) -> str:
    return "DECIMAL" if isinstance(kind, Decimal) else str(kind)

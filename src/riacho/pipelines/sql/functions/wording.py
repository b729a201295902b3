"""Functions as errors and descriptions name them: ksqlDB's words for the types of parameters."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.functions.function import (
    Any,
    AnyDecimal,
    AnyStruct,
    ArrayOf,
    Function,
    LambdaOf,
    MapOf,
    Pattern,
    Signature,
    Unit,
)
from riacho.pipelines.sql.types import INTEGER, STRING, Array, Decimal, Map, Struct

# Names are in lower case in errors, but for those that were written otherwise in ksqlDB.
_UPPER = frozenset({"AS_VALUE", "COALESCE", "IFNULL", "NULLIF"})


def shown_name(function: Function) -> str:
    return function.name if function.name in _UPPER else function.name.lower()


def shown_types(slots: Sequence[object]) -> str:
    return "(" + ", ".join("null" if slot is None else _slot_text(slot) for slot in slots) + ")"


def _slot_text(slot: object) -> str:
    unit = getattr(slot, "unit", None)
    if unit is not None:
        return "INTERVALUNIT"
    return "LAMBDA" if hasattr(slot, "parameters") else str(slot)


def alternatives(function: Function) -> str:
    listed = "\n".join(signature_text(shown_name(function), signature) for signature in function.signatures)
    return (
        f"\nValid alternatives are:\n{listed}"
        "\nFor detailed information on a function run: DESCRIBE FUNCTION <Function-Name>;"
    )


def signature_text(name: str, signature: Signature) -> str:
    last = len(signature.parameters) - 1
    parts = [
        parameter_type(parameter.type)
        + ("..." if signature.is_variadic and index == last else "")
        + f" {parameter.name}"
        for index, parameter in enumerate(signature.parameters)
    ]
    return f"{name}({', '.join(parts)})"


def parameter_type(pattern: Pattern) -> str:
    match pattern:
        case Any(name):
            return name
        case AnyDecimal() | Decimal():
            return "DECIMAL"
        case AnyStruct() | Struct():
            return "STRUCT"
        case ArrayOf(item) | Array(item):
            return f"ARRAY<{parameter_type(item)}>"
        case MapOf(key, value) | Map(key, value):
            return f"MAP<{parameter_type(key)}, {parameter_type(value)}>"
        case LambdaOf(inputs, result):
            return f"LAMBDA ({', '.join(map(parameter_type, inputs))}) => {parameter_type(result)}"
        case Unit():
            return "INTERVALUNIT"
        case _ if pattern == STRING:
            return "VARCHAR"
        case _ if pattern == INTEGER:
            return "INT"
        case _:
            return str(pattern)

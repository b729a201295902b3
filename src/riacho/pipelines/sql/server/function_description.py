"""A function as DESCRIBE FUNCTION tells it."""

from __future__ import annotations

from typing import Any

from riacho import __version__
from riacho.pipelines.sql.functions import function as patterns
from riacho.pipelines.sql.functions.function import Function, Pattern, Signature


def function_description(function: Function) -> dict[str, Any]:
    return {
        "name": function.name,
        "description": function.about,
        "author": function.author,
        "version": __version__,
        "path": "",
        "functions": [_signature(each, function) for each in function.signatures],
        "type": function.kind,
    }


def _signature(signature: Signature, function: Function) -> dict[str, Any]:
    last = len(signature.parameters) - 1
    arguments = [
        {
            "name": each.name,
            "type": _type(each.type),
            "description": each.about,
            "isVariadic": signature.is_variadic and number == last,
        }
        for number, each in enumerate(signature.parameters)
    ]
    result = "depends on the arguments" if callable(signature.result) else _type(signature.result)
    return {"arguments": arguments, "returnType": result, "description": signature.about or function.about}


def _type(pattern: Pattern) -> str:
    match pattern:
        case patterns.Any(name):
            return name
        case patterns.AnyDecimal():
            return "DECIMAL"
        case patterns.AnyStruct():
            return "STRUCT"
        case patterns.ArrayOf(item):
            return f"ARRAY<{_type(item)}>"
        case patterns.MapOf(key, value):
            return f"MAP<{_type(key)}, {_type(value)}>"
        case patterns.LambdaOf(inputs, result):
            return f"LAMBDA ({', '.join(_type(each) for each in inputs)}) => {_type(result)}"
        case patterns.Unit():
            return "INTERVALUNIT"
        case _:
            return str(pattern)

"""Users' scalar and table functions: as functions of the registry, and as Python functions of a Spark session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.pipelines.sql.functions.function import Function, Parameter, Signature, sql
from riacho.pipelines.sql.functions.python_functions import PREFIX, PythonFunction
from riacho.pipelines.sql.functions.user.definition import Definition, UserKind, UserSignature
from riacho.pipelines.sql.functions.user.values import from_python, to_python
from riacho.pipelines.sql.types import Array, SqlType, spark_type

# A table function that never ends would fill its worker's memory.
ROWS_MAX = 1_000_000


def registry_function(definition: Definition) -> Function:
    """As statements call it."""
    signatures = tuple(
        Signature(
            tuple(Parameter(f"arg{place}", kind) for place, kind in enumerate(signature.parameters)),
            _result(definition, signature),
            sql(f"{python_name(definition, index)}({{*}})"),
            is_variadic=signature.is_variadic,
        )
        for index, signature in enumerate(definition.signatures)
    )
    return Function(
        definition.name, "OTHER", definition.about, signatures, kind=definition.kind.value, author="the operator"
    )


def python_functions(definition: Definition) -> list[PythonFunction]:
    """One for each signature, as their results have different types."""
    return [
        PythonFunction(
            python_name(definition, index),
            spark_type(_result(definition, signature)),
            _adapted(definition, signature),
            takes_nulls=True,
        )
        for index, signature in enumerate(definition.signatures)
    ]


def python_name(definition: Definition, index: int) -> str:
    return f"{PREFIX}user_{definition.name.lower()}_{index}"


def _result(definition: Definition, signature: UserSignature) -> SqlType:
    return Array(signature.result) if definition.kind is UserKind.TABLE else signature.result


def _adapted(definition: Definition, signature: UserSignature) -> Callable[..., Any]:
    called = definition.implementation
    is_table = definition.kind is UserKind.TABLE
    kinds, last = signature.parameters, len(signature.parameters) - 1

    def adapted(*arguments: Any) -> Any:
        values = [to_python(argument, kinds[min(place, last)]) for place, argument in enumerate(arguments)]
        result = called(*values)
        if not is_table or result is None:
            return from_python(result, signature.result, as_json=False)
        rows: list[Any] = []
        for row in result:
            if len(rows) >= ROWS_MAX:
                raise ValueError(f"more than {ROWS_MAX} rows of one")
            rows.append(from_python(row, signature.result, as_json=False))
        return rows

    return adapted

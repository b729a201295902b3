"""Arguments that a Python function computes, for functions whose own SQL puts an argument into a lambda.

Spark has no Python functions in lambdas. So such arguments are computed before, and the lambda has their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from riacho.pipelines.sql.expressions.binding import PYTHON_PREFIX
from riacho.pipelines.sql.functions.function import Argument, MakeSql


def computed_before(make: MakeSql) -> MakeSql:
    def made(arguments: Sequence[Argument]) -> str:
        python = [each.text for each in arguments if PYTHON_PREFIX in each.text]
        if not python:
            return make(arguments)
        named = [
            replace(each, text=f"_before.a{python.index(each.text)}") if each.text in python else each
            for each in arguments
        ]
        fields = ", ".join(f"'a{index}', {text}" for index, text in enumerate(python))
        return f"element_at(transform(array(named_struct({fields})), _before -> {make(named)}), 1)"

    return made

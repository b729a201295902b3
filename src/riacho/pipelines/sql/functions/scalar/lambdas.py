"""TRANSFORM, REDUCE and FILTER: lambdas over arrays and maps.

A lambda's text is `(x, y) -> body`. Where Spark's function gives a lambda other parameters than ksqlDB's, the body
remains: a map of one entry inside binds the names that are missing.
"""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import (
    Any,
    Argument,
    ArrayOf,
    Example,
    Function,
    LambdaOf,
    MakeSql,
    MapOf,
    Parameter,
    Signature,
    sql,
)
from riacho.pipelines.sql.types import BOOLEAN, Lambda, spark_type

CATEGORY = "LAMBDA"
_ARRAY = Parameter("array", ArrayOf(Any("T")))
_MAP = Parameter("map", MapOf(Any("K"), Any("V")))
_STATE = Parameter("state", Any("S"))


def _transformed_map(arguments: Sequence[Argument]) -> str:
    """Null where two entries would have one key, or one has none or a null value, as Java's collector has it."""
    entries, keys, values = arguments[0].text, arguments[1].text, arguments[2].text

    def body(key_list: str, value_list: str) -> str:
        wrong = f"exists({key_list}, _each -> _each IS NULL) OR exists({value_list}, _each -> _each IS NULL)"
        twice = f"size(array_distinct({key_list})) < size({key_list})"
        return f"IF({wrong} OR {twice}, NULL, map_from_arrays({key_list}, {value_list}))"

    listed = tuple(f"map_values(transform_values({entries}, {text}))" for text in (keys, values))
    return let_all(listed, body)


def _reduced_array(arguments: Sequence[Argument]) -> str:
    array, state, function = arguments
    names, body = _parts(function)
    kind = _state_type(arguments)
    start = f"CAST({state.text} AS {kind})"
    folded = f"aggregate({array.text}, {start}, ({names}) -> CAST({body} AS {kind}))"
    return f"IF({array.text} IS NULL, {start}, IF({state.text} IS NULL, NULL, {folded}))"


def _reduced_map(arguments: Sequence[Argument]) -> str:
    entries, state, function = arguments
    names, body = _parts(function)
    memory, key, value = (name.strip() for name in names.split(","))
    kind = _state_type(arguments)
    start = f"CAST({state.text} AS {kind})"
    # The entry's key and value get their names from a map of this one entry.
    inner = f"map_values(transform_values(map(_entry.key, _entry.value), ({key}, {value}) -> CAST({body} AS {kind})))"
    folded = f"aggregate(map_entries({entries.text}), {start}, ({memory}, _entry) -> element_at({inner}, 1))"
    return f"IF({entries.text} IS NULL, {start}, IF({state.text} IS NULL, NULL, {folded}))"


def _over_elements(name: str) -> MakeSql:
    def make(arguments: Sequence[Argument]) -> str:
        # Spark's parser takes no parentheses around one parameter.
        parameter, body = _parts(arguments[1])
        return f"{name}({arguments[0].text}, {parameter} -> {body})"

    return make


def _parts(function: Argument) -> tuple[str, str]:
    names, _, body = function.text.partition("->")
    return names.strip().strip("()"), body.strip()


def _state_type(arguments: Sequence[Argument]) -> str:
    function = arguments[2].type
    kind = arguments[1].type or (function.result if isinstance(function, Lambda) else None)
    assert kind is not None
    return spark_type(kind)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "TRANSFORM",
        CATEGORY,
        "What a lambda gives for each element; for a map, one for the keys and one for the values.",
        (
            Signature(
                (_ARRAY, Parameter("lambda", LambdaOf((Any("T"),), Any("R")))),
                ArrayOf(Any("R")),
                _over_elements("transform"),
            ),
            Signature(
                (
                    _MAP,
                    Parameter("keyLambda", LambdaOf((Any("K"), Any("V")), Any("R"))),
                    Parameter("valueLambda", LambdaOf((Any("K"), Any("V")), Any("U"))),
                ),
                MapOf(Any("R"), Any("U")),
                _transformed_map,
            ),
        ),
        (
            Example("TRANSFORM(ARRAY[1, 2, 3], x => x * 5)", [5, 10, 15]),
            Example("TRANSFORM(ARRAY['a', NULL], x => UCASE(x))", ["A", None]),
            Example("TRANSFORM(CAST(NULL AS ARRAY<INT>), x => x + 1)", None),
            Example("TRANSFORM(MAP('a' := 1, 'b' := 2), (k, v) => UCASE(k), (k, v) => v + 1)", {"A": 2, "B": 3}),
            Example("TRANSFORM(MAP('a' := 1, 'b' := 2), (k, v) => 'x', (k, v) => v)", None),
            Example("TRANSFORM(CAST(NULL AS MAP<STRING, INT>), (k, v) => k, (k, v) => v)", None),
            Example(
                "TRANSFORM(ARRAY[ARRAY[1], ARRAY[2, 3]], x => TRANSFORM(x, y => y + ARRAY_LENGTH(x)))", [[2], [4, 5]]
            ),
        ),
    ),
    Function(
        "REDUCE",
        CATEGORY,
        "A state to which a lambda has joined each element. Of a null collection it is the state that was given.",
        (
            Signature(
                (_ARRAY, _STATE, Parameter("lambda", LambdaOf((Any("S"), Any("T")), Any("S")))),
                Any("S"),
                _reduced_array,
            ),
            Signature(
                (_MAP, _STATE, Parameter("lambda", LambdaOf((Any("S"), Any("K"), Any("V")), Any("S")))),
                Any("S"),
                _reduced_map,
            ),
        ),
        (
            Example("REDUCE(ARRAY[2, 3, 4], 1, (s, x) => s + x)", 10),
            Example("REDUCE(MAP('a' := 1, 'b' := 2), 'x', (s, k, v) => CONCAT(s, k))", "xab"),
            Example("REDUCE(MAP('a' := 1, 'b' := 2), 5, (s, k, v) => s + v)", 8),
            Example("REDUCE(CAST(NULL AS ARRAY<INT>), 7, (s, x) => s + x)", 7),
            Example("REDUCE(ARRAY[1], CAST(NULL AS INT), (s, x) => x)", None),
        ),
    ),
    Function(
        "FILTER",
        CATEGORY,
        "The elements, or the entries, for which a lambda is true.",
        (
            Signature(
                (_ARRAY, Parameter("lambda", LambdaOf((Any("T"),), BOOLEAN))),
                ArrayOf(Any("T")),
                _over_elements("filter"),
            ),
            Signature(
                (_MAP, Parameter("lambda", LambdaOf((Any("K"), Any("V")), BOOLEAN))),
                MapOf(Any("K"), Any("V")),
                sql("map_filter({0}, {1})"),
            ),
        ),
        (
            Example("FILTER(ARRAY[5, 4, NULL, 9], x => x > 4)", [5, 9]),
            Example("FILTER(MAP('a' := 1, 'b' := 2), (k, v) => k = 'b' AND v > 1)", {"b": 2}),
            Example("FILTER(CAST(NULL AS ARRAY<INT>), x => x > 4)", None),
        ),
    ),
)

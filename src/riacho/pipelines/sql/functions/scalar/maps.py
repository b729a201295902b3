"""Functions of maps."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let_all
from riacho.pipelines.sql.functions.function import (
    Any,
    Argument,
    ArrayOf,
    Example,
    Function,
    MapOf,
    Parameter,
    Signature,
    sql,
)
from riacho.pipelines.sql.types import BOOLEAN, STRING, Array, Field, Map, SqlType, Struct

CATEGORY = "MAP"
_MAP = Parameter("map", MapOf(Any("K"), Any("V")))
_TWO = (Parameter("map1", MapOf(Any("K"), Any("V"))), Parameter("map2", MapOf(Any("K"), Any("V"))))


def _as_map(arguments: Sequence[Argument]) -> str:
    def body(keys: str, values: str) -> str:
        # As many entries as the shorter has; Spark takes no null as a key.
        pairs = f"slice(arrays_zip({keys}, {values}), 1, least(size({keys}), size({values})))"
        entries = f"transform({pairs}, _each -> named_struct('key', _each.`0`, 'value', _each.`1`))"
        whole = f"map_from_entries(filter({entries}, _each -> _each.key IS NOT NULL))"
        return f"IF({keys} IS NULL OR {values} IS NULL, NULL, {whole})"

    # Arrays without names: the fields of arrays_zip are named after columns otherwise.
    texts = tuple(f"transform({each.text}, _each -> _each)" for each in arguments)
    return let_all(texts, body)


def _union(arguments: Sequence[Argument]) -> str:
    return let_all(
        tuple(each.text for each in arguments),
        lambda one, other: (
            f"CASE WHEN {one} IS NULL THEN {other} WHEN {other} IS NULL THEN {one} ELSE map_concat({one}, {other}) END"
        ),
    )


def _entry_type(types: Sequence[SqlType | None]) -> SqlType:
    kind = types[0]
    value = kind.value if isinstance(kind, Map) else STRING
    return Array(Struct((Field("K", STRING), Field("V", value))))


def _entries(arguments: Sequence[Argument]) -> str:
    def body(value: str, is_sorted: str) -> str:
        entries = f"transform(map_entries({value}), _each -> named_struct('K', _each.key, 'V', _each.value))"
        by_key = "(_one, _other) -> CASE WHEN _one.K < _other.K THEN -1 WHEN _one.K > _other.K THEN 1 ELSE 0 END"
        return f"IF({is_sorted}, array_sort({entries}, {by_key}), {entries})"

    return let_all(tuple(each.text for each in arguments), body)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "AS_MAP",
        CATEGORY,
        "A map of an array of keys and an array of values.",
        (
            Signature(
                (Parameter("keys", ArrayOf(STRING)), Parameter("values", ArrayOf(Any("V")))),
                MapOf(STRING, Any("V")),
                _as_map,
            ),
        ),
        (
            Example("AS_MAP(ARRAY['a', 'b'], ARRAY[1, 2])", {"a": 1, "b": 2}),
            Example("AS_MAP(ARRAY['a', 'b', 'c'], ARRAY[1, NULL])", {"a": 1, "b": None}),
            Example("AS_MAP(ARRAY['a', 'a'], ARRAY[1, 2])", {"a": 2}),
            Example("AS_MAP(ARRAY['a'], CAST(NULL AS ARRAY<INT>))", None),
        ),
    ),
    Function(
        "MAP_KEYS",
        CATEGORY,
        "The keys of a map.",
        (Signature((_MAP,), ArrayOf(Any("K")), sql("map_keys({0})")),),
        (
            Example("MAP_KEYS(MAP('apple' := 10, 'banana' := 20))", ["apple", "banana"]),
            Example("MAP_KEYS(CAST(NULL AS MAP<STRING, INT>))", None),
        ),
    ),
    Function(
        "MAP_VALUES",
        CATEGORY,
        "The values of a map.",
        (Signature((_MAP,), ArrayOf(Any("V")), sql("map_values({0})")),),
        (
            Example("MAP_VALUES(MAP('apple' := 10, 'banana' := NULL))", [10, None]),
            Example("MAP_VALUES(CAST(NULL AS MAP<STRING, INT>))", None),
        ),
    ),
    Function(
        "MAP_UNION",
        CATEGORY,
        "The entries of both maps; the second's where both have a key.",
        (Signature(_TWO, MapOf(Any("K"), Any("V")), _union),),
        (
            Example(
                "MAP_UNION(MAP('apple' := 10, 'banana' := 20), MAP('cherry' := 99))",
                {"apple": 10, "banana": 20, "cherry": 99},
            ),
            Example("MAP_UNION(MAP('apple' := 10, 'banana' := 20), MAP('apple' := 50))", {"apple": 50, "banana": 20}),
            Example("MAP_UNION(CAST(NULL AS MAP<STRING, INT>), MAP('a' := 1))", {"a": 1}),
            Example("MAP_UNION(CAST(NULL AS MAP<STRING, INT>), CAST(NULL AS MAP<STRING, INT>))", None),
        ),
    ),
    Function(
        "ENTRIES",
        CATEGORY,
        "The entries of a map as structs of K and V, in the order of their keys where that is asked for.",
        (
            Signature(
                (Parameter("map", MapOf(STRING, Any("V"))), Parameter("sorted", BOOLEAN)),
                _entry_type,
                _entries,
            ),
        ),
        (
            Example("ENTRIES(MAP('b' := 2, 'a' := 1), true)", [{"K": "a", "V": 1}, {"K": "b", "V": 2}]),
            Example("ENTRIES(MAP('b' := ARRAY[2]), false)", [{"K": "b", "V": [2]}]),
            Example("ENTRIES(CAST(NULL AS MAP<STRING, INT>), true)", None),
        ),
    ),
)

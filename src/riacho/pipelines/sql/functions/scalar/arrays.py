"""Functions of arrays. Null elements are elements like others: equal to each other, last where there is an order."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.functions.function import Any, Argument, ArrayOf, Example, Function, Parameter, Signature, sql
from riacho.pipelines.sql.functions.scalar import array_series, array_sets
from riacho.pipelines.sql.functions.scalar.comparable import has_maps, with_comparable_items
from riacho.pipelines.sql.functions.scalar.python_arguments import computed_before
from riacho.pipelines.sql.types import BOOLEAN, INTEGER, NUMBERS, STRING, Array, Decimal, Map, Struct

CATEGORY = "ARRAY"
_ARRAY = Parameter("array", ArrayOf(Any("T")))
_TWO = (Parameter("array1", ArrayOf(Any("T"))), Parameter("array2", ArrayOf(Any("T"))))
_JOINED = (BOOLEAN, *NUMBERS, STRING)


def _concatenated(arguments: Sequence[Argument]) -> str:
    left, right = arguments[0].text, arguments[1].text
    return let(
        left,
        lambda one: let(
            right,
            lambda other: (
                f"CASE WHEN {one} IS NULL THEN {other} WHEN {other} IS NULL THEN {one} ELSE concat({one}, {other}) END"
            ),
        ),
    )


def _equal(left: str, right: Argument) -> str:
    """`left` is an element."""
    if right.type is not None and has_maps(right.type):
        return f"{with_comparable_items(left, right.type)} <=> {with_comparable_items(right.text, right.type)}"
    return f"{left} <=> {right.text}"


def _contains(arguments: Sequence[Argument]) -> str:
    return f"coalesce(exists({arguments[0].text}, _each -> {_equal('_each', arguments[1])}), false)"


def _removed(arguments: Sequence[Argument]) -> str:
    return f"filter({arguments[0].text}, _each -> NOT ({_equal('_each', arguments[1])}))"


def _joined(arguments: Sequence[Argument]) -> str:
    array = arguments[0]
    delimiter = f"coalesce({arguments[1].text}, '')" if len(arguments) > 1 else "','"
    item = array.type.item if isinstance(array.type, Array) else None
    if item in _JOINED or isinstance(item, Decimal):
        each = "coalesce(CAST(_each AS STRING), 'null')"
        return f"array_join(transform({array.text}, _each -> {each}), {delimiter})"
    # Elements of other types cannot be joined; nulls of any type can.
    nulls = f"transform({array.text}, _each -> IF(_each IS NULL, 'null', NULL))"
    return let(
        nulls, lambda texts: f"IF(exists({texts}, _each -> _each IS NULL), NULL, array_join({texts}, {delimiter}))"
    )


def _sorted(arguments: Sequence[Argument]) -> str:
    array = arguments[0].text
    item = array_sets.item_type(arguments[0])
    if isinstance(item, Array | Map | Struct):
        return f"IF(size({array}) > 1, NULL, {array})"
    if len(arguments) == 1:
        return f"array_sort({array})"
    return (
        f"CASE WHEN upper({arguments[1].text}) IN ('ASC', 'ASCENDING') THEN array_sort({array}) "
        f"WHEN upper({arguments[1].text}) IN ('DESC', 'DESCENDING') THEN sort_array({array}, false) END"
    )


def _sliced(arguments: Sequence[Argument]) -> str:
    array, start, end = arguments

    def body(value: str) -> str:
        first, last = f"coalesce({start.text}, 1)", f"coalesce({end.text}, size({value}))"
        fits = f"{first} >= 1 AND {last} <= size({value}) AND {first} - 1 <= {last}"
        # Spark refuses bounds that do not fit, where null is asked for: a null start makes null of all.
        return f"slice({value}, IF({fits}, {first}, NULL), IF({fits}, {last} - {first} + 1, 0))"

    return let(array.text, body)


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "ARRAY_CONCAT",
        CATEGORY,
        "The elements of two arrays, one after the other.",
        (Signature(_TWO, ArrayOf(Any("T")), _concatenated),),
        (
            Example("ARRAY_CONCAT(ARRAY[1, 2], ARRAY[2, NULL])", [1, 2, 2, None]),
            Example("ARRAY_CONCAT(CAST(NULL AS ARRAY<INT>), ARRAY[4, 1])", [4, 1]),
            Example("ARRAY_CONCAT(CAST(NULL AS ARRAY<INT>), CAST(NULL AS ARRAY<INT>))", None),
        ),
    ),
    Function(
        "ARRAY_CONTAINS",
        CATEGORY,
        "Whether a value is among the elements; of a null array false.",
        (Signature((_ARRAY, Parameter("val", Any("T"))), BOOLEAN, computed_before(_contains)),),
        (
            Example("ARRAY_CONTAINS(ARRAY[1, 2, 3], 3)", True),
            Example("ARRAY_CONTAINS(ARRAY['a', NULL], CAST(NULL AS STRING))", True),
            Example("ARRAY_CONTAINS(ARRAY['a'], CAST(NULL AS STRING))", False),
            Example("ARRAY_CONTAINS(CAST(NULL AS ARRAY<INT>), 1)", False),
            Example("ARRAY_CONTAINS(JSON_ITEMS('[1, 2]'), JSON_CONCAT('2', '3'))", False),
            Example("ARRAY_CONTAINS(ARRAY[MAP('a' := 1, 'b' := 2)], MAP('b' := 2, 'a' := 1))", True),
        ),
    ),
    Function(
        "ARRAY_DISTINCT",
        CATEGORY,
        "Each element once, where it first was.",
        (Signature((_ARRAY,), ArrayOf(Any("T")), array_sets.distinct),),
        (
            Example("ARRAY_DISTINCT(ARRAY[1, 1, 2, 3, 1, 2])", [1, 2, 3]),
            Example("ARRAY_DISTINCT(ARRAY['apple', 'apple', NULL, 'cherry', NULL])", ["apple", None, "cherry"]),
            Example("ARRAY_DISTINCT(ARRAY[MAP('a' := 1, 'b' := 2), MAP('b' := 2, 'a' := 1)])", [{"a": 1, "b": 2}]),
            Example("ARRAY_DISTINCT(CAST(NULL AS ARRAY<INT>))", None),
        ),
    ),
    Function(
        "ARRAY_EXCEPT",
        CATEGORY,
        "The elements of an array that another does not have, each once.",
        (Signature(_TWO, ArrayOf(Any("T")), array_sets.set_of("array_except")),),
        (
            Example("ARRAY_EXCEPT(ARRAY[1, 2, 3, 1, 2], ARRAY[2, 3])", [1]),
            Example("ARRAY_EXCEPT(ARRAY['apple', 'apple', NULL, 'cherry'], ARRAY['cherry'])", ["apple", None]),
            Example("ARRAY_EXCEPT(ARRAY[MAP('a' := 1), MAP('b' := 2)], ARRAY[MAP('a' := 1)])", [{"b": 2}]),
            Example("ARRAY_EXCEPT(ARRAY[1], CAST(NULL AS ARRAY<INT>))", None),
        ),
    ),
    Function(
        "ARRAY_INTERSECT",
        CATEGORY,
        "The elements that both arrays have, each once, in the order of the first.",
        (Signature(_TWO, ArrayOf(Any("T")), array_sets.set_of("array_intersect")),),
        (
            Example("ARRAY_INTERSECT(ARRAY[1, 2, 3, 1, 2], ARRAY[2, 1])", [1, 2]),
            Example("ARRAY_INTERSECT(ARRAY['apple', NULL], ARRAY[NULL, 'apple'])", ["apple", None]),
            Example("ARRAY_INTERSECT(ARRAY[MAP('a' := 1), MAP('b' := 2)], ARRAY[MAP('a' := 1)])", [{"a": 1}]),
            Example("ARRAY_INTERSECT(CAST(NULL AS ARRAY<INT>), ARRAY[1])", None),
        ),
    ),
    Function(
        "ARRAY_JOIN",
        CATEGORY,
        "The elements as one text, with a delimiter or a comma between them.",
        (
            Signature((_ARRAY,), STRING, _joined),
            Signature((_ARRAY, Parameter("delimiter", STRING)), STRING, _joined),
        ),
        (
            Example("ARRAY_JOIN(ARRAY['a', NULL, 'b'])", "a,null,b"),
            Example("ARRAY_JOIN(ARRAY[true, false], '; ')", "true; false"),
            Example("ARRAY_JOIN(ARRAY[1.50, 2.00], CAST(NULL AS STRING))", "1.502.00"),
            Example("ARRAY_JOIN(ARRAY[ARRAY[1]], '-')", None),
            Example("ARRAY_JOIN(CAST(NULL AS ARRAY<INT>), '-')", None),
        ),
    ),
    Function(
        "ARRAY_LENGTH",
        CATEGORY,
        "How many elements there are.",
        (Signature((_ARRAY,), INTEGER, sql("array_size({0})")),),
        (
            Example("ARRAY_LENGTH(ARRAY[1, NULL, 3])", 3),
            Example("ARRAY_LENGTH(CAST(NULL AS ARRAY<STRING>))", None),
        ),
    ),
    Function(
        "ARRAY_MAX",
        CATEGORY,
        "The greatest element that is not null.",
        (Signature((_ARRAY,), Any("T"), array_sets.ordered(sql("array_max({0})"))),),
        (
            Example("ARRAY_MAX(ARRAY[-1, 2, NULL, 0])", 2),
            Example("ARRAY_MAX(ARRAY['Foo', 'Bar', NULL, 'baz'])", "baz"),
            Example("ARRAY_MAX(ARRAY[false, NULL, true])", True),
            Example("ARRAY_MAX(ARRAY[CAST(NULL AS INT)])", None),
            Example("ARRAY_MAX(ARRAY[MAP('a' := 1)])", None),
        ),
    ),
    Function(
        "ARRAY_MIN",
        CATEGORY,
        "The least element that is not null.",
        (Signature((_ARRAY,), Any("T"), array_sets.ordered(sql("array_min({0})"))),),
        (
            Example("ARRAY_MIN(ARRAY[-1, 2, NULL, 0])", -1),
            Example("ARRAY_MIN(ARRAY['Foo', 'Bar', NULL, 'baz'])", "Bar"),
            Example("ARRAY_MIN(CAST(NULL AS ARRAY<DOUBLE>))", None),
            Example("ARRAY_MIN(ARRAY[ARRAY[1]])", None),
        ),
    ),
    Function(
        "ARRAY_REMOVE",
        CATEGORY,
        "The elements that are not equal to a value.",
        (Signature((_ARRAY, Parameter("element", Any("T"))), ArrayOf(Any("T")), computed_before(_removed)),),
        (
            Example("ARRAY_REMOVE(ARRAY[1, 2, 3, 2, 1], 2)", [1, 3, 1]),
            Example("ARRAY_REMOVE(ARRAY['Foo', 'Bar', NULL, 'baz'], CAST(NULL AS STRING))", ["Foo", "Bar", "baz"]),
            Example("ARRAY_REMOVE(CAST(NULL AS ARRAY<INT>), 2)", None),
        ),
    ),
    Function(
        "ARRAY_SORT",
        CATEGORY,
        "The elements in their order, ascending or descending; nulls are last either way.",
        (
            Signature((_ARRAY,), ArrayOf(Any("T")), _sorted),
            Signature((_ARRAY, Parameter("direction", STRING)), ArrayOf(Any("T")), _sorted),
        ),
        (
            Example("ARRAY_SORT(ARRAY[-1, 2, NULL, 0])", [-1, 0, 2, None]),
            Example("ARRAY_SORT(ARRAY['Foo', 'Bar', NULL, 'baz'], 'desc')", ["baz", "Foo", "Bar", None]),
            Example("ARRAY_SORT(ARRAY[2, 1], 'ASCENDING')", [1, 2]),
            Example("ARRAY_SORT(ARRAY[2, 1], 'sideways')", None),
            Example("ARRAY_SORT(ARRAY[MAP('a' := 1), MAP('b' := 1)])", None),
        ),
    ),
    Function(
        "ARRAY_UNION",
        CATEGORY,
        "The elements of both arrays, each once, in the order in which they are found.",
        (Signature(_TWO, ArrayOf(Any("T")), array_sets.set_of("array_union")),),
        (
            Example("ARRAY_UNION(ARRAY[1, 2, 3, 1, 2], ARRAY[4, 1])", [1, 2, 3, 4]),
            Example("ARRAY_UNION(ARRAY['apple', NULL], ARRAY['cherry', NULL])", ["apple", None, "cherry"]),
            Example("ARRAY_UNION(ARRAY[MAP('a' := 1)], ARRAY[MAP('a' := 1), NULL])", [{"a": 1}, None]),
            Example("ARRAY_UNION(ARRAY[1], CAST(NULL AS ARRAY<INT>))", None),
        ),
    ),
    Function(
        "SLICE",
        CATEGORY,
        "The elements between two positions, both included, counted from 1; null where there are no such positions.",
        (
            Signature(
                (Parameter("in", ArrayOf(Any("T"))), Parameter("from", INTEGER), Parameter("to", INTEGER)),
                ArrayOf(Any("T")),
                _sliced,
            ),
        ),
        (
            Example("SLICE(ARRAY['a', 'b', 'c'], 1, 2)", ["a", "b"]),
            Example("SLICE(ARRAY['a', 'b', 'c'], 2, CAST(NULL AS INT))", ["b", "c"]),
            Example("SLICE(ARRAY['a', 'b', 'c'], 3, 2)", []),
            Example("SLICE(ARRAY['a', 'b', 'c'], 2, 4)", None),
            Example("SLICE(ARRAY['a', 'b', 'c'], 0, 1)", None),
            Example("SLICE(CAST(NULL AS ARRAY<INT>), 1, 2)", None),
        ),
    ),
    *array_series.FUNCTIONS,
)

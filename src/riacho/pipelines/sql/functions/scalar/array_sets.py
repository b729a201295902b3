"""Arrays as sets, and their least and greatest elements, also of types that Spark cannot compare.

Spark refuses to plan a comparison of maps, so arrays with maps in their elements are compared in another form. Elements
that are arrays, maps or structs have no order in ksqlDB: what asks for one gives null.
"""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let, let_all
from riacho.pipelines.sql.functions.function import Argument, MakeSql
from riacho.pipelines.sql.functions.scalar.comparable import has_maps, with_comparable_items
from riacho.pipelines.sql.types import Array, Map, SqlType, Struct, spark_type


def item_type(array: Argument) -> SqlType | None:
    return array.type.item if isinstance(array.type, Array) else None


def ordered(make: MakeSql) -> MakeSql:
    """`make` where the elements have an order; null else."""

    def made(arguments: Sequence[Argument]) -> str:
        item = item_type(arguments[0])
        if not isinstance(item, Array | Map | Struct):
            return make(arguments)
        return f"transform({arguments[0].text}, _each -> CAST(NULL AS {spark_type(item)}))[-1]"

    return made


def distinct(arguments: Sequence[Argument]) -> str:
    item = item_type(arguments[0])
    if item is None or not has_maps(item):
        return f"array_distinct({arguments[0].text})"
    return _each_once(arguments[0].text, item)


def set_of(spark_name: str) -> MakeSql:
    """`spark_name` is array_union, array_except or array_intersect."""

    def make(arguments: Sequence[Argument]) -> str:
        texts = tuple(argument.text for argument in arguments)
        item = item_type(arguments[0])
        if item is None or not has_maps(item):
            return f"{spark_name}({', '.join(texts)})"
        return let_all(texts, lambda one, other: _each_once(_joined(spark_name, one, other, item), item))

    return make


def _joined(spark_name: str, one: str, other: str, item: SqlType) -> str:
    if spark_name == "array_union":
        return f"concat({one}, {other})"
    form = with_comparable_items("_item", item, 1)
    found = f"exists({with_comparable_items(other, Array(item), 1)}, _form -> _form <=> {form})"
    kept = found if spark_name == "array_intersect" else f"NOT {found}"
    return f"IF({other} IS NULL, NULL, filter({one}, _item -> {kept}))"


def _each_once(array: str, item: SqlType) -> str:
    """Where an element is not among those before it."""

    def body(items: str) -> str:
        forms = with_comparable_items(items, Array(item), 1)
        form = with_comparable_items("_item", item, 1)
        return f"filter({items}, (_item, _at) -> NOT exists(slice({forms}, 1, _at), _form -> _form <=> {form}))"

    return let(array, body)

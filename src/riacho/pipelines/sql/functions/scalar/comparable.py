"""Values of types that have maps in them, in a form that Spark can compare: it has no equality of maps."""

from __future__ import annotations

from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import Array, Map, SqlType, Struct, quoted, walk


def has_maps(kind: SqlType) -> bool:
    return any(isinstance(part, Map) for part in walk(kind))


def with_comparable_items(value: str, kind: SqlType, depth: int = 0) -> str:
    """The value with its entries in order, wherever it has maps."""
    if not has_maps(kind):
        return value
    name = f"_c{depth}"
    match kind:
        case Array(item):
            return f"transform({value}, {name} -> {with_comparable_items(name, item, depth + 1)})"
        case Map(_, inner):
            comparable = with_comparable_items(f"{name}.value", inner, depth + 1)
            entry = f"named_struct('key', {name}.key, 'value', {comparable})"
            return f"array_sort(transform(map_entries({value}), {name} -> {entry}))"
        case Struct(fields):
            parts = ", ".join(
                f"{sql_string(each.name)}, {with_comparable_items(f'{value}.{quoted(each.name)}', each.type, depth)}"
                for each in fields
            )
            return f"IF(({value}) IS NULL, NULL, named_struct({parts}))"
        case _:
            return value

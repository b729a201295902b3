"""ARRAY[...], MAP(...), STRUCT(...), and what is taken out of them."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.coercion import coerce, coerce_list
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.failure import failures
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import BIGINT, INTEGER, Array, Field, Map, SqlType, Struct, quoted

_ISSUE = "(see https://github.com/confluentinc/ksql/issues/4239)"
_WORKAROUND = "As a workaround, you may cast a NULL value to the desired type."


def array(items: Sequence[Compiled]) -> Compiled:
    if not items:
        raise KsqlError(f"Array constructor cannot be empty. Please supply at least one element {_ISSUE}.")
    kind, values = coerce_list(items)
    if kind is None:
        raise KsqlError(f"Cannot construct an array with all NULL elements {_ISSUE}. {_WORKAROUND}")
    return _made(f"array({', '.join(value.text for value in values)})", Array(kind), values)


def mapping(entries: Sequence[tuple[Compiled, Compiled]]) -> Compiled:
    if not entries:
        raise KsqlError(f"Map constructor cannot be empty. Please supply at least one key value pair {_ISSUE}.")
    key, keys = coerce_list([key for key, _ in entries])
    if key is None or any(value.type is None for value, _ in entries):
        raise KsqlError(f"Cannot construct a map with NULL keys {_ISSUE}.")
    value, values = coerce_list([value for _, value in entries])
    if value is None:
        raise KsqlError(f"Cannot construct a map with all NULL values {_ISSUE}. {_WORKAROUND}")
    pairs = list(zip(keys, values, strict=True))
    if not any(name.nullable for name in keys):
        parts = ", ".join(f"{name.text}, {item.text}" for name, item in pairs)
        return _made(f"map({parts})", Map(key, value), (*keys, *values))
    # Spark ends a query for a key that is null: such an entry is left out.
    made = ", ".join(f"named_struct('key', {name.text}, 'value', {item.text})" for name, item in pairs)
    text = f"map_from_entries(filter(array({made}), _e -> _e.key IS NOT NULL))"
    return _made(text, Map(key, value), (*keys, *values))


def struct(fields: Sequence[tuple[str, Compiled]]) -> Compiled:
    for name, value in fields:
        if value.type is None:
            raise KsqlError(f"Cannot construct a struct with a NULL field '{name}' {_ISSUE}. {_WORKAROUND}")
    kind = Struct(tuple(Field(name, value.type) for name, value in fields if value.type is not None))
    seen: dict[str, Field] = {}
    for field in kind.fields:
        if field.name in seen:
            raise KsqlError(
                f"Duplicate field names found in STRUCT: '{_shown(seen[field.name])}' and '{_shown(field)}'"
            )
        seen[field.name] = field
    parts = ", ".join(f"{sql_string(name)}, {value.text}" for name, value in fields)
    return _made(f"named_struct({parts})", kind, [value for _, value in fields])


def _shown(field: Field) -> str:
    return f"{quoted(field.name)} {field.type}"


def _made(text: str, kind: SqlType, parts: Sequence[Compiled]) -> Compiled:
    failure = failures(parts)
    return Compiled(text, kind, nullable=False, failure=failure, shows_failure=not failure)


def subscript(base: Compiled, index: Compiled) -> Compiled:
    match base.type:
        case Array(item):
            return _taken(f"element_at({base.text}, {_position(index)})", item, (base, index))
        case Map(key, value):
            return _taken(f"element_at({base.text}, {coerce(index, key).text})", value, (base, index))
        case _:
            shown = "null" if base.type is None else base.type
            raise KsqlError(f"Subscript expression do not apply to {shown}.")


def _position(index: Compiled) -> str:
    """From 1, or from the end where it is negative; there is nothing at 0."""
    if index.type not in (INTEGER, BIGINT):
        shown = "null" if index.type is None else index.type
        raise KsqlError(f"The index of an array is an INTEGER, but {index.source} is {shown}.")
    text = index.text if index.type == INTEGER else f"CAST({index.text} AS INT)"
    if isinstance(index.literal, int) and index.literal != 0:
        return text
    return f"nullif({text}, 0)"


def dereference(base: Compiled, name: str) -> Compiled:
    if not isinstance(base.type, Struct):
        shown = "null" if base.type is None else base.type
        raise KsqlError(f"Expected STRUCT type, got: {shown}")
    field = base.type.field(name)
    if field is None:
        raise KsqlError(f"Could not find field '{name}' in '{base.source}'.")
    return _taken(f"{base.text}.{quoted(name)}", field.type, (base,))


def _taken(text: str, kind: SqlType, parts: Sequence[Compiled]) -> Compiled:
    shows_failure = all(part.shows_failure for part in parts)
    return Compiled(text, kind, failure=failures(parts), shows_failure=shows_failure)

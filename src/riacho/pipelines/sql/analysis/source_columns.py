"""Columns of CREATE STREAM | TABLE and ALTER: which may stand together, and what they are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.pipelines.sql.analysis.type_names import contains_map, resolve_type
from riacho.pipelines.sql.catalogue.sources import Column, Namespace
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.expressions import Location
from riacho.pipelines.sql.syntax.statements import ColumnDefinition, Constraint, Kind
from riacho.pipelines.sql.types import BYTES, STRING, Array, Field, SqlType, Struct, quoted

PSEUDO_COLUMNS = ("ROWTIME", "ROWPARTITION", "ROWOFFSET")
WINDOW_BOUNDS = ("WINDOWSTART", "WINDOWEND")
RESERVED = (*PSEUDO_COLUMNS, *WINDOW_BOUNDS)
COLUMNS_MAX = 10_000

HEADERS_TYPE = Array(Struct((Field("KEY", STRING), Field("VALUE", BYTES))))

_KEYS = (
    "Tables have PRIMARY KEYs, which are unique and NON NULL.\n"
    "Streams have KEYs, which have no uniqueness or NON NULL constraints."
)


def place(at: Location | None) -> str:
    """How ksqlDB says where something stands."""
    return "" if at is None else f"Line: {at.line}, Col: {at.column}: "


def defined_columns(
    definitions: Sequence[ColumnDefinition], kind: Kind, types: Mapping[str, SqlType]
) -> tuple[Column, ...]:
    """The columns that a statement defines, each with its namespace, in the order of its writing."""
    if len(definitions) > COLUMNS_MAX:
        raise KsqlError(f"A source has {COLUMNS_MAX} columns at most.")
    _refuse_duplicates(definitions)
    columns = tuple(_column(each, kind, types) for each in definitions)
    _refuse_headers(columns)
    return columns


def _refuse_duplicates(definitions: Sequence[ColumnDefinition]) -> None:
    seen: set[str] = set()
    twice = [each.name for each in definitions if each.name in seen or seen.add(each.name)]  # type: ignore[func-returns-value]
    if twice:
        names = ", ".join(quoted(name) for name in dict.fromkeys(twice))
        raise KsqlError(f"Duplicate column names: {names}")


def _column(definition: ColumnDefinition, kind: Kind, types: Mapping[str, SqlType]) -> Column:
    name = definition.name
    if name in RESERVED:
        raise KsqlError(f"{place(definition.at)}'{name}' is a reserved column name.")
    resolved = resolve_type(definition.type, types)
    match definition.constraint:
        case Constraint.KEY:
            if kind is Kind.TABLE:
                raise KsqlError(
                    f"{place(definition.at)}Column {quoted(name)} is a 'KEY' column: "
                    f"please use 'PRIMARY KEY' for tables.\n{_KEYS}"
                )
            return _key(name, resolved)
        case Constraint.PRIMARY_KEY:
            if kind is Kind.STREAM:
                raise KsqlError(
                    f"{place(definition.at)}Column {quoted(name)} is a 'PRIMARY KEY' column: "
                    f"please use 'KEY' for streams.\n{_KEYS}"
                )
            return _key(name, resolved)
        case Constraint.HEADERS:
            return _header(definition, resolved)
        case _:
            return Column(name, resolved)


def _key(name: str, kind: SqlType) -> Column:
    column = Column(name, kind, Namespace.KEY)
    refuse_map_key(column)
    return column


def refuse_map_key(column: Column) -> None:
    if contains_map(column.type):
        raise KsqlError(
            "Map keys, including types that contain maps, are not supported as they may lead to unexpected behavior "
            f"due to inconsistent serialization. Key column name: {quoted(column.name)}. Column type: {column.type}. "
            "See https://github.com/confluentinc/ksql/issues/6621 for more."
        )


def _header(definition: ColumnDefinition, kind: SqlType) -> Column:
    name = definition.name
    if definition.header_key is None:
        if kind != HEADERS_TYPE:
            raise KsqlError(f"Invalid type for HEADERS column: expected {_HEADERS_TEXT}, got {kind}")
    elif kind != BYTES:
        raise KsqlError(f"Invalid type for HEADER('{definition.header_key}') column: expected BYTES, got {kind}")
    return Column(name, kind, Namespace.HEADERS, definition.header_key)


_HEADERS_TEXT = "ARRAY<STRUCT<`KEY` STRING, `VALUE` BYTES>>"


def _refuse_headers(columns: Sequence[Column]) -> None:
    headers = [column for column in columns if column.namespace is Namespace.HEADERS]
    keys: set[str] = set()
    for column in headers:
        if column.header_key is None:
            if len(headers) > 1:
                raise KsqlError("Schema already contains a HEADERS column.")
        elif column.header_key in keys:
            raise KsqlError(f"Schema already contains a HEADER('{column.header_key}') column.")
        else:
            keys.add(column.header_key)

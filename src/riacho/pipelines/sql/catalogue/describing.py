"""What SHOW and DESCRIBE say of the catalogue, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.queries import PersistentQuery
from riacho.pipelines.sql.catalogue.sources import Column, DataSource, Namespace
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.statements import Kind
from riacho.pipelines.sql.types import Array, Decimal, Map, SqlType, Struct


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """`readers` and `writers` are the queries that read and write it; `constraints` the sources that were made from it
    and must be dropped first."""

    source: DataSource
    readers: tuple[PersistentQuery, ...]
    writers: tuple[PersistentQuery, ...]
    constraints: tuple[str, ...]

    @property
    def fields(self) -> list[dict[str, Any]]:
        return [field_json(column) for column in self.source.schema]

    @property
    def timestamp(self) -> str:
        return self.source.timestamp.name if self.source.timestamp is not None else ""

    @property
    def window_type(self) -> str | None:
        return self.source.window.kind.value if self.source.window is not None else None


def describe(name: str, catalogue: Catalogue) -> SourceDescription:
    source = catalogue.find(name)
    if source is None:
        raise KsqlError(f"Could not find STREAM/TABLE '{name}' in the Metastore")
    return SourceDescription(
        source=source,
        readers=tuple(catalogue.queries[each] for each in catalogue.readers(name)),
        writers=tuple(catalogue.queries[each] for each in catalogue.writers(name)),
        constraints=catalogue.derived_from(name),
    )


def sources_of(kind: Kind, catalogue: Catalogue) -> list[DataSource]:
    """By name, as SHOW STREAMS and SHOW TABLES list them."""
    return sorted((each for each in catalogue.sources.values() if each.kind is kind), key=lambda each: each.name)


def query_named(query_id: str, catalogue: Catalogue) -> PersistentQuery:
    for known, query in catalogue.queries.items():
        if known.upper() == query_id.upper():
            return query
    raise KsqlError(f"Query with id:{query_id} does not exist, use SHOW QUERIES to view the full set of queries.")


def field_json(column: Column) -> dict[str, Any]:
    """A column as ksqlDB's clients read it."""
    found: dict[str, Any] = {"name": column.name, "schema": type_json(column.type)}
    if column.namespace is Namespace.KEY:
        found["type"] = "KEY"
    elif column.namespace is Namespace.HEADERS:
        found["type"] = "HEADER"
        if column.header_key is not None:
            found["headerKey"] = column.header_key
    return found


def type_json(kind: SqlType) -> dict[str, Any]:
    match kind:
        case Decimal(precision, scale):
            return _type_json("DECIMAL", parameters={"precision": precision, "scale": scale})
        case Array(item):
            return _type_json("ARRAY", member=item)
        case Map(_, value):
            return _type_json("MAP", member=value)
        case Struct(fields):
            listed = [{"name": each.name, "schema": type_json(each.type)} for each in fields]
            return {"type": "STRUCT", "fields": listed, "memberSchema": None}
        case _:
            return _type_json(str(kind))


def _type_json(name: str, member: SqlType | None = None, parameters: dict[str, int] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": name,
        "fields": None,
        "memberSchema": type_json(member) if member is not None else None,
    }
    return found if parameters is None else {**found, "parameters": parameters}

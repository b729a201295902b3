"""What the columns of a query are in Spark, in each of the frames that a plan has.

A frame with rows that have been read has `kr` and `vr`, the structs of its key and value; after a task `nr` and `pr`
are the structs of the new row and of the one before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riacho.pipelines.sql.analysis.names import PSEUDO_TYPES
from riacho.pipelines.sql.catalogue.sources import Column as SourceColumn
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.scope import Resolved
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.syntax.expressions import Column
from riacho.pipelines.sql.types import SqlType, quoted

_PSEUDO = {"ROWTIME": "ts", "ROWPARTITION": "part", "ROWOFFSET": "off", "WINDOWSTART": "ws", "WINDOWEND": "we"}

NO_HEADERS = "CAST(array() AS ARRAY<STRUCT<key: STRING, value: BINARY>>)"


@dataclass(frozen=True, slots=True)
class FrameScope:
    columns: Mapping[str, Resolved]

    def resolve(self, column: Column) -> Resolved:
        found = self.columns.get(column.name)
        if found is None:
            raise KsqlError(f"Column '{column.name}' cannot be resolved.")
        return found

    def with_columns(self, columns: Mapping[str, Resolved]) -> FrameScope:
        return FrameScope({**self.columns, **columns})


def read_scope(source: DataSource) -> FrameScope:
    """Over a frame of records that have been read: one row a record."""
    found = {name: Resolved(_PSEUDO[name], kind) for name, kind in PSEUDO_TYPES.items()}
    for column in source.schema.key:
        found[column.name] = _field("kr", column.name, column.type)
    for column in source.schema.value:
        found[column.name] = _field("vr", column.name, column.type)
    for column in source.schema.headers:
        found[column.name] = Resolved(_header(column), column.type)
    return FrameScope(found)


def row_scope(source: DataSource, row: str, extra: Sequence[str]) -> FrameScope:
    """Over a table's change: `row` is the struct of the new or the old row, in which `extra` columns were put that are
    no values (pseudo-columns, headers)."""
    found: dict[str, Resolved] = {}
    for column in source.schema.key:
        found[column.name] = _field("kr", column.name, column.type)
    for column in source.schema.value:
        found[column.name] = _field(row, column.name, column.type)
    for name in ("WINDOWSTART", "WINDOWEND"):
        found[name] = Resolved(_PSEUDO[name], PSEUDO_TYPES[name])
    for name in extra:
        known = source.schema.find(name)
        found[name] = _field(row, name, known.type if known is not None else PSEUDO_TYPES[name])
    return FrameScope(found)


def result_scope(keys: Mapping[str, SqlType], aggregates: Mapping[str, SqlType], row: str) -> FrameScope:
    """Over an aggregation's change: `row` is the struct of its new or its old result."""
    found = {name: _field("kr", name, kind) for name, kind in keys.items()}
    found |= {name: _field(row, name, kind) for name, kind in aggregates.items()}
    for name in ("WINDOWSTART", "WINDOWEND"):
        found[name] = Resolved(_PSEUDO[name], PSEUDO_TYPES[name])
    return FrameScope(found)


def _field(struct: str, name: str, kind: SqlType) -> Resolved:
    return Resolved(f"{struct}.{quoted(name)}", kind)


def _header(column: SourceColumn) -> str:
    if column.header_key is None:
        return "transform(headers, _h -> named_struct('KEY', _h.key, 'VALUE', _h.value))"
    # Of several headers with one key the last one counts; element_at gives null where there is none.
    wanted = sql_string(column.header_key)
    return f"element_at(filter(headers, _h -> _h.key = {wanted}), -1).value"

"""Tables that a JDBC sink writes: which columns a batch needs, and how they come to be (auto.create, auto.evolve)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from riacho.pipelines.connectors.jdbc.database import Database
from riacho.pipelines.plugin import ConnectError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

NONE = "none"
KAFKA = "kafka"
RECORD_KEY = "record_key"
RECORD_VALUE = "record_value"
PK_MODES = (NONE, KAFKA, RECORD_KEY, RECORD_VALUE)
_KAFKA_COLUMNS = ("__connect_topic", "__connect_partition", "__connect_offset")
_KAFKA_TYPES = ("string", "int", "bigint")
_TIME = "org.apache.kafka.connect.data.Time"


@dataclass(frozen=True, slots=True)
class Cell:
    """A column and where its value is: `origin` is topic, partition, offset, key or value; `field` may be empty."""

    name: str
    type: str
    origin: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of one batch. Key columns come first."""

    keys: tuple[Cell, ...]
    others: tuple[Cell, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        return self.keys + self.others


def layout(key: DataType, value: DataType, pk_mode: str, pk_fields: Sequence[str], whitelist: Sequence[str]) -> Layout:
    """ConnectError when keys or values are not of the kind that the settings need."""
    values = _fields(value)
    keys = _keys(key, values, pk_mode, list(pk_fields))
    names = {cell.name for cell in keys}
    chosen = {name: kind for name, kind in (values or {}).items() if not whitelist or name in whitelist}
    others = [Cell(name, kind, "value", name) for name, kind in chosen.items() if name not in names]
    return Layout(tuple(keys), tuple(others))


def _keys(key: DataType, values: Mapping[str, str] | None, pk_mode: str, pk_fields: list[str]) -> list[Cell]:
    if pk_mode == NONE:
        return []
    if pk_mode == KAFKA:
        names = pk_fields or list(_KAFKA_COLUMNS)
        origins = ("topic", "partition", "offset")
        return [Cell(*each) for each in zip(names, _KAFKA_TYPES, origins, strict=True)]
    if pk_mode == RECORD_VALUE:
        if values is None:
            return []
        return [Cell(name, _known(values, name, "value"), "value", name) for name in pk_fields or values]
    fields = _fields(key)
    if fields is None:
        if len(pk_fields) != 1:
            raise ConnectError("pk.fields must name exactly one column for keys that are not structs")
        return [Cell(pk_fields[0], key.simpleString(), "key")]
    return [Cell(name, _known(fields, name, "key"), "key", name) for name in pk_fields or fields]


def _known(fields: Mapping[str, str], name: str, what: str) -> str:
    if name not in fields:
        raise ConnectError(f"pk.fields names {name}, which the {what} does not have; it has {', '.join(fields)}")
    return fields[name]


def _fields(kind: DataType) -> dict[str, str] | None:
    from pyspark.sql.types import StructType

    if not isinstance(kind, StructType):
        return None
    return {
        field.name: "time" if field.metadata.get("connect.name") == _TIME else field.dataType.simpleString()
        for field in kind.fields
    }


def ready_table(database: Database, connection: Any, table: str, needed: Layout, create: bool, evolve: bool) -> None:
    """See to it that the table is there with these columns, or say in one sentence why it is not."""
    for cell in needed.cells:
        _sql_type(database, cell, False)
    present = {column.name for column in database.describe(connection, database.table(table), "none")}
    if not present:
        if not create:
            raise ConnectError(f"The table {table} is not in {database.url.shown} and auto.create is false")
        connection.execute(create_statement(database, table, needed))
        return
    missing = [cell for cell in needed.cells if cell.name not in present]
    if missing and not evolve:
        names = ", ".join(cell.name for cell in missing)
        raise ConnectError(f"The table {table} of {database.url.shown} lacks {names} and auto.evolve is false")
    for cell in missing:
        kind = _sql_type(database, cell, False)
        connection.execute(f"ALTER TABLE {database.table(table)} ADD COLUMN {database.name(cell.name)} {kind}")


def create_statement(database: Database, table: str, needed: Layout) -> str:
    keys = {cell.name for cell in needed.keys}
    columns = [
        f"{database.name(cell.name)} {_sql_type(database, cell, cell.name in keys)}"
        f"{' NOT NULL' if cell.name in keys else ''}"
        for cell in needed.cells
    ]
    if not columns:
        raise ConnectError(f"The table {table} cannot be created from records without fields")
    if keys:
        columns.append(f"PRIMARY KEY ({', '.join(database.name(cell.name) for cell in needed.keys)})")
    return f"CREATE TABLE IF NOT EXISTS {database.table(table)} ({', '.join(columns)})"


def _sql_type(database: Database, cell: Cell, is_key: bool) -> str:
    kind = database.column_type(cell.type, is_key)
    if kind is None:
        raise ConnectError(
            f"The field {cell.name} is of type {cell.type}, which a column cannot hold; flatten it first"
        )
    return kind

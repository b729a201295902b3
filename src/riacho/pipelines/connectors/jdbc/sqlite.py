"""SQLite through sqlite3. One writer at a time: transactions that write begin with `BEGIN IMMEDIATE` and wait in line.

Columns have the type that their declaration names; SQLite itself does not insist on it.
"""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from riacho.pipelines.connectors.jdbc.database import Database, Trait
from riacho.pipelines.connectors.jdbc.types import Column, numeric_type
from riacho.pipelines.plugin import ConnectError

# How long one writer waits for another.
_BUSY_S = 60.0
_NUMERIC = re.compile(r"(?:NUMERIC|DECIMAL)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?", re.IGNORECASE)
# SQLite's own rule, by what the declaration contains; what is more exact comes first.
_KINDS = (
    ("BOOL", "boolean"),
    ("SMALLINT", "smallint"),
    ("TINYINT", "smallint"),
    ("INT", "bigint"),
    ("CHAR", "string"),
    ("CLOB", "string"),
    ("TEXT", "string"),
    ("BLOB", "binary"),
    ("BYTEA", "binary"),
    ("REAL", "double"),
    ("FLOA", "double"),
    ("DOUB", "double"),
    ("TIMESTAMP", "timestamp"),
    ("DATETIME", "timestamp"),
    ("DATE", "date"),
    ("TIME", "time"),
)
_VALUES = {"integer": "bigint", "real": "double", "blob": "binary"}
_SQL_TYPES = {
    "boolean": "BOOLEAN",
    "tinyint": "SMALLINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "INTEGER",
    "float": "REAL",
    "double": "REAL",
    "string": "TEXT",
    "binary": "BLOB",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamp_ntz": "TIMESTAMP",
    "time": "TIME",
}
_OBJECTS = {"TABLE": "table", "VIEW": "view"}


class SQLite(Database):
    parameter = "?"
    has_arrays = False

    @property
    def errors(self) -> type[Exception]:
        return sqlite3.Error

    def connect(self) -> Any:
        """Only a file that is there: a misspelt path must not make an empty database."""
        path = Path(self.url.database)
        if not path.is_file():
            raise ConnectError(f"The SQLite database {self.url.shown} cannot be used: there is no such file")
        try:
            connection = sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True, timeout=_BUSY_S)
            # One file is what was allowed: a statement may not attach others.
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except sqlite3.Error as error:
            raise ConnectError(f"The SQLite database {self.url.shown} cannot be used: {error}") from None
        # Transactions are begun by those who need one, and with the right kind.
        connection.isolation_level = None
        return connection

    def failure(self, error: Exception) -> ConnectError:
        return ConnectError(f"The SQLite database {self.url.shown} refused: {error}")

    def is_passing(self, error: Exception) -> bool:
        return isinstance(error, sqlite3.OperationalError) and ("locked" in str(error) or "busy" in str(error))

    def is_of_the_row(self, error: Exception) -> bool:
        return isinstance(error, sqlite3.IntegrityError | sqlite3.DataError | sqlite3.InterfaceError | OverflowError)

    def tables(self, connection: Any, types: Sequence[str], schema: str | None) -> list[str]:
        kinds = {_OBJECTS[kind.upper()] for kind in types if kind.upper() in _OBJECTS}
        found = connection.execute("SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1")
        return [name for name, kind in found.fetchall() if kind in kinds]

    def describe(self, connection: Any, relation: str, mapping: str) -> list[Column]:
        # A view keeps the declarations of the columns that it shows, of a query's as well.
        connection.execute("DROP VIEW IF EXISTS temp.riacho_shape")
        try:
            connection.execute(f"CREATE TEMP VIEW riacho_shape AS SELECT * FROM {relation}")
            found = connection.execute("PRAGMA temp.table_info(riacho_shape)").fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise
        return [
            Column(name, _kind(declared, mapping) or self._of_value(connection, relation, name))
            for _, name, declared, *_ in found
        ]

    def _of_value(self, connection: Any, relation: str, name: str) -> str:
        column = self.name(name)
        found = connection.execute(f"SELECT typeof({column}) FROM {relation} WHERE {column} IS NOT NULL LIMIT 1")
        row = found.fetchone()
        return "string" if row is None else _VALUES.get(row[0], "string")

    def traits(self, connection: Any, table: str) -> Mapping[str, Trait]:
        found = connection.execute(f"PRAGMA table_info({self.name(table)})").fetchall()
        keys = sum(1 for row in found if row[5])
        return {
            name: Trait(bool(required or key), bool(key) and keys == 1 and declared.upper() == "INTEGER")
            for _, name, declared, required, _, key in found
        }

    def rows(self, connection: Any, statement: str, parameters: Sequence[Any], size: int) -> Iterator[list[Any]]:
        cursor = connection.execute(statement, tuple(parameters))
        while rows := cursor.fetchmany(size):
            yield rows

    def as_text(self, expression: str) -> str:
        return expression

    def is_past(self, expression: str, delay_ms: int, zone: str) -> str:
        # Most write whole seconds, so the second that is not over yet is left for later.
        value = f"CASE typeof({expression}) WHEN 'integer' THEN {expression} / 86400000.0 + 2440587.5"
        now = f"julianday(strftime('%Y-%m-%d %H:%M:%S', 'now', '-{delay_ms / 1000:.3f} seconds'))"
        return f"({value} ELSE julianday({expression}) END) < {now}"

    def moment(self, milliseconds: int, zone: str) -> str:
        instant = dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(milliseconds=milliseconds)
        return instant.replace(tzinfo=None).isoformat(sep=" ")

    def begin(self, connection: Any, zone: str, lock: str) -> None:
        connection.execute("BEGIN IMMEDIATE")

    def bound(self, value: Any, zone: str) -> Any:
        if isinstance(value, dt.datetime):
            local = value if value.tzinfo is None else value.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
            return local.isoformat(sep=" ", timespec="microseconds" if local.microsecond else "seconds")
        return str(value) if isinstance(value, dt.date | dt.time | Decimal) else value

    def column_type(self, kind: str, is_key: bool) -> str | None:
        return kind.upper() if kind.startswith("decimal(") else _SQL_TYPES.get(kind)


def _kind(declared: str, mapping: str) -> str | None:
    numeric = _NUMERIC.match(declared)
    if numeric is not None:
        precision = int(numeric[1]) if numeric[1] else None
        return numeric_type(precision, int(numeric[2] or 0) if precision else None, mapping)
    upper = declared.upper()
    if upper and not any(part in upper for part, _ in _KINDS):
        return "string"
    return next((kind for part, kind in _KINDS if part in upper), None)

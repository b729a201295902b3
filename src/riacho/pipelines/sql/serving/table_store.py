"""The rows of tables, for pull queries: one SQLite file that follows the tables' topics.

A row is kept with the offset that the table's partition is read to, in one transaction: after a restart, or a crash at
any moment, the follower goes on from there. The file holds nothing that the topics do not: one that is lost or damaged
is made anew.

    rows_7     key TEXT, ws, we, row TEXT, ts, part, off      of the table with the id 7; key and row are row JSON
    tables     id, name, identity                             identity: topic and formats; another one starts it over
    positions  table_id, part, next                           where the follower goes on
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

_BUSY_MS = 5_000
# Of unwindowed rows: a primary key may not hold null.
NO_WINDOW = -1

_TABLES = """
CREATE TABLE IF NOT EXISTS tables (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, identity TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS positions (
    table_id INTEGER NOT NULL, part INTEGER NOT NULL, next INTEGER NOT NULL, PRIMARY KEY (table_id, part)
) WITHOUT ROWID;
"""
_ROWS = """
CREATE TABLE rows_{:d} (
    key TEXT NOT NULL, ws INTEGER NOT NULL, we INTEGER NOT NULL, row TEXT,
    ts INTEGER NOT NULL, part INTEGER NOT NULL, off INTEGER NOT NULL, PRIMARY KEY (key, ws, we)
) WITHOUT ROWID
"""


class StoreError(Exception):
    """The file cannot be read or written; one sentence."""


class RowChange(NamedTuple):
    """`row` is None for a tombstone."""

    key: str
    window_start: int
    window_end: int
    row: str | None
    timestamp_ms: int
    partition: int
    offset: int


class TableStore:
    """Written by one thread, read by any: readers have connections of their own (WAL), and are never waited for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._writer = self._opened()
        except StoreError:
            for each in path.parent.glob(path.name + "*"):
                each.unlink(missing_ok=True)
            self._writer = self._opened()
        self._connections: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    def materialise(self, name: str, identity: str) -> int:
        """The table's id. Rows of a table of that name that was something else are forgotten."""
        with self._transaction() as writer:
            found = writer.execute("SELECT id, identity FROM tables WHERE name = ?", (name,)).fetchone()
            if found is not None and found[1] == identity:
                return int(found[0])
            if found is not None:
                self._drop(writer, int(found[0]))
            table_id = writer.execute("INSERT INTO tables (name, identity) VALUES (?, ?)", (name, identity)).lastrowid
            assert table_id is not None, "a row was inserted"
            writer.execute(_ROWS.format(table_id))
            return table_id

    def forget(self, name: str) -> None:
        with self._transaction() as writer:
            found = writer.execute("SELECT id FROM tables WHERE name = ?", (name,)).fetchone()
            if found is not None:
                self._drop(writer, int(found[0]))

    def names(self) -> list[str]:
        return [name for (name,) in self.read("SELECT name FROM tables ORDER BY name", ())]

    def positions(self, table_id: int) -> dict[int, int]:
        return dict(self.read("SELECT part, next FROM positions WHERE table_id = ?", (table_id,)))

    def apply(self, table_id: int, changes: Iterable[RowChange], positions: Mapping[int, int]) -> None:
        """All of it or, where StoreError is raised, nothing."""
        with self._transaction() as writer:
            for change in changes:
                identity = (change.key, change.window_start, change.window_end)
                if change.row is None:
                    writer.execute(f"DELETE FROM rows_{table_id:d} WHERE key = ? AND ws = ? AND we = ?", identity)
                else:
                    row = (*identity, change.row, change.timestamp_ms, change.partition, change.offset)
                    writer.execute(f"INSERT OR REPLACE INTO rows_{table_id:d} VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            writer.executemany(
                "INSERT OR REPLACE INTO positions VALUES (?, ?, ?)",
                [(table_id, part, position) for part, position in positions.items()],
            )

    def read(self, query: str, parameters: Sequence[Any], rows_max: int | None = None) -> list[tuple[Any, ...]]:
        """`query` is made by us, what users give comes as parameters."""
        try:
            with closing(self._reader().execute(query, parameters)) as cursor:
                return cursor.fetchall() if rows_max is None else cursor.fetchmany(rows_max)
        except sqlite3.Error as error:
            raise StoreError(f"The store of tables cannot be read: {error}.") from None

    def close(self) -> None:
        with self._lock:
            for connection in self._connections:
                connection.close()
            self._connections.clear()
        self._writer.close()

    def _opened(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            # What a power cut takes, the topics still have.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            connection.executescript(_TABLES)
            connection.execute("PRAGMA quick_check(1)")
        except sqlite3.Error as error:
            raise StoreError(f"The store of tables cannot be opened: {error}.") from None
        return connection

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA query_only = 1")
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            self._local.connection = connection
            with self._lock:
                self._connections.append(connection)
        return connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        writer = self._writer
        try:
            writer.execute("BEGIN IMMEDIATE")
            try:
                yield writer
                writer.execute("COMMIT")
            except BaseException:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise StoreError(f"The store of tables cannot be written: {error}.") from None

    def _drop(self, writer: sqlite3.Connection, table_id: int) -> None:
        writer.execute(f"DROP TABLE IF EXISTS rows_{table_id:d}")
        writer.execute("DELETE FROM positions WHERE table_id = ?", (table_id,))
        writer.execute("DELETE FROM tables WHERE id = ?", (table_id,))

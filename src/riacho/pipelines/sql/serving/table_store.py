"""The rows of tables, for pull queries: one SQLite file that follows the tables' topics.

A row is kept with the offset that the table's partition is read to, in one transaction: after a restart, or a crash at
any moment, the follower goes on from there. The file holds nothing that the topics do not: one that is lost or damaged,
when it is opened or at any time after, is made anew (`rebuild`).

    rows_7     key TEXT, ws, we, row TEXT, ts, part, off      of the table with the id 7; key and row are row JSON
    tables     id, name, identity                             identity: topic and formats; another one starts it over
    positions  table_id, part, next                           where the follower goes on
"""

from __future__ import annotations

import fcntl
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

_BUSY_MS = 5_000
_INSTANCES_MAX = 32
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
# Of unwindowed rows: a primary key may not hold null.
NO_WINDOW = -1

_TABLES = """
CREATE TABLE IF NOT EXISTS tables (id INTEGER PRIMARY KEY, name TEXT UNIQUE, identity TEXT NOT NULL);
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


class StoreDamaged(StoreError):
    """What is in the file is no store any more: it has to be made anew."""


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
    """Written by one at a time, read by any: readers have connections of their own (WAL), and are never waited for.

    A file has one process. Where another has it already, as two servers of one machine may want it, this one takes the
    next: `tables.db`, `tables-2.db` and so on.
    """

    def __init__(self, path: Path) -> None:
        """StoreError where there can be none."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._path, self._owned = _own_file(path)
        except OSError as error:
            raise StoreError(f"The store of tables cannot be opened: {error.strerror or error}.") from None
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._writing = threading.RLock()
        self._generation = 0
        self.is_damaged = False
        """Seen by a reader; whoever writes rebuilds it."""
        try:
            self._writer = self._opened()
        except StoreDamaged:
            self._remove()
            self._writer = self._opened()

    @property
    def path(self) -> Path:
        return self._path

    def rebuild(self) -> None:
        """Empty, in a new file. StoreError."""
        with self._writing:
            self._close_all()
            self._remove()
            self._generation += 1
            self._writer = self._opened()
            self.is_damaged = False

    def materialise(self, name: str, identity: str) -> int:
        """The table's id. Rows of a table of that name that was something else are forgotten."""
        with self._transaction() as writer:
            found = writer.execute("SELECT id, identity FROM tables WHERE name = ?", (name,)).fetchone()
            if found is not None and found[1] == identity:
                return int(found[0])
            if found is not None:
                self._drop(writer, int(found[0]))
            # Never one that another table has had, also not in a file that was rebuilt: somebody may be about to read.
            table_id = time.time_ns() // 1_000
            writer.execute("INSERT INTO tables (id, name, identity) VALUES (?, ?, ?)", (table_id, name, identity))
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
            raise self._error("read", error) from None

    def close(self) -> None:
        with self._writing:
            self._close_all()
        self._owned.close()

    def _close_all(self) -> None:
        for connection in [*self._connections, self._writer]:
            connection.close()
        self._connections.clear()

    def _remove(self) -> None:
        for end in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + end).unlink(missing_ok=True)

    def _opened(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            # What a power cut takes, the topics still have.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            connection.executescript(_TABLES)
        except sqlite3.Error as error:
            raise self._error("opened", error) from None
        return connection

    def _reader(self) -> sqlite3.Connection:
        """Of this thread, and of the file as it is now."""
        generation, connection = getattr(self._local, "connection", (-1, None))
        if connection is None or generation != self._generation:
            with self._writing:
                connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
                connection.execute("PRAGMA query_only = 1")
                connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
                self._local.connection = (self._generation, connection)
                self._connections.append(connection)
        assert isinstance(connection, sqlite3.Connection), "it was made"
        return connection

    def _error(self, verb: str, error: sqlite3.Error) -> StoreError:
        sentence = f"The store of tables cannot be {verb}: {error}."
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
            self.is_damaged = True
            return StoreDamaged(sentence)
        return StoreError(sentence)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._writing:
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
                raise self._error("written", error) from None

    def _drop(self, writer: sqlite3.Connection, table_id: int) -> None:
        writer.execute(f"DROP TABLE IF EXISTS rows_{table_id:d}")
        writer.execute("DELETE FROM positions WHERE table_id = ?", (table_id,))
        writer.execute("DELETE FROM tables WHERE id = ?", (table_id,))


def _own_file(path: Path) -> tuple[Path, IO[bytes]]:
    """The first that nobody else has, and what holds it."""
    for number in range(1, _INSTANCES_MAX + 1):
        mine = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        owned = mine.with_suffix(".lock").open("ab")
        try:
            fcntl.flock(owned, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owned.close()
            continue
        return mine, owned
    raise OSError(f"{_INSTANCES_MAX} processes have their tables in {path.parent} already")

"""Somebody who works with a table of accounts: opens some, changes others, all the time, until told to stop.

Every change of an account counts up its `version` and sets `changed`, by which a source finds it. One connection in
its own thread: rows become visible in the order of their times, as a source in timestamp mode needs it.
"""

from __future__ import annotations

import random
import threading
from typing import Any

from support.postgresql import PostgreSQL

TABLE = "accounts"
_OPENED = 5
_CHANGED = 5
_PAUSE_S = 0.2
_CREATE = f"""
CREATE TABLE {TABLE} (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    holder TEXT NOT NULL,
    balance NUMERIC(12, 2) NOT NULL,
    version INT NOT NULL DEFAULT 1,
    changed TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
)"""


class AccountChanges:
    def __init__(self, database: PostgreSQL, seed: int) -> None:
        self._database = database
        self._random = random.Random(seed)
        self._is_over = threading.Event()
        self._has_note = threading.Event()
        self._failure: BaseException | None = None
        self.changes = 0
        self._thread = threading.Thread(target=self._run, name="account-changes", daemon=True)
        database.execute(_CREATE)

    def start(self) -> None:
        self._thread.start()

    def add_note_column(self) -> None:
        """The table changes while it is worked with; from then on notes are taken."""
        self._database.execute(f"ALTER TABLE {TABLE} ADD COLUMN note TEXT")
        self._has_note.set()

    def stop(self) -> None:
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join(60)
        assert self._failure is None, self._failure

    def rows(self) -> dict[int, tuple[Any, ...]]:
        """(holder, balance, version, changed, note) by id. Times as Connect has them: in milliseconds."""
        changed = "date_trunc('milliseconds', changed)"
        found = self._database.execute(f"SELECT id, holder, balance, version, {changed}, note FROM {TABLE}")
        return {row[0]: row[1:] for row in found}

    def _run(self) -> None:
        try:
            with self._database.connect() as connection:
                while not self._is_over.is_set():
                    self._open_accounts(connection)
                    self._change_accounts(connection)
                    self._is_over.wait(_PAUSE_S)
        except Exception as error:
            self._failure = error

    def _open_accounts(self, connection: Any) -> None:
        names = [f"holder {self._random.randrange(1_000_000)} ção" for _ in range(_OPENED)]
        cents = [self._random.randrange(-1_000_000, 1_000_000) for _ in range(_OPENED)]
        statement = (
            f"INSERT INTO {TABLE} (holder, balance) "
            "SELECT name, cents / 100.0 FROM unnest(%s::text[], %s::int[]) AS given(name, cents)"
        )
        connection.execute(statement, (names, cents))
        self.changes += _OPENED

    def _change_accounts(self, connection: Any) -> None:
        note = ", note = 'note ' || version" if self._has_note.is_set() else ""
        opened = connection.execute(f"SELECT max(id) FROM {TABLE}").fetchone()[0]
        # Often the same ones, so that accounts have many versions.
        chosen = [self._random.randrange(1, min(opened, 40) + 1) for _ in range(_CHANGED)]
        statement = (
            f"UPDATE {TABLE} SET balance = balance + 0.01, version = version + 1, changed = clock_timestamp(){note} "
            "WHERE id = %s"
        )
        for account in chosen:
            connection.execute(statement, (account,))
        self.changes += _CHANGED

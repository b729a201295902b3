"""A database as the JDBC connectors see it: what differs between PostgreSQL and SQLite, and nothing else.

Text that others wrote (a query, a name) goes through `verbatim` on its way into a statement, because `%` means
something to psycopg; statements are always run with parameters, if only an empty tuple.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riacho.pipelines.connectors.jdbc.types import Column
from riacho.pipelines.connectors.jdbc.url import JdbcUrl, parse_jdbc_url
from riacho.pipelines.plugin import ConnectError


@dataclass(frozen=True, slots=True)
class Trait:
    """What a table says about a column beside its type."""

    is_required: bool
    counts_up: bool


class Database(ABC):
    parameter: str
    has_arrays: bool

    def __init__(self, url: JdbcUrl, user: str | None, password: str | None, quote: bool) -> None:
        self.url = url
        self.user = user
        self.password = password
        self.quotes = quote

    def name(self, identifier: str) -> str:
        """One identifier as it stands in a statement."""
        text = '"' + identifier.replace('"', '""') + '"' if self.quotes else identifier
        return self.verbatim(text)

    def table(self, name: str) -> str:
        """`schema.table`, each part by itself."""
        return ".".join(self.name(part) for part in name.split("."))

    def verbatim(self, text: str) -> str:
        return text

    @abstractmethod
    def connect(self) -> Any:
        """ConnectError when there is none to be had."""

    @abstractmethod
    def failure(self, error: Exception) -> ConnectError:
        """What the driver raised, in one sentence."""

    @abstractmethod
    def is_passing(self, error: Exception) -> bool:
        """Whether it may go well another time: the connection, a lock, a deadlock."""

    @abstractmethod
    def is_of_the_row(self, error: Exception) -> bool:
        """Whether the values are at fault, and other rows may go well."""

    @property
    @abstractmethod
    def errors(self) -> type[Exception]:
        """What the driver raises."""

    @abstractmethod
    def tables(self, connection: Any, types: Sequence[str], schema: str | None) -> list[str]: ...

    @abstractmethod
    def describe(self, connection: Any, relation: str, mapping: str) -> list[Column]:
        """The columns of a table or `(query) AS name`; none where the table is missing."""

    @abstractmethod
    def traits(self, connection: Any, table: str) -> Mapping[str, Trait]: ...

    @abstractmethod
    def rows(self, connection: Any, statement: str, parameters: Sequence[Any], size: int) -> Iterator[list[Any]]:
        """The rows in lists of at most `size`, without holding all of them."""

    @abstractmethod
    def as_text(self, expression: str) -> str:
        """A timestamp in the form in which it can be compared again."""

    @abstractmethod
    def is_past(self, expression: str, delay_ms: int, zone: str) -> str:
        """A condition: the timestamp lies before now, less the delay."""

    @abstractmethod
    def moment(self, milliseconds: int, zone: str) -> str:
        """The literal of a moment, in the form of `as_text`."""

    @abstractmethod
    def begin(self, connection: Any, zone: str, lock: str) -> None:
        """Begin a transaction that writes. Of two with the same `lock` the second waits for the end of the first."""

    def bound(self, value: Any, zone: str) -> Any:
        """A value in a form that the driver takes."""
        return value

    @abstractmethod
    def column_type(self, kind: str, is_key: bool) -> str | None:
        """The SQL type for a Spark type (`simpleString`), None where there is none."""

    def upsert(self, table: str, columns: Sequence[str], keys: Sequence[str]) -> str:
        """Both databases have ON CONFLICT."""
        rest = [self.name(column) for column in columns if column not in keys]
        change = "NOTHING" if not rest else "UPDATE SET " + ", ".join(f"{name} = EXCLUDED.{name}" for name in rest)
        target = ", ".join(self.name(key) for key in keys)
        return f"{self.insert(table, columns)} ON CONFLICT ({target}) DO {change}"

    def insert(self, table: str, columns: Sequence[str]) -> str:
        names = ", ".join(self.name(column) for column in columns)
        places = ", ".join([self.parameter] * len(columns))
        return f"INSERT INTO {self.table(table)} ({names}) VALUES ({places})"

    def update(self, table: str, columns: Sequence[str], keys: Sequence[str]) -> str:
        changes = ", ".join(f"{self.name(column)} = {self.parameter}" for column in columns)
        return f"UPDATE {self.table(table)} SET {changes} WHERE {self._all_equal(keys)}"

    def delete(self, table: str, keys: Sequence[str]) -> str:
        return f"DELETE FROM {self.table(table)} WHERE {self._all_equal(keys)}"

    def _all_equal(self, keys: Sequence[str]) -> str:
        return " AND ".join(f"{self.name(key)} = {self.parameter}" for key in keys)


def database(url: str, user: str | None, password: str | None, quoting: str = "always") -> Database:
    """ConfigError when the address cannot be used."""
    from riacho.pipelines.connectors.jdbc.postgresql import PostgreSql
    from riacho.pipelines.connectors.jdbc.sqlite import SQLite

    parsed = parse_jdbc_url(url)
    kind = PostgreSql if parsed.kind == "postgresql" else SQLite
    return kind(parsed, user or parsed.user, password or parsed.password, quoting == "always")

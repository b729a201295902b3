"""What a JDBC source reads: tables by name, or one query, each with the order in which it is read and its topic."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from riacho.pipelines.connectors.jdbc.database import Database, database
from riacho.pipelines.connectors.jdbc.range import BOTH, BULK, INCREMENTING, TIMESTAMP, Order
from riacho.pipelines.plugin import ConnectError

QUERY = "query"


@dataclass(frozen=True, slots=True)
class Relation:
    """`name` stands in offsets, `text` in statements."""

    name: str
    text: str
    topic: str
    order: Order


@dataclass(frozen=True, slots=True, kw_only=True)
class JdbcSettings:
    """The settings of a source in the form in which they travel to the processes that plan and read."""

    url: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    quoting: str = "always"
    mode: str = BULK
    incrementing: str = ""
    timestamps: list[str] = field(default_factory=list)
    delay_ms: int = 0
    zone: str = "UTC"
    query: str = ""
    whitelist: list[str] = field(default_factory=list)
    blacklist: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=lambda: ["TABLE"])
    schema: str | None = None
    prefix: str = ""
    numeric_mapping: str = "none"
    poll_s: float = 5.0
    batch_max_rows: int = 10_000
    attempts: int = 3
    backoff_s: float = 10.0

    def database(self) -> Database:
        return database(self.url, self.user, self.password, self.quoting)

    @contextmanager
    def reached(self) -> Iterator[tuple[Database, Any]]:
        """A connection, after as many tries as the settings allow; what the driver raises becomes one sentence."""
        found = self.database()
        connection = self._connected(found)
        try:
            yield found, connection
        except found.errors as error:
            raise found.failure(error) from None
        finally:
            connection.close()

    def _connected(self, found: Database) -> Any:
        for attempt in range(1, self.attempts + 1):
            try:
                return found.connect()
            except ConnectError:
                if attempt == self.attempts:
                    raise
                time.sleep(self.backoff_s)
        raise AssertionError("there is at least one attempt")

    def order(self, incrementing: str = "") -> Order:
        counted = (self.incrementing or incrementing) if self.mode in (INCREMENTING, BOTH) else ""
        timestamps = self.timestamps if self.mode in (TIMESTAMP, BOTH) else []
        return Order(self.mode, counted, tuple(timestamps), self.delay_ms, self.zone)

    def relation(self, name: str) -> Relation:
        """A table by the name that offsets have; its counting column may be one that the table itself tells."""
        found = self.database()
        if self.query:
            text = f"({found.verbatim(self.query.strip().rstrip(';'))}) AS riacho_query"
            return Relation(QUERY, text, self.prefix, self.order())
        table, _, incrementing = name.partition("#")
        text = ".".join(found.name(part) for part in _parts(table, found))
        return Relation(name, text, self.prefix + _parts(table, found)[-1], self.order(incrementing))


def relations(settings: JdbcSettings, database: Database, connection: Any) -> list[Relation]:
    if settings.query:
        return [settings.relation(QUERY)]
    chosen = [
        name for name in database.tables(connection, settings.types, settings.schema) if _is_chosen(settings, name)
    ]
    found = []
    for table in chosen:
        if settings.mode in (INCREMENTING, BOTH) and not settings.incrementing:
            found.append(settings.relation(f"{table}#{_counted(database, connection, table)}"))
        else:
            found.append(settings.relation(table))
    return found


def check_relations(settings: JdbcSettings, database: Database, connection: Any, must_require: bool) -> None:
    """ConnectError for the first table that is missing or lacks a column that the mode needs."""
    found = relations(settings, database, connection)
    tables = [relation.name.partition("#")[0] for relation in found]
    for wanted in settings.whitelist:
        if not any(_names(wanted, table) for table in tables):
            raise ConnectError(f"The table {wanted} is not in {database.url.shown}")
    for relation in found:
        _check_relation(settings, database, connection, relation, must_require)


def _check_relation(
    settings: JdbcSettings, database: Database, connection: Any, relation: Relation, must_require: bool
) -> None:
    shown = "The query" if settings.query else f"The table {relation.name.partition('#')[0]}"
    columns = {column.name: column for column in database.describe(connection, relation.text, "none")}
    if settings.query and not columns:
        raise ConnectError(f"The query reads a table that is not in {database.url.shown}")
    order = relation.order
    traits = (
        {} if settings.query or order.mode == BULK else database.traits(connection, relation.name.partition("#")[0])
    )
    for name in filter(None, (order.incrementing, *order.timestamps)):
        if name not in columns:
            raise ConnectError(f"{shown} has no column {name}; it has {', '.join(columns)}")
        if must_require and name in traits and not traits[name].is_required:
            raise ConnectError(
                f"The column {name} of {shown.lower()} may be null; declare it NOT NULL or set validate.non.null=false"
            )
    if order.mode in (INCREMENTING, BOTH):
        kind = columns[order.incrementing].type
        if not kind.startswith(("smallint", "int", "bigint", "decimal(")):
            raise ConnectError(
                f"The column {order.incrementing} of {shown.lower()} is no number that counts up: {kind}"
            )


def _counted(database: Database, connection: Any, table: str) -> str:
    counting = [name for name, trait in database.traits(connection, table).items() if trait.counts_up]
    if len(counting) != 1:
        raise ConnectError(f"The table {table} has no single column that counts up; set incrementing.column.name")
    return counting[0]


def _is_chosen(settings: JdbcSettings, table: str) -> bool:
    if settings.whitelist:
        return any(_names(wanted, table) for wanted in settings.whitelist)
    return not any(_names(unwanted, table) for unwanted in settings.blacklist)


def _names(given: str, table: str) -> bool:
    """`t`, `schema.t` or `database.schema.t` for `schema.t`."""
    plain = given.replace('"', "")
    return plain == table or table.endswith(f".{plain}") or plain.endswith(f".{table}")


def _parts(table: str, database: Database) -> list[str]:
    return table.split(".", 1) if database.url.kind == "postgresql" else [table]

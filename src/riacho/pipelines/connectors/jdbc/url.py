"""JDBC addresses, as Java's drivers write them: `jdbc:postgresql://host:port/db?user=..` and `jdbc:sqlite:path`.

Passwords may stand in them; they are taken out at once, so that `shown` can be put into any message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from riacho.base.config import ConfigError, Value
from riacho.pipelines.connectors.counterparts import database_counterpart

_POSTGRESQL = "jdbc:postgresql:"
_SQLITE = "jdbc:sqlite:"
_PORT = 5432


@dataclass(frozen=True, slots=True)
class JdbcUrl:
    """`database` is the path of the file where the kind is sqlite. `properties` has neither user nor password."""

    kind: str
    database: str
    host: str = ""
    port: int = 0
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        return f"{self.host}:{self.port}/{self.database}" if self.kind == "postgresql" else self.database


def parse_jdbc_url(text: str) -> JdbcUrl:
    """ConfigError when it is no address, or one of a database that is not known here."""
    if text.startswith(_SQLITE):
        path = text.removeprefix(_SQLITE).partition("?")[0]
        if not path or path == ":memory:":
            raise ConfigError("connection.url must name a file, as in jdbc:sqlite:/var/data/shop.db")
        return JdbcUrl("sqlite", path)
    if text.startswith(_POSTGRESQL):
        return _postgresql(text.removeprefix(_POSTGRESQL))
    advice = database_counterpart(text)
    message = "connection.url must start with jdbc:postgresql: or jdbc:sqlite:"
    raise ConfigError(message if advice is None else f"{message}. {advice}")


def _postgresql(rest: str) -> JdbcUrl:
    form = ConfigError("connection.url must look like jdbc:postgresql://host:port/database")
    split = urlsplit(rest)
    if split.scheme or split.username is not None:
        raise form
    properties = dict(parse_qsl(split.query, keep_blank_values=True))
    user, password = properties.pop("user", None), properties.pop("password", None)
    try:
        port = split.port or _PORT
    except ValueError:
        raise form from None
    path = unquote(split.path if split.netloc else rest.partition("?")[0]).removeprefix("/")
    database = path or user
    if not database or "/" in database:
        raise form
    return JdbcUrl("postgresql", database, split.hostname or "localhost", port, user, password, properties)


def valid_jdbc_url(name: str, value: Value) -> None:
    """A validator. What it says never repeats the address, which may hold a password."""
    parse_jdbc_url(str(value or ""))

"""The settings that the JDBC source and sink share: where the database is and how to speak to it."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from riacho.base.config import Value, at_least, one_of_any_case
from riacho.pipelines.config_def import ConfigDef, ConfigError, ConfigType, Definition, Importance, Outside
from riacho.pipelines.connectors.jdbc.url import valid_jdbc_url

_GROUP = "Database"


def _valid_zone(name: str, value: Value) -> None:
    try:
        ZoneInfo(str(value))
    except (KeyError, ValueError, OSError):
        raise ConfigError(f"Invalid value {value} for configuration {name}: Invalid time zone identifier") from None


CONNECTION = ConfigDef(
    Definition(
        "connection.url",
        ConfigType.STRING,
        doc="JDBC address: jdbc:postgresql://host:port/database or jdbc:sqlite:path.",
        required=True,
        valid=valid_jdbc_url,
        importance=Importance.HIGH,
        group=_GROUP,
        outside=Outside.JDBC,
    ),
    Definition("connection.user", ConfigType.STRING, doc="User of the database.", group=_GROUP),
    Definition("connection.password", ConfigType.PASSWORD, doc="Password of that user.", group=_GROUP),
    Definition(
        "connection.attempts",
        ConfigType.INT,
        "3",
        doc="How often to try for a connection before giving up.",
        valid=at_least(1),
        importance=Importance.LOW,
        group=_GROUP,
    ),
    Definition(
        "connection.backoff.ms",
        ConfigType.LONG,
        "10000",
        doc="How long to wait between two tries.",
        valid=at_least(0),
        importance=Importance.LOW,
        group=_GROUP,
    ),
    Definition(
        "quote.sql.identifiers",
        ConfigType.STRING,
        "always",
        doc="Whether names of tables and columns are put in quotes: always or never.",
        valid=one_of_any_case("always", "never"),
        group=_GROUP,
    ),
    Definition(
        "db.timezone",
        ConfigType.STRING,
        "UTC",
        doc="Zone of timestamps that have none.",
        valid=_valid_zone,
        group=_GROUP,
    ),
)

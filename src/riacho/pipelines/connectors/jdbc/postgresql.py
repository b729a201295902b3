"""PostgreSQL through psycopg. The session speaks UTC and ISO, so that timestamps as text mean one moment."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from riacho.pipelines.connectors.jdbc.database import Database, Trait
from riacho.pipelines.connectors.jdbc.types import Column, numeric_type
from riacho.pipelines.plugin import ConnectError

_CONNECT_TIMEOUT_S = 10
_NUMERIC, _NUMERIC_ARRAY = 1700, 1231
# By the numbers of pg_type; everything else is text.
_TYPES = {16: "boolean", 17: "binary", 20: "bigint", 21: "smallint", 23: "int", 26: "bigint", 700: "float"} | {
    701: "double",
    1082: "date",
    1083: "time",
    1114: "timestamp",
    1184: "timestamp",
    1000: "array<boolean>",
    1005: "array<smallint>",
    1007: "array<int>",
    1016: "array<bigint>",
    1021: "array<float>",
    1022: "array<double>",
    1009: "array<string>",
    1015: "array<string>",
    1182: "array<date>",
    1115: "array<timestamp>",
    1185: "array<timestamp>",
    2951: "array<string>",
}
# Types whose Python form is of no use here: their text is.
_AS_TEXT = ("uuid", "json", "jsonb", "inet", "cidr", "interval", "timetz")
_KINDS = {"TABLE": "rp", "VIEW": "v", "MATERIALIZED VIEW": "m", "FOREIGN TABLE": "f", "PARTITIONED TABLE": "p"}
_TABLES = """
    SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = ANY(%s) AND NOT c.relispartition AND n.nspname LIKE %s
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_t%%' ORDER BY 1"""
_TRAITS = """
    SELECT a.attname, a.attnotnull,
           a.attidentity <> '' OR coalesce(pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%%', false)
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped"""
_SQL_TYPES = {
    "boolean": "BOOLEAN",
    "tinyint": "SMALLINT",
    "smallint": "SMALLINT",
    "int": "INT",
    "bigint": "BIGINT",
    "float": "REAL",
    "double": "DOUBLE PRECISION",
    "string": "TEXT",
    "binary": "BYTEA",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamp_ntz": "TIMESTAMP",
    "time": "TIME",
}


class PostgreSql(Database):
    parameter = "%s"
    has_arrays = True

    def verbatim(self, text: str) -> str:
        return text.replace("%", "%%")

    @property
    def errors(self) -> type[Exception]:
        import psycopg

        return psycopg.Error

    def connect(self) -> Any:
        import psycopg

        properties = self.url.properties
        options = "-c timezone=UTC -c datestyle=ISO"
        if "currentSchema" in properties:
            # A space would begin another setting of the session.
            schema = re.sub(r"([\s\\])", r"\\\1", properties["currentSchema"])
            options += f" -c search_path={schema}"
        try:
            connection = psycopg.connect(
                host=self.url.host,
                port=self.url.port,
                dbname=self.url.database,
                user=self.user,
                password=self.password,
                connect_timeout=int(properties.get("connectTimeout", _CONNECT_TIMEOUT_S)),
                application_name=properties.get("ApplicationName", "riacho"),
                sslmode=properties.get("sslmode", "prefer"),
                options=options,
            )
        except (psycopg.Error, ValueError) as error:
            raise ConnectError(self._unreachable(error)) from None
        loader = _text_loader()
        for name in _AS_TEXT:
            connection.adapters.register_loader(name, loader)
        return connection

    def _unreachable(self, error: Exception) -> str:
        # libpq tells one line for each address that it tried; the last part of the last line is the reason.
        lines = [line.strip() for line in str(error).splitlines() if line.strip()] or ["no reason given"]
        fatal = [line for line in lines if "FATAL:" in line]
        reason = fatal[0].partition("FATAL:")[2].strip() if fatal else lines[0].removeprefix("connection failed: ")
        return f"The PostgreSQL database {self.url.shown} cannot be used: {reason}"

    def failure(self, error: Exception) -> ConnectError:
        primary = getattr(getattr(error, "diag", None), "message_primary", None)
        reason = primary or (str(error).splitlines() or ["no reason given"])[0]
        return ConnectError(f"The PostgreSQL database {self.url.shown} refused: {reason}")

    def is_passing(self, error: Exception) -> bool:
        import psycopg

        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | ConnectError)

    def is_of_the_row(self, error: Exception) -> bool:
        import psycopg

        return isinstance(error, psycopg.DataError | psycopg.IntegrityError | psycopg.NotSupportedError)

    def tables(self, connection: Any, types: Sequence[str], schema: str | None) -> list[str]:
        kinds = [letter for kind in types for letter in _KINDS.get(kind.upper(), "")]
        return [row[0] for row in connection.execute(_TABLES, (kinds, schema or "%")).fetchall()]

    def describe(self, connection: Any, relation: str, mapping: str) -> list[Column]:
        import psycopg

        try:
            found = connection.execute(f"SELECT * FROM {relation} LIMIT 0", ()).description
        except psycopg.errors.UndefinedTable:
            connection.rollback()
            return []
        return [Column(each.name, _kind(each, mapping)) for each in found]

    def traits(self, connection: Any, table: str) -> Mapping[str, Trait]:
        quoted = self.table(table).replace("%%", "%")
        return {name: Trait(*rest) for name, *rest in connection.execute(_TRAITS, (quoted,)).fetchall()}

    def rows(self, connection: Any, statement: str, parameters: Sequence[Any], size: int) -> Iterator[list[Any]]:
        with connection.cursor(name="riacho_rows") as cursor:
            cursor.itersize = size
            cursor.execute(statement, tuple(parameters))
            while rows := cursor.fetchmany(size):
                yield rows

    def as_text(self, expression: str) -> str:
        return f"({expression})::text"

    def is_past(self, expression: str, delay_ms: int, zone: str) -> str:
        # A timestamp without zone is a moment of db.timezone; one with a zone needs none.
        limit = f"(clock_timestamp() - interval '{delay_ms} milliseconds')"
        plain = f"({expression})::timestamp < {limit} AT TIME ZONE '{zone.replace(chr(39), '')}'"
        zoned = f"({expression})::timestamptz < {limit}"
        return f"CASE WHEN pg_typeof({expression}) = 'timestamptz'::regtype THEN {zoned} ELSE {plain} END"

    def moment(self, milliseconds: int, zone: str) -> str:
        instant = dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(milliseconds=milliseconds)
        return instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None).isoformat(sep=" ")

    def begin(self, connection: Any, zone: str, lock: str) -> None:
        # In this zone an instant means the same to columns with and without a zone.
        connection.execute("SELECT set_config('TimeZone', %s, true)", (zone,))
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (lock,))

    def column_type(self, kind: str, is_key: bool) -> str | None:
        if kind.startswith("array<"):
            inner = self.column_type(kind[6:-1], False)
            return None if inner is None or inner.endswith("[]") else f"{inner}[]"
        if kind.startswith("decimal("):
            return kind.upper()
        return _SQL_TYPES.get(kind)


def _kind(column: Any, mapping: str) -> str:
    if column.type_code in (_NUMERIC, _NUMERIC_ARRAY):
        kind = numeric_type(column.precision, column.scale, mapping)
        return kind if column.type_code == _NUMERIC else f"array<{kind}>"
    return _TYPES.get(column.type_code, "string")


@cache
def _text_loader() -> Any:
    from psycopg.types.string import TextLoader

    return TextLoader

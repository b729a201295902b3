"""Streams and tables as the catalogue knows them: columns, topic, formats, and where time comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from riacho.pipelines.sql.syntax.statements import Kind, WindowKind
from riacho.pipelines.sql.types import Field, SqlType, quoted


class Namespace(Enum):
    KEY = "KEY"
    VALUE = "VALUE"
    HEADERS = "HEADERS"


@dataclass(frozen=True, slots=True)
class Column:
    """`header_key` of a column HEADER('key'); all headers where there is none."""

    name: str
    type: SqlType
    namespace: Namespace = Namespace.VALUE
    header_key: str | None = None

    @property
    def field(self) -> Field:
        return Field(self.name, self.type)


@dataclass(frozen=True, slots=True)
class LogicalSchema:
    columns: tuple[Column, ...]

    @property
    def key(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.namespace is Namespace.KEY)

    @property
    def value(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.namespace is Namespace.VALUE)

    @property
    def headers(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.namespace is Namespace.HEADERS)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def find(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)

    def text(self, kind: Kind) -> str:
        """As ksqlDB writes it: `ID` BIGINT KEY, `NAME` STRING."""
        key_word = " PRIMARY KEY" if kind is Kind.TABLE else " KEY"
        words = {Namespace.KEY: key_word, Namespace.VALUE: "", Namespace.HEADERS: " HEADERS"}
        return ", ".join(
            f"{quoted(column.name)} {column.type}"
            + (words[column.namespace] if column.header_key is None else f" HEADER('{column.header_key}')")
            for column in self.columns
        )


@dataclass(frozen=True, slots=True)
class WindowInfo:
    """How a key is windowed. A session has no size."""

    kind: WindowKind
    size_ms: int | None = None


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """`wrap` says whether a single column is a field of a record (True) or the whole payload; None: as the format does.
    `properties`: delimiter, full schema name, nullable representation and so on, by ksqlDB's names (lower case)."""

    name: str
    wrap: bool | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    schema_id: int | None = None


@dataclass(frozen=True, slots=True)
class TimestampColumn:
    """`format` is a DateTimeFormatter pattern where the column is text."""

    name: str
    format: str | None = None


@dataclass(frozen=True, slots=True)
class DataSource:
    """`query_ids` of those that write it; `sql` is the text of the statement that made it."""

    name: str
    kind: Kind
    schema: LogicalSchema
    topic: str
    key_format: FormatInfo
    value_format: FormatInfo
    window: WindowInfo | None = None
    timestamp: TimestampColumn | None = None
    sql: str = ""
    is_source: bool = False
    """CREATE SOURCE: nobody may insert or drop its topic."""
    is_created_as: bool = False
    """By CREATE ... AS SELECT."""
    partitions: int = 1
    replicas: int = 1

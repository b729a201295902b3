"""How kafka-console-consumer prints a record: the formatters, by the names of Kafka's classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from riacho.cli.kafka.deserializers import Deserializer, deserializer
from riacho.cli.kafka.launch import ToolError

NO_TIMESTAMP = 0
CREATE_TIME = 1


class Printable(NamedTuple):
    """A record as the client handed it over; the timestamp type is librdkafka's: 0 none, 1 create, 2 log append."""

    topic: str
    partition: int
    offset: int
    leader_epoch: int | None
    timestamp_type: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]
    # How often it was handed out; only share groups count that.
    delivery_count: int | None = None


class Formatter(Protocol):
    def format(self, record: Printable) -> bytes: ...


class DefaultFormatter:
    def __init__(self, properties: Mapping[str, str]) -> None:
        def is_on(key: str, default: str = "false") -> bool:
            return properties.get(key, default).strip().lower() == "true"

        def separator(key: str, default: str) -> bytes:
            return properties.get(key, default).encode()

        self.key_separator = separator("key.separator", "\t")
        self.line_separator = separator("line.separator", "\n")
        self.headers_separator = separator("headers.separator", ",")
        self.null_literal = separator("null.literal", "null")
        self._key = _optional_deserializer(properties, "key.deserializer")
        self._value = _optional_deserializer(properties, "value.deserializer")
        self._header = _optional_deserializer(properties, "headers.deserializer")
        columns: tuple[tuple[bool, Callable[[Printable], bytes]], ...] = (
            (is_on("print.timestamp"), _timestamp),
            (is_on("print.partition"), lambda r: b"Partition:%d" % r.partition),
            (is_on("print.offset"), lambda r: b"Offset:%d" % r.offset),
            (is_on("print.delivery"), _delivery),
            (is_on("print.epoch"), _epoch),
            (is_on("print.headers"), self._headers),
            (is_on("print.key"), lambda r: self._text(self._key, r.key)),
            (is_on("print.value", "true"), lambda r: self._text(self._value, r.value)),
        )
        self._columns = [column for wanted, column in columns if wanted]

    def format(self, record: Printable) -> bytes:
        if not self._columns:
            return b""
        return self.key_separator.join([column(record) for column in self._columns]) + self.line_separator

    def _text(self, decode: Deserializer | None, data: bytes | None) -> bytes:
        if data is None:
            return self.null_literal
        return data if decode is None else decode(data)

    def _headers(self, record: Printable) -> bytes:
        if not record.headers:
            return b"NO_HEADERS"
        return self.headers_separator.join(
            key.encode() + b":" + self._text(self._header, value) for key, value in record.headers
        )


def _timestamp(record: Printable) -> bytes:
    if record.timestamp_type == NO_TIMESTAMP:
        return b"NO_TIMESTAMP"
    return b"%s:%d" % (b"CreateTime" if record.timestamp_type == CREATE_TIME else b"LogAppendTime", record.timestamp)


def _epoch(record: Printable) -> bytes:
    return b"Epoch:NOT_PRESENT" if record.leader_epoch is None else b"Epoch:%d" % record.leader_epoch


def _delivery(record: Printable) -> bytes:
    return b"Delivery:NOT_PRESENT" if record.delivery_count is None else b"Delivery:%d" % record.delivery_count


def _optional_deserializer(properties: Mapping[str, str], key: str) -> Deserializer | None:
    name = properties.get(key)
    return deserializer(name) if name else None


class LoggingFormatter(DefaultFormatter):
    """Prints like the default one, and tells the same on stderr as a log would."""

    def format(self, record: Printable) -> bytes:
        import sys

        when = "" if record.timestamp_type == NO_TIMESTAMP else f"{_timestamp(record).decode()}, "
        key, value = ("null" if data is None else data.decode(errors="replace") for data in (record.key, record.value))
        print(f"{when}key:{key}, value:{value}", file=sys.stderr)
        return super().format(record)


class NoOpFormatter:
    def format(self, record: Printable) -> bytes:
        return b""


def formatter(class_name: str, properties: Mapping[str, str]) -> Formatter:
    name = class_name.rpartition(".")[2].rpartition("$")[2]
    match name:
        case "DefaultMessageFormatter":
            return DefaultFormatter(properties)
        case "LoggingMessageFormatter":
            return LoggingFormatter(properties)
        case "NoOpMessageFormatter":
            return NoOpFormatter()
        case "OffsetsMessageFormatter" | "GroupMetadataMessageFormatter" | "TransactionLogMessageFormatter":
            from riacho.cli.kafka.coordinator_formatter import CoordinatorFormatter

            return CoordinatorFormatter(name)
        case "AvroMessageFormatter" | "JsonSchemaMessageFormatter" | "ProtobufMessageFormatter":
            from riacho.cli.kafka.schema_records import SchemaFormatter

            return SchemaFormatter(name.removesuffix("MessageFormatter"), properties)
    raise ToolError(f"Error: there is no message formatter '{class_name}'.")

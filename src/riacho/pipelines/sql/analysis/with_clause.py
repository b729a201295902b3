"""The WITH clause: which properties there are, of what type each is, and what they say together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from riacho.pipelines.sql.analysis.format_properties import format_properties
from riacho.pipelines.sql.catalogue.sources import TimestampColumn, WindowInfo
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.supported import format_of
from riacho.pipelines.sql.syntax.statements import Duration, Properties, PropertyValue, WindowKind

PARTITIONS_MAX = 100_000


@dataclass(frozen=True, slots=True)
class WithClause:
    """What was given; None where nothing was. `key_properties` and `value_properties` are for the formats."""

    topic: str | None = None
    key_format: str | None = None
    value_format: str | None = None
    has_key_format: bool = False
    """KEY_FORMAT was given, not only FORMAT."""
    partitions: int | None = None
    replicas: int | None = None
    retention_ms: int | None = None
    cleanup_policy: str | None = None
    timestamp: TimestampColumn | None = None
    wrap: bool | None = None
    window: WindowInfo | None = None
    key_properties: Mapping[str, str] = field(default_factory=dict)
    value_properties: Mapping[str, str] = field(default_factory=dict)
    key_schema_id: int | None = None
    value_schema_id: int | None = None
    connector: str | None = None


def _text(name: str, value: PropertyValue) -> str:
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return str(value)


def _integer(name: str, value: PropertyValue, kind: str = "INT") -> int:
    bits = 31 if kind == "INT" else 63
    number: int | None
    try:
        number = int(str(value))
    except ValueError:
        number = None
    if isinstance(value, bool) or number is None or not -(2**bits) <= number < 2**bits:
        raise KsqlError(f"Invalid value {value} for configuration {name}: Not a number of type {kind}")
    return number


def _boolean(name: str, value: PropertyValue) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text not in ("true", "false"):
        raise KsqlError(f"Invalid value {value} for configuration {name}: Expected value to be either true or false")
    return text == "true"


_TEXTS = frozenset(
    {
        "KAFKA_TOPIC",
        "FORMAT",
        "KEY_FORMAT",
        "VALUE_FORMAT",
        "TIMESTAMP",
        "TIMESTAMP_FORMAT",
        "WINDOW_TYPE",
        "WINDOW_SIZE",
        "VALUE_DELIMITER",
        "KEY_DELIMITER",
        "KEY_SCHEMA_FULL_NAME",
        "VALUE_SCHEMA_FULL_NAME",
        "VALUE_AVRO_SCHEMA_FULL_NAME",
        "KEY_PROTOBUF_NULLABLE_REPRESENTATION",
        "VALUE_PROTOBUF_NULLABLE_REPRESENTATION",
        "CLEANUP_POLICY",
        "SOURCED_BY_CONNECTOR",
    }
)
_NUMBERS = {
    "PARTITIONS": "INT",
    "REPLICAS": "SHORT",
    "RETENTION_MS": "LONG",
    "KEY_SCHEMA_ID": "INT",
    "VALUE_SCHEMA_ID": "INT",
}
_BOOLEANS = frozenset({"WRAP_SINGLE_VALUE"})
# Each property, and whether its value is a text.
PROPERTIES = {name: name in _TEXTS for name in sorted(_TEXTS | set(_NUMBERS) | _BOOLEANS)}
_ONLY_CREATE = frozenset({"WINDOW_TYPE", "WINDOW_SIZE", "SOURCED_BY_CONNECTOR"})


def read_with(properties: Properties, is_as_select: bool = False) -> WithClause:
    """KsqlError for what is unknown, of another type or in contradiction."""
    known = set(PROPERTIES)
    if is_as_select:
        known = known - _ONLY_CREATE
    unknown = [name for name in properties if name not in known]
    if unknown:
        raise KsqlError(f"Invalid config variable(s) in the WITH clause: {','.join(unknown)}")
    texts = {name: _text(name, value) for name, value in properties.items() if name in _TEXTS}
    numbers = {name: _integer(name, properties[name], kind) for name, kind in _NUMBERS.items() if name in properties}
    key_format, value_format = _formats(texts)
    partitions, replicas = numbers.get("PARTITIONS"), numbers.get("REPLICAS")
    if partitions is not None and not 1 <= partitions <= PARTITIONS_MAX:
        raise KsqlError(f"Invalid value {partitions} for configuration PARTITIONS: a topic has 1 to {PARTITIONS_MAX}.")
    return WithClause(
        topic=texts.get("KAFKA_TOPIC"),
        key_format=key_format,
        value_format=value_format,
        has_key_format="KEY_FORMAT" in texts,
        partitions=partitions,
        replicas=replicas,
        retention_ms=numbers.get("RETENTION_MS"),
        cleanup_policy=_cleanup_policy(texts.get("CLEANUP_POLICY")),
        timestamp=_timestamp(texts),
        wrap=_boolean("WRAP_SINGLE_VALUE", properties["WRAP_SINGLE_VALUE"])
        if "WRAP_SINGLE_VALUE" in properties
        else None,
        window=_window(texts),
        key_properties=format_properties(texts, "KEY"),
        value_properties=format_properties(texts, "VALUE"),
        key_schema_id=numbers.get("KEY_SCHEMA_ID"),
        value_schema_id=numbers.get("VALUE_SCHEMA_ID"),
        connector=texts.get("SOURCED_BY_CONNECTOR"),
    )


def _formats(texts: Mapping[str, str]) -> tuple[str | None, str | None]:
    both = texts.get("FORMAT")
    if both is not None:
        for one in ("KEY_FORMAT", "VALUE_FORMAT"):
            if one in texts:
                raise KsqlError(
                    f"Cannot supply both '{one}' and 'FORMAT' properties, as 'FORMAT' sets both key and value "
                    "formats.\n"
                    "Either use just 'FORMAT', or use 'KEY_FORMAT' and 'VALUE_FORMAT'."
                )
    key, value = texts.get("KEY_FORMAT", both), texts.get("VALUE_FORMAT", both)
    return _known(key), _known(value)


def _known(name: str | None) -> str | None:
    return None if name is None else format_of(name).name


def _cleanup_policy(text: str | None) -> str | None:
    if text is not None and text.lower() not in ("compact", "delete", "compact,delete", "delete,compact"):
        raise KsqlError(
            f"Invalid value {text} for configuration CLEANUP_POLICY: "
            "it is one of 'compact', 'delete' and 'compact,delete'."
        )
    return None if text is None else text.lower()


def _timestamp(texts: Mapping[str, str]) -> TimestampColumn | None:
    column, pattern = texts.get("TIMESTAMP"), texts.get("TIMESTAMP_FORMAT")
    if column is None:
        return None
    return TimestampColumn(_column_name(column), pattern)


def _column_name(text: str) -> str:
    """A column's name in a string follows the rules of identifiers: upper case unless it is quoted."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "`":
        return text[1:-1].replace("``", "`")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('""', '"')
    return text.upper()


_SIZE = re.compile(r"^\s*(\d+)\s+(DAY|HOUR|MINUTE|SECOND|MILLISECOND)S?\s*$", re.IGNORECASE)


def _window(texts: Mapping[str, str]) -> WindowInfo | None:
    kind_text, size_text = texts.get("WINDOW_TYPE"), texts.get("WINDOW_SIZE")
    if kind_text is None:
        if size_text is not None:
            raise KsqlError("'WINDOW_SIZE' is only valid together with 'WINDOW_TYPE'.")
        return None
    try:
        kind = WindowKind(kind_text.strip().upper())
    except ValueError:
        raise KsqlError(
            f"Invalid value {kind_text} for configuration WINDOW_TYPE: "
            "String must be one of: SESSION, HOPPING, TUMBLING, null"
        ) from None
    if kind is WindowKind.SESSION:
        if size_text is not None:
            raise KsqlError("'WINDOW_SIZE' should not be set for SESSION windows.")
        return WindowInfo(kind)
    if size_text is None:
        raise KsqlError(
            f"{kind.value} windows require 'WINDOW_SIZE' to be provided in the WITH clause. "
            "For example: 'WINDOW_SIZE'='10 SECONDS'"
        )
    size = _SIZE.match(size_text)
    if size is None:
        raise KsqlError(
            f"Error configuring WINDOW_SIZE: Invalid duration: '{size_text}'. "
            "A duration is a number and a unit, such as '10 SECONDS'."
        )
    size_ms = Duration(int(size[1]), size[2].upper() + "S").milliseconds
    if size_ms == 0:
        raise KsqlError("Error configuring WINDOW_SIZE: the size of a window is at least one millisecond.")
    return WindowInfo(kind, size_ms)

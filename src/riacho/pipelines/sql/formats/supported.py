"""What each format can hold, and what statements are refused for, in ksqlDB's sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.types import (
    BIGINT,
    BYTES,
    DOUBLE,
    INTEGER,
    STRING,
    Array,
    Decimal,
    Field,
    Map,
    Primitive,
    SqlType,
    Struct,
    quoted,
    walk,
)


@dataclass(frozen=True, slots=True)
class Format:
    """`wraps`, `unwraps`: whether a single column can be a field of a record, or the whole payload; a format that can
    do one of them only has no choice. `schema_type` is what the registry calls its schemas; `infers` says whether
    columns can be taken from there."""

    name: str
    wraps: bool = False
    unwraps: bool = False
    schema_type: str | None = None
    properties: frozenset[str] = frozenset()

    @property
    def infers(self) -> bool:
        return self.schema_type is not None

    @property
    def needs_registry(self) -> bool:
        return self.schema_type is not None


_SCHEMAS = frozenset({"fullSchemaName", "schemaId"})
_PROTOBUF = frozenset({"unwrapPrimitives", "nullableRepresentation"})

FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format("NONE"),
        Format("KAFKA", unwraps=True),
        Format("DELIMITED", unwraps=True, properties=frozenset({"delimiter"})),
        Format("JSON", wraps=True, unwraps=True),
        Format("JSON_SR", wraps=True, unwraps=True, schema_type="JSON", properties=_SCHEMAS),
        Format("AVRO", wraps=True, unwraps=True, schema_type="AVRO", properties=_SCHEMAS),
        Format("PROTOBUF", wraps=True, schema_type="PROTOBUF", properties=_SCHEMAS | _PROTOBUF),
        Format("PROTOBUF_NOSR", wraps=True, unwraps=True, properties=_PROTOBUF),
    )
}

_KAFKA_TYPES = (INTEGER, BIGINT, DOUBLE, STRING, BYTES)
_PROTOBUF_MAPS = (
    "PROTOBUF format only supports MAP types with STRING keys. See https://github.com/confluentinc/ksql/issues/6177."
)
_JSON_MAPS = "JSON only supports MAP types with STRING keys"
_AVRO_MAPS = "Avro only supports MAPs with STRING keys"


def format_of(name: str) -> Format:
    found = FORMATS.get(name.upper())
    if found is None:
        raise KsqlError(f"Unknown format: {name.upper()}")
    return found


def is_wrapped(name: str, count: int, is_key: bool, wrap: bool | None) -> bool:
    """Whether columns are the fields of a record, rather than a single one the whole payload. Keys of one column are
    unwrapped wherever they can be, values are wrapped where nobody says otherwise."""
    form = format_of(name)
    if count != 1 or not form.unwraps:
        return True
    if not form.wraps:
        return False
    return (not is_key) if wrap is None else wrap


def check_wrapping(name: str, columns: Sequence[Field], wrap: bool | None) -> None:
    """The property WRAP_SINGLE_VALUE of a source with these value columns."""
    form = format_of(name)
    if wrap is None:
        return
    if not (form.wraps if wrap else form.unwraps):
        value = "true" if wrap else "false"
        raise KsqlError(f"Format '{form.name}' does not support 'WRAP_SINGLE_VALUE' set to '{value}'.")
    if len(columns) != 1:
        raise KsqlError("'WRAP_SINGLE_VALUE' is only valid for single-field value schemas")


def check_columns(name: str, columns: Sequence[Field], is_key: bool, wrap: bool | None = None) -> None:
    """KsqlError where the format cannot hold these columns as a key, or as a value."""
    form = format_of(name)
    if is_key:
        _check_no_maps(columns)
    reason = _reason(form, columns, is_key)
    if reason is None:
        return
    listed = ", ".join(f"{quoted(column.name)} {column.type}{' KEY' if is_key else ''}" for column in columns)
    raise KsqlError(
        f"{'Key' if is_key else 'Value'} format does not support schema.\n"
        f"format: {form.name}\n"
        f"schema: Persistence{{columns=[{listed}], features=[{_features(form, columns, is_key, wrap)}]}}\n"
        f"reason: {reason}"
    )


def _features(form: Format, columns: Sequence[Field], is_key: bool, wrap: bool | None) -> str:
    if not (form.wraps and form.unwraps and len(columns) == 1) or (not is_key and wrap is None):
        return ""
    return "WRAP_SINGLES" if wrap and not is_key else "UNWRAP_SINGLES"


def _check_no_maps(columns: Sequence[Field]) -> None:
    for column in columns:
        if any(isinstance(part, Map) for part in walk(column.type)):
            raise KsqlError(
                "Map keys, including types that contain maps, are not supported as they may lead to unexpected "
                f"behavior due to inconsistent serialization. Key column name: {quoted(column.name)}. "
                f"Column type: {column.type}. See https://github.com/confluentinc/ksql/issues/6621 for more."
            )


def _reason(form: Format, columns: Sequence[Field], is_key: bool) -> str | None:
    match form.name:
        case "NONE":
            return _none_reason(columns, is_key)
        case "KAFKA":
            return _kafka_reason(columns, is_key)
        case "DELIMITED":
            return _delimited_reason(columns)
        case "JSON" | "JSON_SR":
            return _JSON_MAPS if _has_odd_keys(columns) else None
        case "AVRO":
            return _AVRO_MAPS if _has_odd_keys(columns) else _schema_reason(form, columns, is_key)
        case _:
            return _PROTOBUF_MAPS if _has_odd_keys(columns) else _schema_reason(form, columns, is_key)


def _schema_reason(form: Format, columns: Sequence[Field], is_key: bool) -> str | None:
    """A name that the format does not allow, or a nesting. The schemas' libraries are loaded where they are needed."""
    from riacho.pipelines.sql.formats.schema_registration import schema_fault

    return schema_fault(form, columns, is_key) if columns else None


def _listed(columns: Sequence[Field], is_key: bool) -> str:
    return "[" + ", ".join(f"{quoted(each.name)} {each.type}{' KEY' if is_key else ''}" for each in columns) + "]"


def _none_reason(columns: Sequence[Field], is_key: bool) -> str | None:
    if not columns:
        return None
    return f"The 'NONE' format can only be used when no columns are defined. Got: {_listed(columns, is_key)}"


def _kafka_reason(columns: Sequence[Field], is_key: bool) -> str | None:
    if len(columns) > 1:
        return f"The 'KAFKA' format only supports a single field. Got: {_listed(columns, is_key)}"
    if columns and columns[0].type not in _KAFKA_TYPES:
        return f"The 'KAFKA' format does not support type '{base_name(columns[0].type)}'"
    return None


def _delimited_reason(columns: Sequence[Field]) -> str | None:
    for column in columns:
        if not isinstance(column.type, Primitive | Decimal):
            return (
                f"The 'DELIMITED' format does not support type '{base_name(column.type)}', "
                f"column: {quoted(column.name)}"
            )
    return None


def _has_odd_keys(columns: Sequence[Field]) -> bool:
    return any(isinstance(part, Map) and part.key != STRING for each in columns for part in walk(each.type))


def base_name(kind: SqlType) -> str:
    """A type's name without what it is made of."""
    match kind:
        case Primitive(base):
            return base.value
        case Decimal():
            return "DECIMAL"
        case Array():
            return "ARRAY"
        case Map():
            return "MAP"
        case Struct():
            return "STRUCT"
        case _:
            return "LAMBDA"

"""The codec that a specification asks for: the one door to all formats."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.delimited_codec import DelimitedCodec, delimiter_of
from riacho.pipelines.sql.formats.json_codec import JsonCodec
from riacho.pipelines.sql.formats.kafka_codec import KafkaCodec
from riacho.pipelines.sql.formats.none_codec import NoneCodec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, registry_of
from riacho.pipelines.sql.formats.schema_properties import FULL_SCHEMA_NAME, property_of
from riacho.pipelines.sql.formats.sink_schema import SinkSchema, sink_schema_of
from riacho.pipelines.sql.formats.supported import format_of, is_wrapped
from riacho.pipelines.sql.formats.windowed_codec import SessionWindowedCodec, TimeWindowedCodec
from riacho.pipelines.sql.type_text import type_from_text
from riacho.pipelines.sql.types import Field, Struct


def open_codec(spec: CodecSpec, registry: RegistryAccess | None = None) -> Codec:
    """`registry` where the caller has one at hand; else the one that the specification's settings name.

    CodecError where the format needs a registry and there is none. That the format takes the columns has been checked
    before (`supported.check_columns`).
    """
    columns = columns_of(spec)
    codec = _open(spec, columns, registry)
    match spec.window:
        case None:
            return codec
        case "SESSION":
            return SessionWindowedCodec(codec)
        case _:
            return TimeWindowedCodec(codec, spec.window_size_ms)


def columns_of(spec: CodecSpec) -> list[Field]:
    return [Field(name, type_from_text(text)) for name, text in spec.columns]


def _open(spec: CodecSpec, columns: Sequence[Field], registry: RegistryAccess | None) -> Codec:
    try:
        name = format_of(spec.format).name
    except KsqlError as error:
        raise CodecError(error.message) from None
    wrap = is_wrapped(name, len(columns), spec.is_key, spec.wrap)
    if name == "NONE" or (not columns and (name == "KAFKA" or spec.is_key)):
        return NoneCodec()
    match name:
        case "KAFKA":
            return KafkaCodec(columns)
        case "DELIMITED":
            return DelimitedCodec(columns, delimiter_of(spec.properties), spec.is_key)
        case "JSON":
            return JsonCodec(columns, wrap)
        case "PROTOBUF_NOSR":
            return _bare_protobuf(spec, columns, wrap)
        case _:
            return _with_registry(spec, name, columns, wrap, _registry(spec, registry))


def _with_registry(spec: CodecSpec, name: str, columns: Sequence[Field], wrap: bool, registry: RegistryAccess) -> Codec:
    """The formats' libraries are loaded when the first codec of theirs is opened."""
    sink_schema: SinkSchema = sink_schema_of(spec, columns, registry)
    match name:
        case "AVRO":
            from riacho.pipelines.sql.formats.avro_codec import AvroCodec

            return AvroCodec(columns, wrap, registry, sink_schema)
        case "JSON_SR":
            from riacho.pipelines.sql.formats.json_sr_codec import JsonSrCodec

            return JsonSrCodec(columns, wrap, sink_schema)
        case _:
            from riacho.pipelines.sql.formats.protobuf_codec import ProtobufCodec

            full_name = property_of(spec.properties, FULL_SCHEMA_NAME) if spec.schema_id is not None else None
            return ProtobufCodec(columns, registry, sink_schema, full_name)


def _bare_protobuf(spec: CodecSpec, columns: Sequence[Field], wrap: bool) -> Codec:
    from riacho.pipelines.sql.formats.protobuf_codec import BareProtobufCodec, own_protobuf_schema

    single = None if wrap else columns[0]
    inner = single.type.fields if single is not None and isinstance(single.type, Struct) else columns
    return BareProtobufCodec(columns, own_protobuf_schema(spec, inner), None if single is None else single.name)


def _registry(spec: CodecSpec, registry: RegistryAccess | None) -> RegistryAccess:
    found = registry if registry is not None else registry_of(spec.registry)
    if found is None:
        raise CodecError(f"The {spec.format} format needs a schema registry, and none is configured")
    return found

"""The codec that a specification asks for: the one door to all formats."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.formats.codec import Codec, CodecError, CodecSpec
from riacho.pipelines.sql.formats.delimited_codec import DelimitedCodec, delimiter_of
from riacho.pipelines.sql.formats.json_codec import JsonCodec
from riacho.pipelines.sql.formats.kafka_codec import KafkaCodec
from riacho.pipelines.sql.formats.none_codec import NoneCodec
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, registry_of
from riacho.pipelines.sql.formats.supported import is_wrapped
from riacho.pipelines.sql.formats.windowed_codec import SessionWindowedCodec, TimeWindowedCodec
from riacho.pipelines.sql.type_text import type_from_text
from riacho.pipelines.sql.types import Field


def open_codec(spec: CodecSpec, registry: RegistryAccess | None = None) -> Codec:
    """`registry` where the caller has one at hand; else the one that the specification's settings name.

    CodecError where the format needs a registry and there is none. That the format takes the columns has been checked
    before (`supported.check_columns`).
    """
    columns = [Field(name, type_from_text(text)) for name, text in spec.columns]
    codec = _open(spec, columns, registry)
    match spec.window:
        case None:
            return codec
        case "SESSION":
            return SessionWindowedCodec(codec)
        case _:
            return TimeWindowedCodec(codec, spec.window_size_ms)


def _open(spec: CodecSpec, columns: Sequence[Field], registry: RegistryAccess | None) -> Codec:
    name = spec.format.upper()
    wrap = is_wrapped(name, len(columns), spec.is_key, spec.wrap)
    if name == "NONE" or (not columns and (name == "KAFKA" or spec.is_key)):
        return NoneCodec()
    match name:
        case "KAFKA":
            return KafkaCodec(columns)
        case "DELIMITED":
            return DelimitedCodec(columns, delimiter_of(spec.properties))
        case "JSON":
            return JsonCodec(columns, wrap)
        case _:
            raise CodecError(f"Unknown format: {spec.format}")


def _registry(spec: CodecSpec, registry: RegistryAccess | None) -> RegistryAccess:
    found = registry if registry is not None else registry_of(spec.registry)
    if found is None:
        raise CodecError(f"The {spec.format} format needs a schema registry, and none is configured")
    return found

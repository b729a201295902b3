"""The codecs of a source's topic, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.pipelines.sql.catalogue.sources import Column, DataSource, FormatInfo
from riacho.pipelines.sql.formats.codec import CodecSpec
from riacho.pipelines.sql.formats.supported import FORMATS


def key_codec(source: DataSource, registry: Mapping[str, str]) -> CodecSpec:
    return _codec(source, source.key_format, source.schema.key, registry, is_key=True)


def value_codec(source: DataSource, registry: Mapping[str, str]) -> CodecSpec:
    return _codec(source, source.value_format, source.schema.value, registry, is_key=False)


def _codec(
    source: DataSource, info: FormatInfo, columns: Sequence[Column], registry: Mapping[str, str], *, is_key: bool
) -> CodecSpec:
    window = source.window if is_key else None
    needs_registry = FORMATS[info.name].needs_registry
    return CodecSpec(
        format=info.name,
        is_key=is_key,
        columns=tuple((column.name, str(column.type)) for column in columns),
        wrap=info.wrap,
        properties=dict(info.properties),
        registry=dict(registry) if needs_registry else {},
        subject=f"{source.topic}-{'key' if is_key else 'value'}" if needs_registry else "",
        schema_id=info.schema_id,
        window=window.kind.value if window is not None else None,
        window_size_ms=window.size_ms if window is not None else None,
    )

"""All converters, by the class names that configs give them."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.pipelines.config_def import ConfigError
from riacho.pipelines.formats.avro_converter import AvroConverter
from riacho.pipelines.formats.converter import Converter
from riacho.pipelines.formats.json_converter import JsonConverter
from riacho.pipelines.formats.json_schema_converter import JsonSchemaConverter
from riacho.pipelines.formats.plain_converters import (
    BooleanConverter,
    ByteArrayConverter,
    DoubleConverter,
    FloatConverter,
    IntegerConverter,
    LongConverter,
    ShortConverter,
    StringConverter,
)
from riacho.pipelines.formats.protobuf_converter import ProtobufConverter

CLASSES: tuple[type[Converter], ...] = (
    AvroConverter,
    ProtobufConverter,
    JsonSchemaConverter,
    JsonConverter,
    StringConverter,
    ByteArrayConverter,
    BooleanConverter,
    ShortConverter,
    IntegerConverter,
    LongConverter,
    FloatConverter,
    DoubleConverter,
)
CONVERTERS: dict[str, type[Converter]] = {name: each for each in CLASSES for name in (each.CLASS, *each.ALIASES)}


def converter(class_name: str, configs: Mapping[str, str], is_key: bool) -> Converter:
    """ConfigError in one sentence for a class that nobody knows, or settings that it cannot use."""
    found = CONVERTERS.get(class_name)
    if found is None:
        raise ConfigError(f"Class {class_name} could not be found.")
    return found(configs, is_key)

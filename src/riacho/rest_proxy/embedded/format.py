"""The embedded formats: what keys and values of a call are, and how they stand in the record."""

from __future__ import annotations

from enum import Enum


class Format(Enum):
    """`value` is the name in content types and in a v2 consumer's `format`; v3 has it in capitals as `type`."""

    BINARY = "binary"
    JSON = "json"
    STRING = "string"
    AVRO = "avro"
    JSONSCHEMA = "jsonschema"
    PROTOBUF = "protobuf"

    @property
    def schema_type(self) -> str | None:
        """What the registry calls its schemas; None for a format without one."""
        return _SCHEMA_TYPES.get(self)

    @property
    def media_type(self) -> str:
        """Of a v2 call."""
        return f"application/vnd.kafka.{self.value}.v2+json"


_SCHEMA_TYPES = {Format.AVRO: "AVRO", Format.JSONSCHEMA: "JSON", Format.PROTOBUF: "PROTOBUF"}

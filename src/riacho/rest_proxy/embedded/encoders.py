"""From the JSON of a call to the bytes of a record, where the format has schemas.

Which schema is meant follows the original's rules: an id; or a version of a subject; or a text, which is registered
when the registry does not have it; or, with nothing of these, the subject's latest. Without a subject it is made from
the topic and the schema by a strategy.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from riacho.rest_proxy.embedded.format import Format
from riacho.rest_proxy.embedded.json_text import JsonError, parse_json
from riacho.schemas.formats import parse
from riacho.schemas.parsed import DataError, ParsedSchema, SchemaError, SchemaSource
from riacho.web.errors import ApiError

if TYPE_CHECKING:
    from riacho.rest_proxy.registry import Registry
    from riacho.schemas.registry_conversations import RegisteredSchema

_NAMES = {"AVRO": "Avro", "JSON": "JSON Schema", "PROTOBUF": "Protobuf"}
_TEXTS_KEPT = 100
_TEXT_KEPT_MAX = 65_536


class SubjectNameStrategy(Enum):
    TOPIC_NAME = "TOPIC_NAME"
    RECORD_NAME = "RECORD_NAME"
    TOPIC_RECORD_NAME = "TOPIC_RECORD_NAME"

    def subject(self, topic: str, is_key: bool, schema: ParsedSchema | None) -> str:
        """ApiError 400 when the schema is needed for it and not there, or has no name."""
        if self is SubjectNameStrategy.TOPIC_NAME:
            return f"{topic}-{'key' if is_key else 'value'}"
        if schema is None:
            raise ApiError(400, 400, f"Cannot use schema_subject_strategy={self.value} without schema_id or schema.")
        if schema.name is None:
            raise ApiError(400, 400, f"Cannot use schema_subject_strategy={self.value}: the schema has no name.")
        return schema.name if self is SubjectNameStrategy.RECORD_NAME else f"{topic}-{schema.name}"


class SchemaChoice(msgspec.Struct, frozen=True):
    """What a call says of the schema of its keys, or of its values."""

    format: Format | None = None
    subject: str | None = None
    strategy: SubjectNameStrategy = SubjectNameStrategy.TOPIC_NAME
    schema_id: int | None = None
    schema_version: int | None = None
    text: str | None = None


class Encoders:
    def __init__(self, registry: Registry | None) -> None:
        self._registry = registry

    async def schema(self, topic: str, is_key: bool, choice: SchemaChoice) -> RegisteredSchema:
        """ApiError when the call contradicts itself, or the registry does not have it or does not take it."""
        if self._registry is None:
            raise ApiError(408, 40801, "No schema registry is configured: set schema.registry.url.")
        if choice.schema_id is not None:
            _only("schema_id", type=choice.format, schema_version=choice.schema_version, schema=choice.text)
            return await self._by_id(self._registry, topic, is_key, choice, choice.schema_id)
        if choice.schema_version is not None:
            _only("schema_version", type=choice.format, schema=choice.text)
            subject = choice.subject or choice.strategy.subject(topic, is_key, None)
            return await self._registry.by_version(subject, choice.schema_version)
        if choice.text is not None:
            parsed = _parsed(choice)
            return await self._registry.registered(
                choice.subject or choice.strategy.subject(topic, is_key, parsed), parsed
            )
        if choice.format is not None:
            raise ApiError(400, 400, f"The type {choice.format.name} needs a schema: give schema, or leave type out.")
        return await self._registry.latest(choice.subject or choice.strategy.subject(topic, is_key, None))

    async def _by_id(
        self, registry: Registry, topic: str, is_key: bool, choice: SchemaChoice, schema_id: int
    ) -> RegisteredSchema:
        from riacho.schemas.registry_conversations import RegisteredSchema

        parsed, _ = await registry.by_id(schema_id)
        subject = choice.subject or choice.strategy.subject(topic, is_key, parsed)
        return RegisteredSchema(subject, schema_id, await registry.version_of(subject, schema_id), parsed)


def encode(schema: RegisteredSchema, data: msgspec.Raw) -> bytes | None:
    """In the registry's wire format; null is null. ApiError 42203 when the data does not fit the schema."""
    text = bytes(data)
    if text == b"null":
        return None
    try:
        return schema.prefix + schema.codec.encode(parse_json(text))
    except (DataError, JsonError, RecursionError) as error:
        kind, reason = _NAMES[schema.parsed.schema_type], " ".join(str(error).split())
        raise ApiError(422, 42203, f"Conversion of JSON to {kind} failed: {reason}") from None


def _only(given: str, **others: object) -> None:
    for name, value in others.items():
        if value is not None:
            raise ApiError(400, 400, f"{name} cannot be used together with {given}.")


def _parsed(choice: SchemaChoice) -> ParsedSchema:
    if choice.format is None:
        raise ApiError(400, 400, "schema needs a type.")
    if choice.format.schema_type is None:
        raise ApiError(400, 400, f"{choice.format.name} does not support schemas.")
    assert choice.text is not None
    read = _read_again if len(choice.text) <= _TEXT_KEPT_MAX else _read
    try:
        return read(choice.format.schema_type, choice.text)
    except (SchemaError, RecursionError) as error:
        raise ApiError(422, 42205, f"Invalid schema: {error}") from None


def _read(schema_type: str, text: str) -> ParsedSchema:
    return parse(schema_type, SchemaSource(text))


# Every record of a v3 stream may bring the same text.
_read_again = lru_cache(maxsize=_TEXTS_KEPT)(_read)

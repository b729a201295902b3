"""Texts to parsed schemas, remembered: the same schema is parsed once, and two schemas are compared once.

Used from the event loop and, where schemas are large, from a thread beside it (`precomputing.py`), so
what is remembered is behind a lock.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from riacho.schema_registry.remembered import Remembered
from riacho.schemas.formats import FORMATS, parse
from riacho.schemas.logical.policy import logical_differences, validity_differences
from riacho.schemas.parsed import ParsedSchema, Reference, SchemaError, SchemaSource

# A parsed Avro schema takes up to fifteen bytes for each character of its text.
_CHARACTERS_MAX = 32 * 1024 * 1024


class ParsedSchemas:
    def __init__(self, size: int = 1000) -> None:
        self._parsed: Remembered[ParsedSchema] = Remembered(size, _characters, _CHARACTERS_MAX)
        self._differences: Remembered[tuple[str, ...]] = Remembered(
            size, lambda texts: sum(map(len, texts)), _CHARACTERS_MAX
        )

    def parse(
        self,
        schema_type: str,
        text: str,
        references: Sequence[Reference] = (),
        resolved: Mapping[str, str] | None = None,
        *,
        is_new: bool = True,
    ) -> ParsedSchema:
        """SchemaError in the registry's words. Most schemas are fit to be new, and are remembered as that, whoever
        asks; the few that can only be read are remembered apart."""
        if schema_type not in FORMATS:
            raise SchemaError(f"Invalid schema type {schema_type}")
        source = SchemaSource(text, tuple(references), dict(resolved or {}))
        key = _key(schema_type, source)
        try:
            return self._stored(key, schema_type, source) if not is_new else self._new(key, schema_type, source)
        except SchemaError as error:
            raise SchemaError(f"Invalid schema of type {schema_type}, details: {error}") from None

    def _new(self, key: bytes, kind: str, source: SchemaSource) -> ParsedSchema:
        return self._parsed.get(key, lambda: parse(kind, source))

    def _stored(self, key: bytes, kind: str, source: SchemaSource) -> ParsedSchema:
        old = (key, "stored")
        known = self._parsed.find(key) or self._parsed.find(old)
        if known is not None:
            return known
        try:
            return self._new(key, kind, source)
        except SchemaError:
            return self._parsed.get(old, lambda: parse(kind, replace(source, is_new=False)))

    def differences(
        self,
        reader: ParsedSchema,
        writer: ParsedSchema,
        reader_word: str = "new",
        writer_word: str = "old",
        *,
        is_lenient: bool = False,
    ) -> tuple[str, ...]:
        """Why `reader` cannot read what `writer` wrote."""
        if reader.schema_type != writer.schema_type:
            return ("Incompatible because of different schema type",)
        key = (_parsed_key(reader), _parsed_key(writer), reader_word, is_lenient)
        return self._differences.get(
            key, lambda: tuple(reader.differences(writer, reader_word, writer_word, is_lenient=is_lenient))
        )

    def logical_differences(self, reader: ParsedSchema, writer: ParsedSchema) -> tuple[str, ...]:
        """Why a table of Flink or Iceberg with the schema of `reader` cannot take what `writer` wrote."""
        key = (_parsed_key(reader), _parsed_key(writer), "logical", False)
        return self._differences.get(key, lambda: tuple(logical_differences(reader, writer)))

    def validity_differences(self, schema: ParsedSchema) -> tuple[str, ...]:
        """Why no table of Flink or Iceberg can have this schema."""
        return self._differences.get((_parsed_key(schema), "validity"), lambda: tuple(validity_differences(schema)))

    def clear(self) -> None:
        self._parsed.clear()
        self._differences.clear()


def _characters(schema: ParsedSchema) -> int:
    return len(schema.text) + sum(map(len, schema.resolved.values()))


def _parsed_key(schema: ParsedSchema) -> bytes:
    return _key(schema.schema_type, SchemaSource(schema.text, schema.references, schema.resolved))


def _key(kind: str, source: SchemaSource) -> bytes:
    """A digest instead of the texts: what is remembered should not hold them twice."""
    digest = hashlib.blake2b(kind.encode(), digest_size=20)
    parts = [source.text]
    for reference in source.references:
        parts += [reference.name, reference.subject, str(reference.version)]
    for name, text in (source.resolved or {}).items():
        parts += [name, text]
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.digest()

"""The Avro kind of schema: parse a text, and all that the registry and the REST proxy ask of it."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.schemas.avro.codec import AvroCodec
from riacho.schemas.avro.differences import difference_texts
from riacho.schemas.avro.normalizing import normalized_json
from riacho.schemas.avro.parser import Parser
from riacho.schemas.avro.printing import print_type
from riacho.schemas.avro.types import AvroType, NamedType, Record
from riacho.schemas.json_text import write_json
from riacho.schemas.parsed import Codec, ParsedSchema, Reference, SchemaError, SchemaSource


class AvroSchema(ParsedSchema):
    schema_type = "AVRO"

    def __init__(
        self,
        root: AvroType,
        known: frozenset[str],
        references: tuple[Reference, ...],
        resolved: Mapping[str, str],
    ) -> None:
        """`known`: the full names that the references define, one each, which the text has by name only."""
        self.root = root
        self.references = references
        self.resolved = resolved
        self.text = print_type(root, known)
        self._known = known
        # Printed now, so that a schema which is too deep once its references are in place is refused, not stored.
        self._inlined = print_type(root) if known else self.text
        self._codec: AvroCodec | None = None
        self._normalized: AvroSchema | None = None

    @property
    def name(self) -> str | None:
        return self.root.name.full if isinstance(self.root, Record) else None

    def normalized(self) -> AvroSchema:
        if self._normalized is None:
            text = write_json(normalized_json(self.root, self._known))
            unique = {(each.subject, each.version, each.name): each for each in self.references}
            references = tuple(sorted(unique.values(), key=lambda each: (each.subject, each.version)))
            self._normalized = parse(SchemaSource(text, references, self.resolved, is_new=False))
        return self._normalized

    def formatted(self, form: str) -> str:
        """`resolved`: with the types of references written out where they are used."""
        return self._inlined if form == "resolved" else self.text

    def differences(
        self, writer: ParsedSchema, reader_word: str = "new", writer_word: str = "old", *, is_lenient: bool = False
    ) -> list[str]:
        if not isinstance(writer, AvroSchema):
            return ["Incompatible because of different schema type"]
        return difference_texts(self.root, writer.root, reader_word, writer_word)

    def codec(self, message: str | None = None) -> Codec:
        if self._codec is None:
            self._codec = AvroCodec(self.root)
        return self._codec


def parse(source: SchemaSource) -> AvroSchema:
    """SchemaError for whatever is wrong with the text."""
    try:
        return _parse(source)
    except RecursionError:
        raise SchemaError("Types are nested too deeply") from None


def _parse(source: SchemaSource) -> AvroSchema:
    resolved = dict(source.resolved or {})
    parser = Parser()
    referenced = [parser.read(text) for text in resolved.values()]
    root = parser.read(source.text, validate_defaults=source.is_new)
    parser.finish()
    known = frozenset(found.label for found in (get() for get in referenced) if isinstance(found, NamedType))
    return AvroSchema(root(), known, tuple(source.references), resolved)

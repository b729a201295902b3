"""JSON Schema as the registry keeps, compares and applies it."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.schemas.json_schema.codec import JsonCodec
from riacho.schemas.json_schema.comparison import TooComplexError, differences_between
from riacho.schemas.json_schema.difference import COMPATIBLE, COMPATIBLE_LENIENT
from riacho.schemas.json_schema.documents import Documents
from riacho.schemas.json_schema.loader import Loader
from riacho.schemas.json_schema.nodes import Node
from riacho.schemas.json_schema.wording import difference_text
from riacho.schemas.json_text import read_exact_json, write_json
from riacho.schemas.parsed import DataError, Json, ParsedSchema, Reference, SchemaError, SchemaSource

TOO_COMPLEX = '{errorType:"TYPE_CHANGED", description:"The %s schema and the %s schema are too complex to be compared"}'


def parse(source: SchemaSource) -> JsonSchema:
    """SchemaError for a text that the registry would refuse."""
    tree = read_exact_json(source.text)
    if not isinstance(tree, Mapping | bool):
        raise SchemaError("Invalid JSON Schema: neither an object nor true or false")
    return JsonSchema(tree, tuple(source.references), dict(source.resolved or {}))


class JsonSchema(ParsedSchema):
    schema_type = "JSON"

    def __init__(self, tree: Json, references: tuple[Reference, ...], resolved: Mapping[str, str]) -> None:
        self.references = references
        self.resolved = resolved
        self._tree = tree
        self._codec: JsonCodec | None = None
        try:
            self.text = write_json(tree)
            self._documents = Documents(tree, resolved)
            self.root: Node = Loader(self._documents).load_root()
        except RecursionError:
            raise SchemaError("Invalid JSON Schema: nested too deeply") from None

    @property
    def is_modern(self) -> bool:
        """Whether it is of a draft from 2019-09 on."""
        return self._documents.draft.is_modern

    @property
    def name(self) -> str | None:
        title = self._tree.get("title") if isinstance(self._tree, Mapping) else None
        return title if isinstance(title, str) else None

    def normalized(self) -> JsonSchema:
        """Keys in order, references in order and each once."""
        distinct = dict.fromkeys(sorted(self.references, key=lambda reference: (reference.subject, reference.version)))
        return JsonSchema(read_exact_json(write_json(self._tree, is_sorted=True)), tuple(distinct), self.resolved)

    def formatted(self, form: str) -> str:
        return self.text

    def differences(
        self, writer: ParsedSchema, reader_word: str = "new", writer_word: str = "old", *, is_lenient: bool = False
    ) -> list[str]:
        if not isinstance(writer, JsonSchema):
            return ["Incompatible because of different schema type"]
        try:
            found = differences_between(writer.root, self.root, is_lenient=is_lenient)
        except (TooComplexError, RecursionError, DataError):
            return [TOO_COMPLEX % (reader_word, writer_word)]
        compatible = COMPATIBLE_LENIENT if is_lenient else COMPATIBLE
        return [difference_text(each, reader_word, writer_word) for each in found if each.kind not in compatible]

    def codec(self, message: str | None = None) -> JsonCodec:
        if self._codec is None:
            self._codec = JsonCodec(self._documents)
        return self._codec

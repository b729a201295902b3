"""What every kind of schema can do, so that the registry and the REST proxy need not know which kind they hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# A JSON document as Python values: dict, list, str, int, float, bool, None.
Json = object


class SchemaError(ValueError):
    """A text that is no schema of its kind, said in one sentence."""


class DataError(ValueError):
    """A value that does not fit its schema, or bytes that cannot be read with it, said in one sentence."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a schema calls another one by (`name`), and where the registry keeps that one."""

    name: str
    subject: str
    version: int


class Codec(ABC):
    """Between the JSON form of a value and its payload (what follows magic byte and schema id on the wire)."""

    @abstractmethod
    def encode(self, value: Json) -> bytes:
        """DataError when the value does not fit the schema."""

    @abstractmethod
    def decode(self, payload: bytes | memoryview) -> Json:
        """DataError when the payload cannot be read."""


class ParsedSchema(ABC):
    """One schema, checked, with what it refers to at hand."""

    schema_type: str  # AVRO, JSON or PROTOBUF
    text: str  # the canonical text: what the registry stores, compares and answers
    references: tuple[Reference, ...]
    resolved: Mapping[
        str, str
    ]  # reference name -> text, of all that it needs, in the order in which they build on each other

    @property
    @abstractmethod
    def name(self) -> str | None:
        """The full name of the record or message, where the kind has one (Avro record, JSON title, first message)."""

    @abstractmethod
    def normalized(self) -> ParsedSchema:
        """The same schema in the form in which equal meanings have equal text (`normalize=true`)."""

    @abstractmethod
    def formatted(self, form: str) -> str:
        """`format=`: "" is the canonical text; an unknown form is as ""; each kind names its own."""

    @abstractmethod
    def differences(
        self, writer: ParsedSchema, reader_word: str = "new", writer_word: str = "old", *, is_lenient: bool = False
    ) -> list[str]:
        """Why this schema cannot read what `writer` wrote; empty when it can. One text a reason, as the registry
        answers. The words are what the two are called in it: forward, the reader is the old one. `is_lenient` is for
        JSON Schema, whose open models make almost every new property a break; the others have one measure."""

    @abstractmethod
    def codec(self, message: str | None = None) -> Codec:
        """`message`: which of several messages of a Protobuf file; others ignore it."""


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """What a parser is given. One that is stored already, perhaps by a registry that let more pass (a wrong default in
    Avro), is not new, and must stay readable."""

    text: str
    references: Sequence[Reference] = ()
    resolved: Mapping[str, str] | None = None
    is_new: bool = True

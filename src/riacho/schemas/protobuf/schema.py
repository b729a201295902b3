"""Protobuf schemas: a .proto file, or a FileDescriptorProto in base64, which is answered as text."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from functools import cached_property, lru_cache

from google.protobuf import descriptor_pb2  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from riacho.schemas.parsed import Codec, ParsedSchema, Reference, SchemaError, SchemaSource
from riacho.schemas.protobuf.checks import check_file
from riacho.schemas.protobuf.codec import MessageCodec
from riacho.schemas.protobuf.comparing import Comparison
from riacho.schemas.protobuf.descriptor_options import OptionReader
from riacho.schemas.protobuf.descriptor_reading import read_descriptor
from riacho.schemas.protobuf.elements import File
from riacho.schemas.protobuf.files import ProtoFile, load_files
from riacho.schemas.protobuf.normalizing import normalize
from riacho.schemas.protobuf.parser import parse_file
from riacho.schemas.protobuf.pool import SchemaPool, pool_of_descriptor
from riacho.schemas.protobuf.printer import print_file
from riacho.schemas.protobuf.without_extensions import without_extensions


def parse(source: SchemaSource) -> ProtobufSchema:
    resolved = dict(source.resolved or {})
    element = _read(source.text, resolved)
    file = load_files(element, resolved, _read_reference)
    check_file(file)
    return ProtobufSchema(file, print_file(element), tuple(source.references), resolved)


@lru_cache(maxsize=128)
def _read_reference(text: str) -> File:
    """Many schemas build on the same few others."""
    return _read(text, {})


def _read(text: str, resolved: Mapping[str, str]) -> File:
    try:
        element = parse_file(text)
    except SchemaError:
        descriptor = _descriptor_of(text)
        if descriptor is None:
            raise
        element = _read_descriptor(descriptor, resolved)
    if element == File():
        raise SchemaError("The schema is empty")
    return element


def _descriptor_of(text: str) -> descriptor_pb2.FileDescriptorProto | None:
    """None of a text that is no descriptor in base64. Any bytes may pass for one with nothing but unknown fields."""
    try:
        data = base64.b64decode(text.strip().rstrip("=") + "=" * (-len(text.strip().rstrip("=")) % 4), validate=True)
        descriptor = descriptor_pb2.FileDescriptorProto.FromString(data)
    except (binascii.Error, ValueError, DecodeError):
        return None
    declared = (descriptor.message_type, descriptor.enum_type, descriptor.extension, descriptor.dependency)
    return descriptor if any(declared) else None


def _read_descriptor(descriptor: descriptor_pb2.FileDescriptorProto, resolved: Mapping[str, str]) -> File:
    """By way of the text: what a descriptor says has to hold as a .proto file too."""
    reader = OptionReader()
    element = _through_text(read_descriptor(descriptor, reader))
    if reader.missed:
        try:
            pool = pool_of_descriptor(load_files(element, resolved, _read_reference), descriptor)
        except SchemaError:
            # Only the extensions are lost by that; what is wrong with the schema itself is found later.
            return element
        element = _through_text(read_descriptor(descriptor, OptionReader(pool)))
    return element


def _through_text(element: File) -> File:
    try:
        return parse_file(print_file(element))
    except (TypeError, AttributeError):
        raise SchemaError("The descriptor holds an option that is no text") from None


class ProtobufSchema(ParsedSchema):
    schema_type = "PROTOBUF"

    def __init__(
        self, file: ProtoFile, text: str, references: tuple[Reference, ...], resolved: Mapping[str, str]
    ) -> None:
        self.file = file
        self.text = text
        self.references = references
        self.resolved = resolved

    @property
    def name(self) -> str | None:
        element = self.file.element
        names = [*(message.name for message in element.messages), *(enum.name for enum in element.enums)]
        if not names:
            return None
        return f"{element.package}.{names[0]}" if element.package else names[0]

    @cached_property
    def pool(self) -> SchemaPool:
        return SchemaPool(self.file)

    def normalized(self) -> ProtobufSchema:
        text = print_file(normalize(self.file))
        references = tuple(sorted(set(self.references), key=lambda ref: (ref.name, ref.subject, ref.version)))
        file = load_files(parse_file(text), self.resolved, _read_reference)
        return ProtobufSchema(file, text, references, self.resolved)

    def formatted(self, form: str) -> str:
        """`serialized`: the descriptor in base64; `ignore_extensions`: the text without extensions and their use."""
        match form.strip().lower():
            case "serialized":
                return base64.b64encode(self.pool.descriptor.SerializeToString(deterministic=True)).decode("ascii")
            case "ignore_extensions":
                return print_file(without_extensions(self.file.element))
            case _:
                return self.text

    def differences(
        self, writer: ParsedSchema, reader_word: str = "new", writer_word: str = "old", *, is_lenient: bool = False
    ) -> list[str]:
        if not isinstance(writer, ProtobufSchema):
            return ["Incompatible because of different schema type"]
        comparison = Comparison(writer.file, self.file, _subjects(writer), _subjects(self))
        found = [difference for difference in comparison.differences() if not difference.is_compatible]
        return [difference.text(reader_word, writer_word) for difference in found]

    def codec(self, message: str | None = None) -> Codec:
        """SchemaError where the runtime refuses the schema; DataError where it has no such message."""
        return self._codec if message is None else MessageCodec(self.pool, message)

    @cached_property
    def _codec(self) -> Codec:
        return MessageCodec(self.pool, None)


def _subjects(schema: ProtobufSchema) -> dict[str, tuple[str, int]]:
    return {reference.name: (reference.subject, reference.version) for reference in schema.references}

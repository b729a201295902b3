"""Schemas of any shape, and values for their messages, out of a seed."""

from __future__ import annotations

import base64
from random import Random
from typing import Any

from riacho.schemas.protobuf.elements import (
    SCALARS,
    Constant,
    Enum,
    Field,
    File,
    Literal,
    Message,
    NamePart,
    OneOf,
    Option,
    Range,
    Ranges,
    Value,
)
from riacho.schemas.protobuf.printer import print_file

_LITERALS = ("true", "5", "-1.5e3", "SOME", "-inf", "0x1F")
_STRINGS = ("", "plain", 'quote " and \\', "line\nend\t\x00", "é😀", "\udcff\udc80")
_TYPES = [*sorted(SCALARS), "M0", ".p.M0", "p.E0", "E0"]
_KEYS = ("string", "int32", "bool", "fixed64")


class Generator:
    """`proto2` may have required fields; values are then made for them always."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.syntax = self.random.choice(["proto3", "proto3", "proto2", None])

    def text(self) -> str:
        return print_file(self.file())

    def file(self) -> File:
        random = self.random
        numbers = random.sample(range(1, 100), random.randint(0, 3))
        constants = [Constant("E_0", 0), *(Constant(f"E_{n}", n, self.options()) for n in numbers)]
        return File(
            syntax=self.syntax,
            package="p",
            options=self.options(),
            messages=tuple(self.message(f"M{index}", 0) for index in range(random.randint(1, 3))),
            enums=(Enum("E0", tuple(constants)),),
        )

    def message(self, name: str, depth: int) -> Message:
        random = self.random
        numbers = random.sample(range(1, 500), random.randint(0, 8))
        cut = random.randint(0, len(numbers))
        inside = tuple(self.field(f"o{number}", number, in_oneof=True) for number in numbers[cut:])
        nested = random.randint(0, 2) if depth < 2 else 0
        return Message(
            name,
            tuple(self.field(f"f_{number}", number) for number in numbers[:cut]),
            (OneOf("choice", inside, options=self.options()),) if inside else (),
            messages=tuple(self.message(f"N{index}", depth + 1) for index in range(nested)),
            reserved=(Ranges((600, Range(700, 800), "gone")),) if random.random() < 0.3 else (),
            options=self.options(),
        )

    def field(self, name: str, number: int, in_oneof: bool = False) -> Field:
        random = self.random
        proto3 = self.syntax == "proto3"
        key_type = random.choice(_KEYS) if not in_oneof and random.random() < 0.2 else None
        labels = ["optional", "repeated", *([None] if proto3 else ["required"])]
        label = None if in_oneof or key_type else random.choice(labels)
        json_name = f"json{number}" if random.random() < 0.2 else None
        return Field(name, random.choice(_TYPES), number, label, key_type, None, json_name, self.options())

    def options(self) -> tuple[Option, ...]:
        random = self.random
        made = []
        while random.random() < 0.15:
            rest = (NamePart(random.choice("pq")) for _ in range(random.randint(0, 2)))
            made.append(Option((NamePart(random.choice(["x", "a.b", ".c.d"]), True), *rest), self.option_value(0)))
        return tuple(made)

    def option_value(self, depth: int) -> Value:
        random = self.random
        kind = random.randint(0, 3 if depth < 3 else 1)
        if kind == 0:
            return random.choice(_STRINGS)
        if kind == 1:
            return Literal(random.choice(_LITERALS))
        inner = [self.option_value(depth + 1) for _ in range(random.randint(0, 3))]
        return inner if kind == 2 else dict(zip(["a", "[x.y]", "b"], inner, strict=False))

    def value(self, file: File, message: Message, depth: int = 0) -> dict[str, Any]:
        """A message in JSON; at most one field of a oneof."""
        random = self.random
        fields = [field for field in message.fields if field.label == "required" or random.random() < 0.6]
        fields += [random.choice(oneof.fields) for oneof in message.oneofs if random.random() < 0.6]
        return {field.name: self._field_value(file, field, depth) for field in fields}

    def _field_value(self, file: File, field: Field, depth: int) -> Any:
        count = self.random.randint(0, 2)
        if field.key_type:
            keys = {self._key(field.key_type) for _ in range(count)}
            return {key: self._single(file, field.type, depth) for key in keys}
        if field.label == "repeated":
            return [self._single(file, field.type, depth) for _ in range(count)]
        return self._single(file, field.type, depth)

    def _key(self, type_name: str) -> str:
        return self.random.choice(["true", "false"]) if type_name == "bool" else str(self.random.randint(0, 9))

    def _single(self, file: File, type_name: str, depth: int) -> Any:
        random = self.random
        if type_name.endswith("E0"):
            return "E_0"
        if type_name.endswith("M0"):
            return {} if depth > 2 else self.value(file, file.messages[0], depth + 1)
        if type_name == "string":
            return random.choice(("", "x", "é😀"))
        if type_name == "bytes":
            return base64.b64encode(random.randbytes(3)).decode()
        if type_name == "bool":
            return random.random() < 0.5
        if type_name in ("float", "double"):
            return random.choice([0.0, -0.5, 1.5, 2.0**100])
        bits = 32 if type_name.endswith("32") else 64
        signed = not type_name.startswith(("u", "f"))
        return random.choice([0, 1, 2 ** (bits - signed) - 1, -(2 ** (bits - 1)) if signed else 5])

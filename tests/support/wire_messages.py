"""Every message and version, and random messages that a version can carry."""

from __future__ import annotations

import pkgutil
import random
import struct
from functools import cache
from importlib import import_module
from typing import Any

from riacho.wire import messages
from riacho.wire.schema import Field, Message, WireStruct

INTEGER_BITS = {"int8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64}
ALPHABET = "abcXYZ019._- é漢🌊"


@cache
def message_classes() -> tuple[type[Message], ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(messages.__path__))
    return tuple(_message_in(name) for name in names)


def _message_in(module_name: str) -> type[Message]:
    module = import_module(f"{messages.__name__}.{module_name}")
    (found,) = (c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Message) and c is not Message)
    return found


@cache
def message_versions() -> tuple[tuple[type[Message], int], ...]:
    return tuple((cls, version) for cls in message_classes() for version in versions_of(cls))


def versions_of(cls: type[Message]) -> range:
    return range(cls.VERSIONS[0], cls.VERSIONS[1] + 1)


def integer_range(type_name: str) -> tuple[int, int]:
    bits = INTEGER_BITS[type_name]
    return (0, 2**bits - 1) if type_name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


class RandomMessages:
    """Fields that a version lacks keep their defaults, so that what is decoded equals what was encoded."""

    def __init__(self, seed: object, elements_max: int = 3) -> None:
        self.rng = random.Random(repr(seed))
        self.elements_max = elements_max

    def message(self, cls: type[Any], version: int) -> Any:
        values = {f.name: self.value(f, version) for f in cls.FIELDS if f.is_in(version) and not self.is_left_out(f)}
        return cls(**values)

    def is_left_out(self, field: Field) -> bool:
        return field.tag is not None and self.rng.random() < 0.4

    def value(self, field: Field, version: int) -> Any:
        if field.is_nullable_in(version) and self.rng.random() < 0.25:
            return None
        if field.array:
            count = self.rng.choice((0, 1, self.elements_max))
            return [self.single(field, version) for _ in range(count)]
        return self.single(field, version)

    def single(self, field: Field, version: int) -> Any:
        rng = self.rng
        if not isinstance(field.type, str):
            return self.message(field.type, version)
        if field.type in INTEGER_BITS:
            return self.integer(field)
        if field.type == "bool":
            return rng.random() < 0.5
        if field.type == "float64":
            return struct.unpack(">d", struct.pack(">d", rng.uniform(-1e9, 1e9)))[0]
        if field.type == "uuid":
            return rng.randbytes(16)
        if field.type == "string":
            return "".join(rng.choices(ALPHABET, k=rng.choice((0, 1, 7, 7, 7, 130))))
        return rng.randbytes(rng.choice((0, 1, 20, 127, 200)))

    def integer(self, field: Field) -> int:
        low, high = integer_range(str(field.type))
        return self.rng.choice((low, high, 0, 1, self.rng.randint(low, high)))


def structs_below(cls: type[WireStruct]) -> list[type[WireStruct]]:
    """A struct and every struct that its fields reach."""
    found = [cls]
    for field in cls.FIELDS:
        if not isinstance(field.type, str):
            found += structs_below(field.type)
    return found

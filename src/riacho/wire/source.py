"""Python source under construction: what the decoder's and the encoder's writers share.

A run of fixed-size fields is held back as `pending` until something of variable size comes, and leaves as one call of
one precompiled `struct.Struct`. Whoever opens a block settles the pending run before it and at its end.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from riacho.base.ids import ZERO_UUID
from riacho.wire import primitives
from riacho.wire.schema import NATURAL, Field, WireStruct

FORMATS: Final = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float64": "d",
    "uuid": "16s",
}
NATURAL_DEFAULTS: Final[dict[str, Any]] = {
    **dict.fromkeys(("int8", "int16", "uint16", "int32", "uint32", "int64"), 0),
    "bool": False,
    "float64": 0.0,
    "uuid": ZERO_UUID,
    "string": "",
    "bytes": b"",
    "records": None,
}
# Arrays of numbers up to this many elements find their Struct in a table.
SMALL_ARRAY: Final = 32


def fixed_size(field: Field) -> int | None:
    """Bytes of a field whose size never varies."""
    if field.array or not isinstance(field.type, str) or field.type not in FORMATS:
        return None
    return struct.calcsize(">" + FORMATS[field.type])


def present_fields(cls: type[WireStruct], version: int) -> list[Field]:
    return [f for f in cls.FIELDS if f.tag is None and f.is_in(version)]


def tagged_fields(cls: type[WireStruct], version: int) -> list[Field]:
    return sorted((f for f in cls.FIELDS if f.tag is not None and f.is_in(version)), key=lambda f: f.tag or 0)


def default_of(field: Field) -> Any:
    """The default as a value; a fresh one for arrays and structs."""
    if field.default is not NATURAL:
        return field.default
    if field.array:
        return []
    return NATURAL_DEFAULTS[field.type] if isinstance(field.type, str) else field.type()


class Source:
    """Lines of one function, and the names that they use."""

    def __init__(self, version: int, flexible: bool) -> None:
        self.version = version
        self.flexible = flexible
        self.lines: list[str] = []
        prefixes = ("read_", "write_", "raise_", "skip_")
        self.names: dict[str, Any] = {n: f for n, f in vars(primitives).items() if n.startswith(prefixes)}
        self._depth = 2
        self._count = 0

    def emit(self, line: str) -> None:
        self.lines.append("    " * self._depth + line)

    @contextmanager
    def block(self, opening: str) -> Iterator[None]:
        self.emit(opening)
        self._depth += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.emit("pass")
        self._depth -= 1

    def fresh(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def constant(self, stem: str, value: Any) -> str:
        name = self.fresh(stem)
        self.names[name] = value
        return name

    def struct_method(self, format: str, method: str) -> str:
        """The name of a bound method of the Struct with this format."""
        name = f"{method}_{format.replace('?', 'o')}"
        if name not in self.names:
            self.names[name] = getattr(struct.Struct(">" + format), method)
        return name

    def is_compact(self, field: Field) -> bool:
        return self.flexible and field.flexible

    def is_tagged_nullable_struct(self, field: Field) -> bool:
        """Such a one says by a varint whether it is there, 0 or 1; elsewhere it is a signed byte, -1 or 1 (KIP-893)."""
        is_struct = not isinstance(field.type, str) and not field.array
        return is_struct and field.tag is not None and field.is_nullable_in(self.version)

    def function(self, signature: str, label: str, last_lines: list[str], caught: str) -> Any:
        """Compile; every failure listed in `caught` leaves as a WireError that names the message."""
        body = "\n".join(self.lines + ["        " + line for line in last_lines])
        text = (
            f"def run({signature}):\n    try:\n{body}\n"
            f"    except WireError as error:\n        raise WireError(f'{label}: {{error}}') from None\n"
            f"    except ({caught}) as error:\n        raise WireError(f'{label}: {{error}}') from error\n"
        )
        self.names["WireError"] = primitives.WireError
        self.names["StructError"] = struct.error
        exec(compile(text, f"<{label}>", "exec"), self.names)
        run = self.names["run"]
        run.source = text
        return run

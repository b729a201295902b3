"""Names of Avro types: what may be one, how it is put together with a namespace, and how short it may be written."""

from __future__ import annotations

import re
from dataclasses import dataclass

from riacho.schemas.parsed import SchemaError

SHOWN_MAX = 200

_COMMON = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# A type of such a name is written in full even inside its namespace, where the short name would mean the kind of type.
_KINDS = frozenset(
    "record enum array map union fixed string bytes int long float double boolean null".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Name:
    """`space` is None outside of any namespace."""

    simple: str
    space: str | None

    @property
    def full(self) -> str:
        return self.simple if self.space is None else f"{self.space}.{self.simple}"

    def within(self, space: str | None) -> str:
        """As a reference inside of that namespace is written."""
        return (
            self.simple if self.space is not None and self.space == space and self.simple not in _KINDS else self.full
        )


def name_of(text: str, space: str | None) -> Name:
    """A dot in the name itself tells the namespace, whatever `space` says."""
    before, dot, simple = text.rpartition(".")
    if dot:
        space = before
    check_name(simple)
    return Name(simple, space or None)


def check_name(name: str) -> None:
    """As Java's Avro since 1.12: letters and digits of any script, not only ASCII; none beyond the basic plane."""
    if _COMMON.fullmatch(name):
        return
    if not name:
        raise SchemaError("Empty name")
    if not (_is_letter(name[0]) or name[0] == "_"):
        raise SchemaError(f"Illegal initial character: {shown(name)}")
    if not all(_is_letter(c) or c == "_" or c.isdecimal() for c in name):
        raise SchemaError(f"Illegal character in: {shown(name)}")


def check_namespace(space: str | None) -> None:
    for part in space.split(".") if space else ():
        try:
            check_name(part)
        except SchemaError as error:
            raise SchemaError(f'Namespace part "{shown(part)}" is invalid: {error}') from None


def shown(name: str) -> str:
    """As an error text has it: what is said in one sentence has no line ends, and an end."""
    plain = name if name.isprintable() else ascii(name)[1:-1]
    return plain if len(plain) <= SHOWN_MAX else f"{plain[:SHOWN_MAX]}..."


def _is_letter(c: str) -> bool:
    return c.isalpha() and c <= "\uffff"

"""What inference of columns has in common over formats: how names are taken, and what has no type."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from riacho.pipelines.sql.types import Field, SqlType, Struct

NESTING_MAX = 100
DECIMAL_PRECISION_DEFAULT = 64

# Upper case, as identifiers without quotes are; a schema that is named by its id keeps its names.
Naming: TypeAlias = Callable[[str], str]


class UnsupportedTypeError(Exception):
    """A field without a type that ksqlDB has: it is left out of the columns."""


def upper_case(name: str) -> str:
    return name.upper()


def as_written(name: str) -> str:
    return name


def struct_of(parts: Iterable[tuple[str, Callable[[], SqlType]]], naming: Naming) -> Struct:
    """Fields of types that are not supported are left out; of two with one name the later one stays."""
    found: dict[str, SqlType] = {}
    for name, type_of in parts:
        try:
            found[naming(name)] = type_of()
        except UnsupportedTypeError:
            continue
    return Struct(tuple(Field(name, kind) for name, kind in found.items()))

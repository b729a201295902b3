"""Parts of a node for tests: the real ones that a test has, and in place of all others something that must not be
touched."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

P = TypeVar("P")


class Untouched:
    """In place of a part that the code under test has no business with."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{self._name} is touched for its {name}")


def parts_of(kind: type[P], given: Any) -> P:
    """The parts of this kind among the attributes of `given`."""
    return kind(
        **{
            field.name: getattr(given, field.name, Untouched(field.name))
            for field in fields(kind)  # type: ignore[arg-type]
        }
    )

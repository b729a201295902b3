"""What users' Python says about itself: the decorators put these values on functions and classes.

A signature is text, in SQL's types: `(STRING, INT) -> STRING`. The last parameter may have dots behind it,
`(STRING...) -> STRING`, and come any number of times. Types with names of their own (CREATE TYPE) are not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.compiler import known_type
from riacho.pipelines.sql.parsing.parser import parse_type
from riacho.pipelines.sql.types import SqlType

ATTRIBUTE = "__ksql_function__"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
_SIGNATURE = re.compile(r"\s*\((?P<parameters>.*)\)\s*->\s*(?P<result>.+)", re.DOTALL)
_METHODS = ("init", "add", "merge", "result")

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class UserFunctionError(ValueError):
    """A function of a user that cannot be taken: what is wrong with it, in a sentence for the operator."""


class UserKind(Enum):
    SCALAR = "SCALAR"
    TABLE = "TABLE"
    AGGREGATE = "AGGREGATE"


@dataclass(frozen=True, slots=True)
class UserSignature:
    parameters: tuple[SqlType, ...]
    result: SqlType
    is_variadic: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """`implementation` is a function, or the class of an aggregate."""

    name: str
    kind: UserKind
    signatures: tuple[UserSignature, ...]
    implementation: Callable[..., Any]
    about: str = ""


def udf(name: str, *signatures: str, about: str = "") -> Callable[[Decorated], Decorated]:
    """A function for statements, in Python: it gets the values of a row, nulls as None, and gives one.

    What it raises makes the result null. Dates and times come as `datetime` has them, decimals as `decimal.Decimal`,
    structs as dicts.
    """
    return _decorator(name, UserKind.SCALAR, signatures, about)


def udtf(name: str, *signatures: str, about: str = "") -> Callable[[Decorated], Decorated]:
    """A table function for statements, in Python: each thing that it gives, or yields, is a row.

    The type after the arrow is a row's.
    """
    return _decorator(name, UserKind.TABLE, signatures, about)


def udaf(name: str, *signatures: str, about: str = "") -> Callable[[Decorated], Decorated]:
    """An aggregate for statements, as a class in Python: `init()`, `add(state, value, ...)`, `merge(left, right)`,
    `result(state)`, and `undo(state, value, ...)` where it may stand over a table.

    A state is a JSON value: None, numbers, texts, lists and dicts of them.
    """
    return _decorator(name, UserKind.AGGREGATE, signatures, about)


def _decorator(name: str, kind: UserKind, signatures: tuple[str, ...], about: str) -> Callable[[Decorated], Decorated]:
    def decorate(implementation: Decorated) -> Decorated:
        setattr(implementation, ATTRIBUTE, definition(name, kind, signatures, implementation, about))
        return implementation

    return decorate


def definition(
    name: str, kind: UserKind, signatures: tuple[str, ...], implementation: Callable[..., Any], about: str
) -> Definition:
    if _NAME.fullmatch(name) is None:
        raise UserFunctionError(f"A function cannot have the name '{name}'.")
    if not signatures:
        raise UserFunctionError(f"The function {name} has no signature.")
    if kind is UserKind.AGGREGATE:
        missing = [method for method in _METHODS if not callable(getattr(implementation, method, None))]
        if missing:
            raise UserFunctionError(f"The aggregate {name} has no {' and no '.join(missing)}.")
    text = about or (implementation.__doc__ or "").strip().split("\n\n")[0]
    return Definition(name.upper(), kind, tuple(_signature(name, each) for each in signatures), implementation, text)


def _signature(name: str, text: str) -> UserSignature:
    found = _SIGNATURE.fullmatch(text)
    if found is None:
        raise UserFunctionError(f"The signature '{text}' of {name} is not of the form (STRING, INT) -> STRING.")
    listed = found["parameters"].strip()
    is_variadic = listed.endswith("...")
    parameters = [part.strip() for part in _split(listed.removesuffix("..."))] if listed else []
    try:
        return UserSignature(
            tuple(known_type(parse_type(part)) for part in parameters),
            known_type(parse_type(found["result"])),
            is_variadic,
        )
    except KsqlError as error:
        raise UserFunctionError(f"The signature '{text}' of {name} has a type that is none: {error.message}") from None


def _split(text: str) -> list[str]:
    """At commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]

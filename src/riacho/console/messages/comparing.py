"""What the operators of expressions mean for any two values: a bool, and never an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

_NUMBER_LENGTH_MAX = 40
_encode_json = msgspec.json.Encoder().encode


class Operator(NamedTuple):
    """`is_literal`: with a text on its right side, it holds only where that text stands on its left."""

    name: str
    holds: Callable[[Any, Any], bool]
    is_literal: bool = False


def path_of(value: Any, steps: tuple[str | int, ...]) -> Any:
    """What the steps lead to; None where they lead nowhere."""
    for step in steps:
        if isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list):
            value = value[step] if step < len(value) else None
        else:
            return None
    return value


def lowered(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def length_of(value: Any) -> int | None:
    return len(value) if isinstance(value, str | list | dict) else None


def equal(left: Any, right: Any) -> bool:
    left, right = _alike(left, right)
    # In Python 1 is True.
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def _not_equal(left: Any, right: Any) -> bool:
    return not equal(left, right)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def holds(left: Any, right: Any) -> bool:
        left, right = _alike(left, right)
        is_comparable = (is_number(left) and is_number(right)) or (isinstance(left, str) and isinstance(right, str))
        return is_comparable and compare(left, right)

    return holds


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    """A text that is written like a number is that number where the other side is one."""
    if isinstance(left, str) and is_number(right):
        return number_in(left), right
    if isinstance(right, str) and is_number(left):
        return left, number_in(right)
    return left, right


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def number_in(text: str) -> int | float | None:
    """The number that a text is written like; None where it is not."""
    if len(text) > _NUMBER_LENGTH_MAX:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _contains(left: Any, right: Any) -> bool:
    if isinstance(left, str):
        return isinstance(right, str) and right in left
    if isinstance(left, list):
        return any(equal(each, right) for each in left)
    if isinstance(left, dict):
        # As a whole it is searched as it is shown.
        return isinstance(right, str) and right in _encode_json(left).decode()
    return False


def _starts(left: Any, right: Any) -> bool:
    return isinstance(left, str) and isinstance(right, str) and left.startswith(right)


def _ends(left: Any, right: Any) -> bool:
    return isinstance(left, str) and isinstance(right, str) and left.endswith(right)


def _in(left: Any, right: Any) -> bool:
    return isinstance(right, list | str | dict) and _contains(right, left)


OPERATORS: dict[str, Operator] = {
    each.name: each
    for each in (
        Operator("==", equal, is_literal=True),
        Operator("!=", _not_equal),
        Operator("<", _ordered(lambda left, right: left < right)),
        Operator("<=", _ordered(lambda left, right: left <= right)),
        Operator(">", _ordered(lambda left, right: left > right)),
        Operator(">=", _ordered(lambda left, right: left >= right)),
        Operator("contains", _contains),
        Operator("startswith", _starts, is_literal=True),
        Operator("endswith", _ends, is_literal=True),
        Operator("in", _in),
        # Compiled when it is parsed.
        Operator("matches", lambda left, right: False),
    )
}

"""Python's regular expressions, kept from taking for ever.

An engine that goes back and tries again takes time exponential in the text where a repetition is inside of another, and
else a power of it: one for where the match begins, one for each repetition, times the choices that do not depend on the
text. The pattern tells them all; from them follows how long a text may be.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from riacho.schemas.parsed import DataError, SchemaError

Search = Callable[[str], object]

_STEPS_MAX = 10**7  # some tenths of a second
_LENGTH_MAX_IF_EXPONENTIAL = 12
# Choices inside of what is repeated more often are taken for those inside of what is repeated without end.
_TIMES_MAX = 8
_RANGE_MAX = 16
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


class _Cost(NamedTuple):
    """Steps for a text of length n: at most `factor` times n to the `power`."""

    power: int = 1
    factor: int = 1


class _ExponentialError(Exception):
    pass


def python_search(pattern: str) -> Search:
    """SchemaError when it is no regular expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search = re.compile(pattern).search
            parsed = re._parser.parse(pattern)
    except (re.error, RecursionError, OverflowError, ValueError) as error:
        raise SchemaError(f"Invalid regular expression {pattern[:80]!r}: {error}") from None
    length_max = _length_max(parsed)

    def bounded(text: str) -> object:
        if len(text) > length_max:
            raise DataError(f"The regular expression {pattern[:80]!r} may take too long for so long a text")
        return search(text)

    return bounded


def _length_max(parsed: Any) -> int:
    try:
        cost = _cost(parsed, 1, _Cost())
    except _ExponentialError:
        return _LENGTH_MAX_IF_EXPONENTIAL
    return max(_LENGTH_MAX_IF_EXPONENTIAL, int((_STEPS_MAX / cost.factor) ** (1 / cost.power)))


def _cost(parsed: Any, times: int, cost: _Cost) -> _Cost:
    """`times`: how often it is repeated, by all that is around it."""
    for operation, argument in parsed:
        inner = times
        if operation.name in _REPEATS:
            low, high = int(argument[0]), int(argument[1])
            if high != low:
                cost = _with_choices(cost, high - low + 1, times)
            inner = times * max(high, 1)
        elif operation.name == "BRANCH":
            cost = _with_choices(cost, len(argument[1]), times)
        for part in _parts(argument):
            cost = _cost(part, inner, cost)
    return cost


def _with_choices(cost: _Cost, choices: int, times: int) -> _Cost:
    if times > _TIMES_MAX:
        raise _ExponentialError
    if choices > _RANGE_MAX:
        return cost._replace(power=cost.power + times)
    factor = cost.factor * choices**times
    if factor > _STEPS_MAX:
        raise _ExponentialError
    return cost._replace(factor=factor)


def _parts(argument: Any) -> Iterator[Any]:
    """The parts of a pattern in what belongs to an operation, however that is put together."""
    if hasattr(argument, "getwidth"):
        yield argument
    elif isinstance(argument, list | tuple):
        for each in argument:
            yield from _parts(each)

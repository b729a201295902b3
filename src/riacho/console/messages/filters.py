"""What is searched for: texts in key, value and headers, fields of JSON, an expression; all of them have to hold.

Filters look at what the caller may see, that is at masked values: what is hidden cannot be found out by searching for
it. `Needles` is what can be said of a match from its bytes alone, so that a search need not decode what it passes by.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from riacho.console.messages.comparing import number_in, path_of
from riacho.console.messages.decode import SHOWS_TEXT
from riacho.console.messages.decoded import Decoded
from riacho.console.messages.expression import Expression, Requirement, parse_expression
from riacho.console.messages.row import Row, View

TEXT_LENGTH_MAX = 4_000
FIELDS_MAX = 20
_PATH = re.compile(r"\$?(?:\.[^.\[\]=]+|\[\d{1,9}\]|\[\"[^\"]*\"\]|\['[^']*'\])+")
_STEP = re.compile(r"\.([^.\[\]=]+)|\[(\d+)\]|\[\"([^\"]*)\"\]|\['([^']*)'\]")


class FilterError(ValueError):
    """A filter that cannot be used, in one sentence."""


class Needles(NamedTuple):
    """What a match has in the bytes of its key and of its value, where these are plain text."""

    key: tuple[bytes, ...] = ()
    value: tuple[bytes, ...] = ()


class Filter(NamedTuple):
    tests: tuple[Callable[[Row], bool], ...] = ()
    requirements: tuple[Requirement, ...] = ()

    def matches(self, row: Row) -> bool:
        return all(test(row) for test in self.tests)

    def needles(self, view: View) -> Needles:
        """None of them where a mask may change what stands there, nor where bytes are shown as something else."""
        key = [r for r in self.requirements if r.root == "key" and _is_literal(r, view.key_format, view.hides_key)]
        value = [
            r for r in self.requirements if r.root == "value" and _is_literal(r, view.value_format, view.hides_value)
        ]
        return Needles(tuple(r.text.encode() for r in key), tuple(r.text.encode() for r in value))


def parse_filter(
    *, key: str = "", value: str = "", header: str = "", fields: Sequence[str] = (), where: str = ""
) -> Filter:
    """FilterError, ExpressionError. Empty texts are no filters."""
    tests: list[Callable[[Row], bool]] = []
    needed: list[Requirement] = []
    for name, text in (("key", key), ("value", value), ("header", header)):
        if len(text) > TEXT_LENGTH_MAX:
            raise FilterError(f"The filter {name} has more than {TEXT_LENGTH_MAX} characters.")
    if len(fields) > FIELDS_MAX:
        raise FilterError(f"There are more than {FIELDS_MAX} filters of fields.")
    if key:
        tests.append(lambda row: _has(row.key, key))
        needed.append(Requirement("key", key))
    if value:
        tests.append(lambda row: _has(row.value, value))
        needed.append(Requirement("value", value))
    if header:
        tests.append(_header_test(header))
    tests += [_field_test(field) for field in fields]
    if where.strip():
        expression: Expression = parse_expression(where)
        tests.append(expression.matches)
        needed += expression.requirements
    return Filter(tuple(tests), tuple(needed))


def _is_literal(needed: Requirement, format: str, is_hidden: bool) -> bool:
    if is_hidden or format not in SHOWS_TEXT:
        return False
    # A text like a number equals numbers too, whose digits in the bytes may be others.
    return not (needed.is_field or format == "json") or number_in(needed.text) is None


def _has(found: Decoded, text: str) -> bool:
    shown = found.text
    return shown is not None and text in shown


def _header_test(text: str) -> Callable[[Row], bool]:
    """`name=text`: a header of that name with the text in it; otherwise any whose name or value has the text."""
    name, sign, part = text.partition("=")
    if sign and name:
        return lambda row: any(own == name and part in (found or "") for own, found in row.headers)
    return lambda row: any(text in own or text in (found or "") for own, found in row.headers)


def _field_test(text: str) -> Callable[[Row], bool]:
    """`$.a.b[0]=x`: the text of that field, or its JSON, is x."""
    if len(text) > TEXT_LENGTH_MAX:
        raise FilterError(f"A filter of a field has more than {TEXT_LENGTH_MAX} characters.")
    match = _PATH.match(text)
    if match is None or text[match.end() : match.end() + 1] != "=":
        raise FilterError(f"The filter of a field has to be like $.a.b=x, and {text[:40]!r} is not.")
    steps = tuple(_step(found) for found in _STEP.finditer(match[0]))
    wanted = text[match.end() + 1 :]

    def holds(row: Row) -> bool:
        tree = row.value.tree
        return isinstance(tree, dict | list) and _is_text(path_of(tree, steps), wanted)

    return holds


def _step(found: re.Match[str]) -> str | int:
    name, index, double, single = found.groups()
    if index is not None:
        return int(index)
    return next(each for each in (name, double, single) if each is not None)


def _is_text(value: Any, wanted: str) -> bool:
    return (value if isinstance(value, str) else Decoded("json", tree=value).text) == wanted

"""Regular expressions: which engine or not, the answer is the same."""

from __future__ import annotations

import re

import pytest

from riacho.schemas.json_schema.pattern import searching
from riacho.schemas.parsed import DataError, SchemaError

TEXTS = (
    "",
    "a",
    "b",
    "c",
    "ab",
    "aa",
    "abc",
    "a1",
    "root",
    "root1",
    "1.2.3.4",
    "a..b",
    "a.b",
    "xy",
    "y",
    "A",
    ")",
    "x1",
)
PATTERNS = (
    r"^(?=.*[0-9])(?!root$)[a-z0-9]+$",
    r"^(?!root)",
    r"^(?=a)",
    r"^(?=a)b|c",
    r"^(?=a|b)[ab]",
    r"^(?=[)])\)",
    r"^(?=\))\)",
    r"^(?=(a|(b)))[abc]+$",
    r"^(?=a)*b",
    r"^(?!.*\.\.)[a-z.]{1,2000}$",
    r"^\u0041$",
    r"(?<=x)y",
    r"(?<!x)y",
    r"(a)\1",
    r"a(?=b)",
    r"^(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?!x)$",
)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_found_is_what_python_finds(pattern: str):
    search = searching(pattern)
    for text in TEXTS:
        assert bool(search(text)) is bool(re.search(pattern, text)), text


@pytest.mark.parametrize("pattern", [r"(?<=x)(a|ab)*$", r"(?=x)(\w+\s?)*$", r"(?<!x)((a*)*)*b", r"(a*)\1(?:b?){30}"])
def test_what_may_take_exponential_time_is_not_asked_of_a_long_text(pattern: str):
    with pytest.raises(DataError):
        searching(pattern)("a" * 100)


def test_how_long_a_text_may_be_depends_on_the_pattern():
    assert not searching(r"(?<=x)y")("y" * 100_000)
    assert not searching(r"(?<=x)a*b")("a" * 1_000)
    with pytest.raises(DataError):
        searching(r"(?<=x)a*a*a*a*a*a*b")("a" * 1_000)


@pytest.mark.parametrize("pattern", ["(", "^(?=a", "^(?=(a)b", "[", r"(?<=a*)b", "a" * 10_001])
def test_what_is_no_regular_expression_is_refused(pattern: str):
    with pytest.raises(SchemaError):
        searching(pattern)

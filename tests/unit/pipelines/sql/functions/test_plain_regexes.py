"""Regular expressions that are surely Java's."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.functions.scalar.plain_regexes import is_plain_replacement, plain_regex


@pytest.mark.parametrize(
    ("pattern", "groups", "matches_empty"),
    [
        ("", 0, True),
        ("a.*b", 0, False),
        (r"(\w+) (?:\d{2,3}|x)", 1, False),
        ("((a)|b)?", 2, True),
        (r"[^a-z\]]+?", 0, False),
        (r"^\$[0-9]+$", 0, False),
    ],
)
def test_plain_ones(pattern: str, groups: int, matches_empty: bool) -> None:
    known = plain_regex(pattern)
    assert known is not None
    assert (known.groups, known.matches_empty) == (groups, matches_empty)


@pytest.mark.parametrize(
    "pattern",
    [
        "(open",
        "a)",
        "*a",
        "a**",
        "[a",
        "[[a]]",
        "[a&&b]",
        r"\p{L}",
        r"\Qx\E",
        "(?i)a",
        "a++",
        r"\x41",
        "é",
        "{",
        "a" * 2_000,
    ],
)
def test_what_is_left_to_java(pattern: str) -> None:
    assert plain_regex(pattern) is None


def test_patterns_are_judged_in_no_time() -> None:
    """Each could be read in more ways than there are atoms; it would take longer than the tests have."""
    for bomb in ("?" * 900 + "\\p", "a?" * 450 + "\\p", "[" + "a" * 900, "(" * 900):
        assert plain_regex(bomb) is None


def test_replacements() -> None:
    assert is_plain_replacement("x", 0)
    assert is_plain_replacement("$1-$0", 1)
    for text in ("$2", "$", "a\\", "${name}", "$x"):
        assert not is_plain_replacement(text, 1)

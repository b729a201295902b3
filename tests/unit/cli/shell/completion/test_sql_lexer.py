"""Colours of SQL."""

from __future__ import annotations

import time

import pytest
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import fragment_list_to_text

from riacho.cli.shell.completion.sql_lexer import SqlLexer, coloured_lines


def _coloured(text: str) -> dict[str, str]:
    """What is coloured, and as what."""
    parts = [(part[0], part[1]) for line in coloured_lines(text) for part in line]
    return {part: style.split()[0].removeprefix("class:sql.") for style, part in parts if style}


def test_each_kind_has_its_colour() -> None:
    text = "SELECT a, `b c`, 'it''s', 1, 2.5, 3e4, ${v} FROM s -- why\n/* more\nlines */ emit changes;"
    assert _coloured(text) == {
        "SELECT": "keyword",
        "`b c`": "name",
        "'it''s'": "string",
        "1": "number",
        "2.5": "number",
        "3e4": "number",
        "${v}": "variable",
        "FROM": "keyword",
        "-- why": "comment",
        "/* more": "comment",
        "lines */": "comment",
        "emit": "keyword",
        "changes": "keyword",
    }


@pytest.mark.parametrize(
    "text", ["SELECT 'open\nFROM", "a\n\nb\n", "", "\n", "/* open\nSELECT", "\x1b[31m", "ç ∑ `", "é" * 9]
)
def test_nothing_is_lost_or_added(text: str) -> None:
    shown = SqlLexer().lex_document(Document(text))
    lines = text.split("\n")
    assert [fragment_list_to_text(shown(number)) for number in range(len(lines))] == lines
    assert shown(len(lines)) == []


def test_what_is_open_goes_on_to_the_end() -> None:
    assert _coloured("x 'SELECT 1\nFROM") == {"'SELECT 1": "string", "FROM": "string"}
    assert _coloured("/* SELECT 1") == {"/* SELECT 1": "comment"}


def test_any_text_is_coloured_in_linear_time() -> None:
    for text in ("'", "''", "/*", "/* *", '`"', "--", "1.", "a:", "${", "1e", "-", "é"):
        took_s = []
        for size in (20_000, 160_000):
            started = time.process_time()
            coloured_lines(text * (size // len(text)))
            took_s.append(time.process_time() - started)
        # Eight times the text; a square would be 64 times the time.
        assert took_s[1] < 24 * max(took_s[0], 0.01), text

"""Lines that are not finished: what is typed last, and how it goes back in quotes."""

from __future__ import annotations

import time

import pytest

from riacho.cli.shell.completion.typed_line import quoted, typed_line
from riacho.cli.shell.line import parse_line


@pytest.mark.parametrize(
    ("text", "words", "word", "quote"),
    [
        ("", [], "", ""),
        ("topic", [], "topic", ""),
        ("topic ", ["topic"], "", ""),
        ("topic 'or ders' x", ["topic", "or ders"], "x", ""),
        ("topic 'or de", ["topic"], "or de", "'"),
        ('topic "or \\" de', ["topic"], 'or " de', '"'),
        ("topic or\\ de", ["topic"], "or de", ""),
        ("topic or\\", ["topic"], "or", ""),
        ("topic \\\n  or", ["topic"], "or", ""),
        ("topic list | grep o", ["grep"], "o", ""),
        ("topic list >out  x", ["topic", "list"], "x", ""),
        ("topic list 2>&1 x", ["topic", "list"], "x", ""),
        ("topic list; group li", ["group"], "li", ""),
        ("a'b c'd", [], "ab cd", ""),
    ],
)
def test_a_line_is_taken_apart_up_to_the_cursor(text: str, words: list[str], word: str, quote: str) -> None:
    line = typed_line(text)
    assert (line.words, line.word, line.quote) == (words, word, quote)
    assert line.start == len(text) or typed_line(text[line.start :]).word == word


def test_behind_a_redirection_stands_a_file() -> None:
    assert [typed_line(f"topic list {sign} x").after for sign in (">", ">>", "2>", "<", "|")] == [
        ">",
        ">>",
        "2>",
        "<",
        "|",
    ]
    assert typed_line("topic list | grep x").is_behind_pipe
    assert not typed_line("topic list > x y").after


@pytest.mark.parametrize(
    "word", ["plain", "two words", "it's", 'a"b', "$(rm -rf)", "a\\b", "`x`", "a;b|c>d", "~x", "*"]
)
def test_what_is_quoted_is_read_back(word: str) -> None:
    for quote in ("", "'", '"'):
        assert parse_line(f"x {quoted(word, quote)}").words == ["x", word]


def test_a_home_directory_stays_one() -> None:
    assert quoted("~/a b") == "~/'a b'"
    assert quoted("~/") == "~/"


def test_long_lines_take_no_longer_than_they_are() -> None:
    started = time.perf_counter()
    for text in ("'" * 9_999, '"\\' * 5_000, "a " * 5_000, "|" * 10_000, "\\\n" * 5_000):
        typed_line(text)
    assert time.perf_counter() - started < 2

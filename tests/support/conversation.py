"""Golden conversations: a text file of `given`, `when` and `then` lines, where the `then` lines can be written anew.

What follows a `when` is what the world did in answer to it. Comments, on lines of their own or after a line, are kept
when a file is rewritten as long as their line still says the same.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

KEYWORDS = ("given", "when", "then")


def replay(path: Path, perform: Callable[[str, str], list[str]], rewrite: bool) -> None:
    """Perform every `given` and `when` line and compare what comes of it with the `then` lines below it."""
    lines = path.read_text().splitlines()
    actual: list[str] = []
    expected: list[str] = []
    answers: list[str] = []
    for line in lines:
        keyword, text = _parse(line)
        if keyword == "then":
            expected.append(line)
            continue
        actual += _written(answers, expected)
        expected, answers = [], []
        actual.append(line)
        if keyword in ("given", "when"):
            answers = perform(keyword, text)
    actual += _written(answers, expected)
    if rewrite:
        path.write_text("\n".join(actual) + "\n")
    else:
        assert actual == lines, "\n".join(["the conversation went otherwise:", *actual])


def _written(answers: list[str], expected: list[str]) -> list[str]:
    known = {_parse(line)[1]: line for line in expected}
    return [known.get(answer, f"then    {answer}") for answer in answers]


def _parse(line: str) -> tuple[str, str]:
    """The keyword and its text, without the comment."""
    said = line.split("#", 1)[0].strip()
    keyword, _, text = said.partition(" ")
    assert keyword in KEYWORDS or not said, f"a line must start with given, when or then: {line}"
    return keyword, text.strip()

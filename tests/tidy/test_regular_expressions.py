"""Regular expressions that mean the same to every Python there is from 3.11 on."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src"
# Also of 3.12 and later, where they are one token of several.
_STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def possessive_groups(path: Path) -> list[int]:
    """Lines of raw strings in which a group is repeated possessively."""
    with tokenize.open(path) as file:
        found = [token for token in tokenize.generate_tokens(file.readline) if token.type in _STRINGS]
    return [
        token.start[0] + token.string.count("\n", 0, match.start())
        for token in found
        if not token.string.startswith(('"', "'"))
        for match in re.finditer(r"(?<!\\)\)[*+?]\+", token.string)
    ]


def test_no_group_is_repeated_possessively() -> None:
    # Before 3.11.5 `(?:x|yz)*+` may match what it should not where the group can backtrack (gh-106052); an atomic group
    # around the repetition, `(?>(?:x|yz)*)`, is the same and was right from the start.
    found = {
        f"{path.relative_to(SOURCES)}:{line}" for path in SOURCES.rglob("*.py") for line in possessive_groups(path)
    }
    assert not found


def test_one_that_is_repeated_so_is_found(tmp_path: Path) -> None:
    path = tmp_path / "pattern.py"
    path.write_text('A = "("\nB = r"""x\n(?:a|bc)*+"""\nC = rb"[a-z]++\\)+"\n')
    assert possessive_groups(path) == [3]

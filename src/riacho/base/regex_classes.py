"""Classes of characters by the names that RE2's syntax gives them. All but Unicode's are of ASCII."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

Test = Callable[[str], bool]

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_WORD = _LETTERS | DIGITS | {"_"}
_BY_LETTER = {"d": DIGITS, "w": _WORD, "s": frozenset("\t\n\f\r ")}
_BY_NAME = {
    "alnum": _LETTERS | DIGITS,
    "alpha": _LETTERS,
    "ascii": frozenset(map(chr, range(128))),
    "blank": frozenset("\t "),
    "cntrl": frozenset(map(chr, (*range(32), 127))),
    "digit": DIGITS,
    "graph": frozenset(map(chr, range(33, 127))),
    "lower": frozenset(each for each in _LETTERS if each.islower()),
    "print": frozenset(map(chr, range(32, 127))),
    "punct": _PUNCTUATION,
    "space": frozenset("\t\n\v\f\r "),
    "upper": frozenset(each for each in _LETTERS if each.isupper()),
    "word": _WORD,
    "xdigit": frozenset("0123456789abcdefABCDEF"),
}


def is_word(character: str) -> bool:
    return character in _WORD


def outside(test: Test) -> Test:
    return lambda each: not test(each)


def by_letter(letter: str) -> Test | None:
    """`d` of `\\d` and the like; a capital is everything else."""
    members = _BY_LETTER.get(letter.lower())
    if members is None:
        return None
    return members.__contains__ if letter.islower() else outside(members.__contains__)


def by_name(name: str) -> Test | None:
    """`alpha` of `[:alpha:]`, `^alpha` of `[:^alpha:]`."""
    members = _BY_NAME.get(name.removeprefix("^"))
    if members is None:
        return None
    return outside(members.__contains__) if name.startswith("^") else members.__contains__


def by_category(name: str) -> Test | None:
    """A general category of Unicode, `L` or `Lu`, or all others, `^Lu`."""
    wanted = name.removeprefix("^")
    if not (len(wanted) in (1, 2) and wanted[0] in "CLMNPSZ" and (len(wanted) == 1 or wanted[1].islower())):
        return None

    def test(each: str) -> bool:
        return unicodedata.category(each).startswith(wanted)

    return outside(test) if name.startswith("^") else test

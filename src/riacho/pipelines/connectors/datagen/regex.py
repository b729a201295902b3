"""Text that a regular expression would match, for made-up data. Unbounded repeats go ten further than they must."""

from __future__ import annotations

import random
import re
import string
from typing import Any

from riacho.base.config import ConfigError

# The parser that `re` itself uses: the same syntax, and nothing to get wrong twice.
from re import _constants as codes  # isort: skip
from re import _parser as parser  # isort: skip

_REPEATS_MORE = 10
_PRINTABLE = [chr(code) for code in range(32, 127)]
_CATEGORIES = {
    codes.CATEGORY_DIGIT: string.digits,
    codes.CATEGORY_WORD: string.ascii_letters + string.digits + "_",
    codes.CATEGORY_SPACE: " ",
}
_NEGATED = {
    codes.CATEGORY_NOT_DIGIT: codes.CATEGORY_DIGIT,
    codes.CATEGORY_NOT_WORD: codes.CATEGORY_WORD,
    codes.CATEGORY_NOT_SPACE: codes.CATEGORY_SPACE,
}


class RegexText:
    def __init__(self, pattern: str) -> None:
        try:
            self._parts = list(parser.parse(pattern))
        except re.error as error:
            raise ConfigError(f"The regex {pattern} cannot be used: {error}") from None
        # Everything in it must be of a kind that can be made, and this is the time to say so.
        self.draw(random.Random(0))

    def draw(self, source: random.Random) -> str:
        return _sequence(self._parts, source, {})


def _sequence(parts: Any, source: random.Random, groups: dict[int, str]) -> str:
    return "".join(_one(code, argument, source, groups) for code, argument in parts)


def _one(code: Any, argument: Any, source: random.Random, groups: dict[int, str]) -> str:
    if code is codes.LITERAL:
        return chr(argument)
    if code is codes.NOT_LITERAL:
        return source.choice([letter for letter in _PRINTABLE if ord(letter) != argument])
    if code is codes.ANY:
        return source.choice(_PRINTABLE)
    if code is codes.IN:
        return source.choice(_letters(argument))
    if code is codes.BRANCH:
        return _sequence(source.choice(argument[1]), source, groups)
    if code is codes.SUBPATTERN:
        text = _sequence(argument[3], source, groups)
        if argument[0] is not None:
            groups[argument[0]] = text
        return text
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        least, most, inner = argument
        count = source.randint(least, least + _REPEATS_MORE if most is codes.MAXREPEAT else most)
        return "".join(_sequence(inner, source, groups) for _ in range(count))
    if code is codes.GROUPREF:
        return groups.get(argument, "")
    if code is codes.AT:
        return ""
    raise ConfigError(f"A regex for made-up data cannot have {str(code).lower()}")


def _letters(items: Any) -> list[str]:
    found: list[str] = []
    is_negated = False
    for code, argument in items:
        if code is codes.NEGATE:
            is_negated = True
        elif code is codes.LITERAL:
            found.append(chr(argument))
        elif code is codes.RANGE:
            found += [chr(each) for each in range(argument[0], argument[1] + 1)]
        elif argument in _CATEGORIES:
            found += _CATEGORIES[argument]
        else:
            found += [letter for letter in _PRINTABLE if letter not in _CATEGORIES[_NEGATED[argument]]]
    return [letter for letter in _PRINTABLE if letter not in found] if is_negated else found

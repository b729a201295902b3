"""Regular expressions in RE2's syntax, parsed into a tree.

RE2's syntax is what Kafka takes from clients: it leaves out what cannot be matched in linear time, back-references and
look-around. Matching is `linear_regex.py`'s. Classes of Unicode are known by general category (`\\pL`, `\\p{Lu}`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

from riacho.base.regex_classes import DIGITS, Test, by_category, by_letter, by_name, is_word, outside

# RE2 has the same bounds.
REPEAT_MAX = 1_000
DEPTH_MAX = 200


class RegexError(ValueError):
    """The pattern is not one, or it costs too much."""


@dataclass(frozen=True, slots=True)
class One:
    """One character that passes the test."""

    test: Test


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    part: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """No character, but a place: `^` and `$` of a line, `A` and `z` of the text, `b` and `B` of a word."""

    kind: str


Node = One | Sequence | Choice | Repeat | Place


@dataclass(frozen=True, slots=True)
class _Flags:
    ignore_case: bool = False
    lines: bool = False
    dot_all: bool = False


_ESCAPES = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}


def parse(pattern: str) -> Node:
    return _Parser(pattern).parse()


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0
        self._flags = _Flags()

    def parse(self) -> Node:
        node = self._choice()
        if self._at < len(self._pattern):
            self._fail("unexpected )")
        return node

    def _choice(self) -> Node:
        flags = self._flags
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        # Flags set within a group end with it.
        self._flags = flags
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            if self._take("\\Q"):
                parts += self._quoted()
                self._repeat_last(parts)
                continue
            atom = self._atom()
            if atom is None:
                # Flags are nothing by themselves: what follows repeats what comes before them.
                self._repeat_last(parts)
            else:
                parts.append(self._repeated(atom))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeat_last(self, parts: list[Node]) -> None:
        if self._bounds(peek=True) is None:
            return
        if not parts:
            self._fail("nothing to repeat")
        parts.append(self._repeated(parts.pop()))

    def _quoted(self) -> list[Node]:
        end = self._pattern.find("\\E", self._at)
        text = self._pattern[self._at : end if end >= 0 else None]
        self._at = len(self._pattern) if end < 0 else end + 2
        return [self._one(each) for each in text]

    def _repeated(self, node: Node) -> Node:
        bounds = self._bounds()
        if bounds is None:
            return node
        self._take("?")  # Which match is preferred does not matter where only one is looked for.
        if self._bounds() is not None:
            self._fail("a repetition of a repetition")
        return Repeat(node, *bounds)

    def _bounds(self, *, peek: bool = False) -> tuple[int, int | None] | None:
        at = self._at
        bounds = self._taken_bounds()
        if peek:
            self._at = at
        return bounds

    def _taken_bounds(self) -> tuple[int, int | None] | None:
        if self._take("*"):
            return 0, None
        if self._take("+"):
            return 1, None
        if self._take("?"):
            return 0, 1
        return self._counted()

    def _counted(self) -> tuple[int, int | None] | None:
        end = self._pattern.find("}", self._at)
        if not self._pattern.startswith("{", self._at) or end < 0:
            return None
        low, comma, high = self._pattern[self._at + 1 : end].partition(",")
        if not _is_number(low) or not (_is_number(high) or not high):
            # Not a count, so the brace stands for itself.
            return None
        self._at = end + 1
        least = int(low)
        most = (int(high) if high else None) if comma else least
        if max(least, most or 0) > REPEAT_MAX or (most is not None and most < least):
            self._fail("a repetition out of bounds")
        return least, most

    def _atom(self) -> Node | None:
        """None for flags alone."""
        if self._bounds(peek=True) is not None:
            self._fail("nothing to repeat")
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return One(self._folded(self._set()))
        if character == ".":
            return One((lambda each: True) if self._flags.dot_all else (lambda each: each != "\n"))
        if character in "^$":
            return Place(character if self._flags.lines else {"^": "A", "$": "z"}[character])
        if character == "\\":
            return self._escape()
        return self._one(character)

    def _group(self) -> Node | None:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            self._fail("nested too deeply")
        outer = self._flags
        if self._take("?") and not self._named():
            ends = self._set_flags()
            if ends == ")":
                # For the rest of the group around this.
                self._depth -= 1
                return None
        node = self._choice()
        self._flags = outer
        if not self._take(")"):
            self._fail("missing )")
        self._depth -= 1
        return node

    def _named(self) -> bool:
        if not (self._take("P<") or self._take("<")):
            return False
        name = self._until(">")
        if not name or not all(is_word(each) for each in name):
            self._fail("a bad group name")
        return True

    def _set_flags(self) -> str:
        value = True
        while (flag := self._next()) not in ":)":
            if flag == "-" and value:
                value = False
            elif flag == "i":
                self._flags = replace(self._flags, ignore_case=value)
            elif flag == "m":
                self._flags = replace(self._flags, lines=value)
            elif flag == "s":
                self._flags = replace(self._flags, dot_all=value)
            elif flag != "U":
                self._fail(f"group of unknown kind {flag}")
        return flag

    def _escape(self) -> Node:
        character = self._next()
        if character in "Azb" or character == "B":
            return Place(character)
        test = self._class(character)
        return One(self._folded(test)) if test is not None else self._one(self._literal(character))

    def _class(self, character: str) -> Test | None:
        if character not in "pP":
            return by_letter(character)
        name = self._until("}") if self._take("{") else self._next()
        test = by_category(name)
        if test is None:
            self._fail(f"unknown class {name}")
        return outside(test) if character == "P" else test

    def _literal(self, character: str) -> str:
        """What an escape stands for that is no class."""
        if character in _ESCAPES:
            return _ESCAPES[character]
        if character == "x":
            digits = self._until("}") if self._take("{") else self._next() + self._next()
            return self._numbered(digits, 16)
        if character in "01234567":
            digits = character
            while len(digits) < 3 and self._peek() in tuple("01234567"):
                digits += self._next()
            if character != "0" and len(digits) == 1:
                self._fail("back-references are not supported")
            return self._numbered(digits, 8)
        if not character.isascii() or character.isalnum():
            self._fail(f"unknown escape \\{character}")
        return character

    def _numbered(self, digits: str, base: int) -> str:
        try:
            return chr(int(digits, base))
        except (ValueError, OverflowError):
            self._fail(f"no character {digits}")

    def _set(self) -> Test:
        negated = self._take("^")
        tests: list[Test] = []
        characters: set[str] = set()
        ranges: list[tuple[str, str]] = []
        is_first = True
        while is_first or self._peek() != "]":
            is_first = False
            if self._take("[:"):
                tests.append(self._named_class())
                continue
            low = self._member(tests)
            if low is None:
                continue
            if self._peek() == "-" and self._peek(1) not in ("", "]"):
                self._next()
                high = self._member(tests)
                if high is None or high < low:
                    self._fail("a bad range")
                ranges.append((low, high))
            else:
                characters.add(low)
        self._next()

        def test(each: str) -> bool:
            return (
                each in characters
                or any(low <= each <= high for low, high in ranges)
                or any(member(each) for member in tests)
            )

        inner = self._folded(test)
        return outside(inner) if negated else inner

    def _named_class(self) -> Test:
        name = self._until(":]")
        test = by_name(name)
        if test is None:
            self._fail(f"unknown class {name}")
        return test

    def _member(self, tests: list[Test]) -> str | None:
        """A character of a set, or None for a class, which goes to `tests`."""
        character = self._next()
        if character != "\\":
            return character
        character = self._next()
        test = self._class(character)
        if test is None:
            return self._literal(character)
        tests.append(test)
        return None

    def _one(self, character: str) -> One:
        return One(self._folded(character.__eq__))

    def _folded(self, test: Test) -> Test:
        if not self._flags.ignore_case:
            return test
        return lambda each: test(each) or test(each.lower()) or test(each.upper())

    def _next(self) -> str:
        if self._at >= len(self._pattern):
            self._fail("it ends too early")
        self._at += 1
        return self._pattern[self._at - 1]

    def _peek(self, ahead: int = 0) -> str:
        return self._pattern[self._at + ahead : self._at + ahead + 1]

    def _take(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _until(self, end: str) -> str:
        at = self._pattern.find(end, self._at)
        if at < 0:
            self._fail(f"missing {end}")
        text = self._pattern[self._at : at]
        self._at = at + len(end)
        return text

    def _fail(self, why: str) -> NoReturn:
        raise RegexError(f"at {self._at}: {why}")


def _is_number(text: str) -> bool:
    return 0 < len(text) <= 6 and all(each in DIGITS for each in text)

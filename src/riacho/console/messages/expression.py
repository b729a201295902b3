"""The language of searches: what a message has to be like, in one line.

    value.amount > 100 and key startswith "a" and header["x"] == "y"
    not (value.items[0].sku in ["A1", "B2"]) or value.name matches "^Jo.*"

    or, and, not, parentheses
    == != < <= > >=  contains  startswith  endswith  in  matches (RE2)
    key, value with .name, ["name"], [0] behind them; header["name"]; partition, offset, timestamp, size
    "text" or 'text', numbers, true, false, null, [lists] of these; lower(x), size(x)

A path that leads nowhere is null. What cannot be compared is not equal, nor less or greater: nothing fails once it is
parsed. A text that is written like a number is compared with numbers as that number; `timestamp` is compared with
milliseconds or with a text in ISO 8601. Length and depth are bounded, every part is looked at once a message, and
there is no way out into Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from riacho.console.messages.comparing import OPERATORS, Operator, length_of, lowered, path_of
from riacho.console.messages.patterns import PatternError, searcher
from riacho.console.messages.row import Row

LENGTH_MAX = 4_000
DEPTH_MAX = 40
_SHOWN_MAX = 20
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?(?![\w.]))
  | (?P<name>[A-Za-z_$][\w$-]*)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<sign>==|!=|<=|>=|[<>()\[\].,])
    )""",
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_CONSTANTS = {"true": True, "false": False, "null": None}
_WORDS = {"and", "or", "not", "in", "contains", "startswith", "endswith", "matches", *_CONSTANTS}

Evaluate = Callable[[Row], Any]


class ExpressionError(ValueError):
    """A text that is no expression: one sentence, with where. `position` counts characters from 1."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} at character {position}.")
        self.position = position


class Token(NamedTuple):
    kind: str
    text: str
    at: int


class Operand(NamedTuple):
    """`root` is what it is read from, "" for a literal, which is `value`; `has_path`: something inside of that."""

    evaluate: Evaluate
    root: str = ""
    has_path: bool = False
    value: Any = None


class Requirement(NamedTuple):
    """What a message has to hold to match: `text` somewhere in its key or value (`root`). `is_field`: inside of a
    field."""

    root: str
    text: str
    is_field: bool = False


class Expression(NamedTuple):
    matches: Callable[[Row], bool]
    # All of these; for those who look at bytes before they decode them.
    requirements: tuple[Requirement, ...] = ()


def parse_expression(text: str) -> Expression:
    """ExpressionError."""
    if len(text) > LENGTH_MAX:
        raise ExpressionError(f"The expression has more than {LENGTH_MAX} characters, which ends", LENGTH_MAX)
    return _Parser(_tokens(text)).whole()


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while (start := _SPACE.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        match = _TOKEN.match(text, start)
        if match is None:
            what = "A text that does not end" if text[start] in "\"'" else f"An unexpected {text[start]!r}"
            raise ExpressionError(f"{what} stands", start + 1)
        kind = match.lastgroup or ""
        found.append(Token(kind, match[kind], start + 1))
        at = match.end()
    found.append(Token("end", "", len(text) + 1))
    return found


class _Parser:
    """Recursive descent, bounded in depth."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    def whole(self) -> Expression:
        found = self._either()
        if self._token.kind != "end":
            raise self._unexpected("the end")
        return found

    # --- conditions

    def _either(self) -> Expression:
        parts = [self._all()]
        while self._takes("or"):
            parts.append(self._all())
        if len(parts) == 1:
            return parts[0]
        tests = tuple(part.matches for part in parts)
        return Expression(lambda row: any(test(row) for test in tests))

    def _all(self) -> Expression:
        parts = [self._inverted()]
        while self._takes("and"):
            parts.append(self._inverted())
        if len(parts) == 1:
            return parts[0]
        tests = tuple(part.matches for part in parts)
        needed = tuple(each for part in parts for each in part.requirements)
        return Expression(lambda row: all(test(row) for test in tests), needed)

    def _inverted(self) -> Expression:
        if not self._takes("not"):
            return self._compared()
        with_depth = self._deeper()
        test = self._inverted().matches
        self._depth = with_depth
        return Expression(lambda row: not test(row))

    def _compared(self) -> Expression:
        if self._token.text == "(":
            return self._grouped()
        left_token = self._token
        left = self._operand()
        operator = OPERATORS.get(self._token.text) if self._token.kind in ("name", "sign") else None
        if operator is None:
            # A field by itself: whether it is true.
            return Expression(lambda row: left.evaluate(row) is True)
        self._next += 1
        right_token = self._token
        right = self._operand()
        return self._comparison(operator, left, right, left_token, right_token)

    def _grouped(self) -> Expression:
        before = self._deeper()
        self._next += 1
        inside = self._either()
        self._expect(")")
        self._depth = before
        return inside

    def _comparison(
        self, operator: Operator, left: Operand, right: Operand, left_token: Token, right_token: Token
    ) -> Expression:
        if operator.name == "matches":
            return self._pattern(left, right, right_token)
        left, right = _timed(left, right, left_token), _timed(right, left, right_token)
        first, second, holds = left.evaluate, right.evaluate, operator.holds
        needed = _requirement(operator, left, right)
        return Expression(lambda row: holds(first(row), second(row)), (needed,) if needed else ())

    def _pattern(self, left: Operand, right: Operand, token: Token) -> Expression:
        if right.root or not isinstance(right.value, str):
            raise ExpressionError("After matches a text has to stand, not something else", token.at)
        try:
            search = searcher(right.value)
        except PatternError as error:
            raise ExpressionError(str(error), token.at) from None
        subject = left.evaluate

        def holds(row: Row) -> bool:
            found = subject(row)
            return isinstance(found, str) and search(found)

        return Expression(holds)

    # --- operands

    def _operand(self) -> Operand:
        token = self._token
        if token.kind == "number":
            self._next += 1
            return _literal(_number(token))
        if token.kind == "text":
            self._next += 1
            return _literal(_unescaped(token))
        if token.text == "[":
            return self._list()
        if token.kind == "name":
            if token.text in _CONSTANTS:
                self._next += 1
                return _literal(_CONSTANTS[token.text])
            if token.text in _FUNCTIONS and self._tokens[self._next + 1].text == "(":
                return self._function(token.text)
            return self._path(token)
        raise self._unexpected("a field, a text or a number")

    def _list(self) -> Operand:
        before = self._deeper()
        self._next += 1
        values: list[Any] = []
        while self._token.text != "]":
            if values:
                self._expect(",")
            at = self._token
            item = self._operand()
            if item.root:
                raise ExpressionError("A list has texts and numbers only, and not what stands", at.at)
            values.append(item.value)
        self._next += 1
        self._depth = before
        return _literal(values)

    def _function(self, name: str) -> Operand:
        before = self._deeper()
        self._next += 2
        inner = self._operand().evaluate
        self._expect(")")
        self._depth = before
        apply = _FUNCTIONS[name]
        return Operand(lambda row: apply(inner(row)), root=f"{name}()", has_path=True)

    def _path(self, token: Token) -> Operand:
        root = _ROOTS.get(token.text)
        if root is None or token.text in _WORDS:
            raise self._unexpected("key, value, header, partition, offset, timestamp or size")
        self._next += 1
        steps = tuple(self._steps())
        if token.text in ("header", "headers"):
            return self._header(token, steps)
        if not steps:
            return Operand(root, token.text)
        if token.text not in ("key", "value"):
            raise ExpressionError(f"{token.text} has no fields, and is followed by one", token.at)
        return Operand(lambda row: path_of(root(row), steps), token.text, has_path=True)

    def _header(self, token: Token, steps: tuple[str | int, ...]) -> Operand:
        if len(steps) != 1 or not isinstance(steps[0], str):
            raise ExpressionError('A header is written header["name"], unlike what stands', token.at)
        name = steps[0]
        return Operand(lambda row: row.header(name), "header", has_path=True)

    def _steps(self) -> list[str | int]:
        steps: list[str | int] = []
        while self._token.text in (".", "["):
            self._next += 1
            if self._tokens[self._next - 1].text == ".":
                if self._token.kind != "name":
                    raise self._unexpected("a field's name")
                steps.append(self._token.text)
                self._next += 1
                continue
            token = self._token
            if token.kind == "text":
                steps.append(_unescaped(token))
            elif token.kind == "number" and token.text.isdecimal() and len(token.text) < 10:
                steps.append(int(token.text))
            else:
                raise self._unexpected("a name in quotes or a number")
            self._next += 1
            self._expect("]")
        return steps

    # --- tokens

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _takes(self, word: str) -> bool:
        if self._token.kind == "name" and self._token.text == word:
            self._next += 1
            return True
        return False

    def _expect(self, sign: str) -> None:
        if self._token.kind != "sign" or self._token.text != sign:
            raise self._unexpected(repr(sign))
        self._next += 1

    def _deeper(self) -> int:
        before = self._depth
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise ExpressionError(f"The expression is nested more than {DEPTH_MAX} deep", self._token.at)
        return before

    def _unexpected(self, wanted: str) -> ExpressionError:
        token = self._token
        shown = token.text if len(token.text) <= _SHOWN_MAX else token.text[:_SHOWN_MAX] + "..."
        what = "The expression ends" if token.kind == "end" else f"{shown} stands"
        return ExpressionError(f"{what} where {wanted} is wanted,", token.at)


_ROOTS: dict[str, Evaluate] = {
    "key": lambda row: row.key.tree,
    "value": lambda row: row.value.tree,
    "header": lambda row: None,
    "headers": lambda row: None,
    "partition": lambda row: row.partition,
    "offset": lambda row: row.offset,
    "timestamp": lambda row: row.timestamp_ms,
    "size": lambda row: row.size_bytes,
}
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {"lower": lowered, "size": length_of}


def _literal(value: Any) -> Operand:
    return Operand(lambda row: value, value=value)


def _number(token: Token) -> int | float:
    if len(token.text) > 40:
        raise ExpressionError("A number of more than 40 characters stands", token.at)
    return float(token.text) if any(sign in token.text for sign in ".eE") else int(token.text)


def _unescaped(token: Token) -> str:
    def plain(match: re.Match[str]) -> str:
        found = match[1]
        return chr(int(found[1:], 16)) if len(found) == 5 else _ESCAPES.get(found, found)

    text = _ESCAPE.sub(plain, token.text[1:-1])
    try:
        # Two escapes may be one character.
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise ExpressionError("A text with half a surrogate pair stands", token.at) from None


def _timed(operand: Operand, other: Operand, token: Token) -> Operand:
    """A text that is compared with `timestamp` is a time; read once."""
    if operand.root or other.root != "timestamp" or not isinstance(operand.value, str):
        return operand
    try:
        moment = datetime.fromisoformat(operand.value)
        milliseconds = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise ExpressionError("timestamp is compared with a text that is no time in ISO 8601", token.at) from None
    return _literal(milliseconds)


def _requirement(operator: Operator, field: Operand, literal: Operand) -> Requirement | None:
    if not operator.is_literal or field.root not in ("key", "value") or literal.root:
        return None
    if not isinstance(literal.value, str) or not literal.value:
        return None
    return Requirement(field.root, literal.value, field.has_path)

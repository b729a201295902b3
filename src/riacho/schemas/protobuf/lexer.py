"""The words of a .proto file: names, numbers, strings and signs, without white space and comments."""

from __future__ import annotations

import re

from riacho.schemas.parsed import SchemaError

# Atomic: where no token follows, white space and comments are not tried again in smaller pieces.
_SPACE = r"(?>(?:[ \t\r\n\f\v]++|//[^\n]*+|/\*.*?\*/)*)"
_TOKEN = re.compile(
    _SPACE
    + r"""(?:
    (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<number>0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fF]?)
  | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<sign>[{}()\[\]<>=;,.:/+-])
    )""",
    re.VERBOSE | re.DOTALL,
)
_REST = re.compile(_SPACE, re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:[xX](?P<hex>[0-9a-fA-F]{1,2})|(?P<octal>[0-7]{1,3})|u(?P<short>[0-9a-fA-F]{4})"
    r"|U(?P<long>[0-9a-fA-F]{8})|(?P<sign>.))",
    re.DOTALL,
)
_SIGNS = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}

END = "end"
# A name is looked up once for each part of its scope; a hostile one would make that slow.
PARTS_MAX = 200
# How much of a token an error shows.
SHOWN_MAX = 40


class Lexer:
    """The tokens of one text, and where reading stands among them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._kinds: list[str] = []
        self._tokens: list[str] = []
        self._starts: list[int] = []
        self._split(text)
        self._go(0)

    def _split(self, text: str) -> None:
        position = 1 if text.startswith("\ufeff") else 0
        while (match := _TOKEN.match(text, position)) is not None:
            kind, position = match.lastgroup or "", match.end()
            start = match.start(kind)
            if kind == "word" and start == match.start() and self._kinds and self._kinds[-1] == "number":
                raise self._error("a number runs into a name", start)
            self._kinds.append(kind)
            self._tokens.append(match[kind])
            self._starts.append(start)
        rest = _REST.match(text, position)
        position = position if rest is None else rest.end()
        if position != len(text):
            raise self._error(self._unreadable(text, position), position)
        self._kinds.append(END)
        self._tokens.append("the end of the file")
        self._starts.append(len(text))

    @staticmethod
    def _unreadable(text: str, position: int) -> str:
        if text[position - 1 : position + 1] == "/*":
            return "a comment has no end"
        start = text[position]
        return "a string has no end" if start in "\"'" else f"unexpected character {start!a}"

    def _error(self, reason: str, position: int) -> SchemaError:
        line = self._text.count("\n", 0, position) + 1
        column = position - (self._text.rfind("\n", 0, position) + 1) + 1
        return SchemaError(f"Syntax error at line {line}, column {column}: {reason}")

    def error(self, reason: str) -> SchemaError:
        """At the token that would be read next."""
        return self._error(reason, self._starts[self._at])

    def _go(self, at: int) -> None:
        self._at = at
        self.kind = self._kinds[at]
        self.token = self._tokens[at]

    def shown(self) -> str:
        token = self.token if len(self.token) <= SHOWN_MAX else self.token[:SHOWN_MAX] + "..."
        return token if self.kind == END else f"'{ascii(token)[1:-1]}'"

    def next(self) -> str:
        token = self.token
        if self.kind != END:
            self._go(self._at + 1)
        return token

    def back(self) -> None:
        """To the token that was read last."""
        self._go(self._at - 1)

    def looks_at(self, sign: str) -> bool:
        return self.token == sign and self.kind == "sign"

    def accept(self, sign: str) -> bool:
        if self.looks_at(sign):
            self._go(self._at + 1)
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.accept(sign):
            raise self.error(f"expected '{sign}' but found {self.shown()}")

    def accept_word(self, word: str) -> bool:
        if self.kind == "word" and self.token == word:
            self._go(self._at + 1)
            return True
        return False

    def word(self) -> str:
        if self.kind != "word":
            raise self.error(f"expected a name but found {self.shown()}")
        return self.next()

    def dotted_name(self) -> str:
        """A name that may be qualified, and may start with a dot."""
        parts = ["."] if self.accept(".") else []
        parts.append(self.word())
        while self.accept("."):
            parts += [".", self.word()]
            if len(parts) > PARTS_MAX:
                raise self.error("a name has too many parts")
        return "".join(parts)

    def integer(self, least: int, most: int) -> int:
        negative = self.accept("-")
        if self.kind != "number":
            raise self.error(f"expected an integer but found {self.shown()}")
        value = parse_integer(self.token)
        if value is None:
            raise self.error(f"expected an integer but found {self.shown()}")
        value = -value if negative else value
        if not least <= value <= most:
            raise self.error(f"{self.shown()} is out of range")
        self._go(self._at + 1)
        return value

    def string(self) -> str:
        """One or more quoted strings, put together. Bytes that are no UTF-8 come as lone surrogates."""
        if self.kind != "string":
            raise self.error(f"expected a string but found {self.shown()}")
        parts = []
        while self.kind == "string":
            parts.append(self._unquoted())
            self._go(self._at + 1)
        return b"".join(parts).decode("utf-8", "surrogateescape")

    def _unquoted(self) -> bytes:
        body = self.token[1:-1]
        if "\\" not in body:
            return body.encode("utf-8", "surrogatepass")
        parts, position = [], 0
        for match in _ESCAPE.finditer(body):
            parts += [body[position : match.start()].encode("utf-8", "surrogatepass"), self._unescaped(match)]
            position = match.end()
        return b"".join([*parts, body[position:].encode("utf-8", "surrogatepass")])

    def _unescaped(self, match: re.Match[str]) -> bytes:
        if match["hex"] or match["octal"]:
            return bytes([int(match["hex"], 16) if match["hex"] else int(match["octal"], 8) & 0xFF])
        if match["short"] or match["long"]:
            code = int(match["short"] or match["long"], 16)
            if code > 0x10FFFF:
                raise self.error("a string names a character that does not exist")
            return chr(code).encode("utf-8", "surrogatepass")
        if match["sign"] not in _SIGNS:
            raise self.error("a string has an unknown escape")
        return bytes([_SIGNS[match["sign"]]])


def parse_integer(text: str) -> int | None:
    """Decimal, 0x and 0-octal; None of what is none of them. No number that matters has more than 20 digits."""
    if len(text) > 32:
        return None
    try:
        if text[:2] in ("0x", "0X"):
            return int(text, 16)
        return int(text, 8) if len(text) > 1 and text[0] == "0" else int(text)
    except ValueError:
        return None

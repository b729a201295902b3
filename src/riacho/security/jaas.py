"""Login settings in Kafka's form: `sasl.jaas.config` is one line of a JAAS file.

`org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="secret";`

Classes are not loaded, only named: what counts is the options. Values are secrets and never in a repr or an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from riacho.base.config import ConfigError

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<comment>//[^\n]*|/\*.*?\*/|\#[^\n]*)
      | "(?P<double>(?:[^"\\]|\\.)*)"
      | '(?P<single>(?:[^'\\]|\\.)*)'
      | (?P<mark>[=;])
      | (?P<word>[^\s=;"']+)
    )""",
    re.VERBOSE | re.DOTALL,
)
# What sections are made of; braces within quotes and comments are none.
_PIECE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\#[^\n]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?P<word>[{}]|[^\s{}"';]+)""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_FLAGS = frozenset({"required", "requisite", "sufficient", "optional"})


class LoginModule(NamedTuple):
    class_name: str
    options: Mapping[str, str]

    def __repr__(self) -> str:
        return f"LoginModule({self.class_name})"

    @property
    def user_passwords(self) -> dict[str, str]:
        """PLAIN's users on the server's side: every `user_<name>="<password>"`."""
        return {name[5:]: value for name, value in self.options.items() if name.startswith("user_")}


class _Token(NamedTuple):
    text: str
    is_mark: bool


def parse_jaas(text: str) -> LoginModule:
    """ConfigError, without the text, when it is not exactly one login module."""
    tokens = _tokens(text)
    if len(tokens) < 3 or tokens[0].is_mark:
        raise ConfigError("sasl.jaas.config has no login module")
    if tokens[1].is_mark or tokens[1].text.lower() not in _FLAGS:
        raise ConfigError(f"sasl.jaas.config has no control flag after {tokens[0].text}")
    options: dict[str, str] = {}
    position = 2
    while position < len(tokens) and not tokens[position].is_mark:
        if position + 2 >= len(tokens) or tokens[position + 1] != ("=", True) or tokens[position + 2].is_mark:
            raise ConfigError("sasl.jaas.config has an option without a value")
        options[tokens[position].text] = tokens[position + 2].text
        position += 3
    if tokens[position:] != [(";", True)]:
        raise ConfigError("sasl.jaas.config must be one login module that ends with a semicolon")
    return LoginModule(tokens[0].text, options)


def jaas_section(text: str, name: str) -> str | None:
    """The body of `name { ... };` in a JAAS file, which `parse_jaas` reads; None where there is no such section."""
    opened: int | None = None
    words: list[str] = []
    for found in _PIECE.finditer(text):
        piece = found["word"]
        if piece == "{":
            opened = found.end() if words[-1:] == [name] else None
        elif piece == "}" and opened is not None:
            return text[opened : found.start()]
        elif piece is not None:
            words.append(piece)
    return None


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        found = _TOKEN.match(text, position, end)
        if found is None:
            raise ConfigError("sasl.jaas.config has a quote that does not end")
        position = found.end()
        quoted = found["double"] if found["double"] is not None else found["single"]
        if quoted is not None:
            tokens.append(_Token(_ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), quoted), False))
        elif found["mark"]:
            tokens.append(_Token(found["mark"], True))
        elif found["word"]:
            tokens.append(_Token(found["word"], False))
    return tokens

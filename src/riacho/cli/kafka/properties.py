"""Java properties files, and `key=value` words: how Kafka's tools take client settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from riacho.cli.kafka.launch import ToolError

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def load_properties(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return parse_properties(file.read())
    except OSError as error:
        raise ToolError(f"Error: cannot read {path}: {error.strerror}") from None


def parse_properties(text: str) -> dict[str, str]:
    return dict(_split(line) for line in _logical_lines(text))


def _logical_lines(text: str) -> Iterator[str]:
    pending = ""
    for raw in text.splitlines():
        line = raw.lstrip(" \t\f")
        if not pending and (not line or line[0] in "#!"):
            continue
        trailing = len(line) - len(line.rstrip("\\"))
        if trailing % 2:
            pending += line[:-1]
            continue
        yield pending + line
        pending = ""
    if pending:
        yield pending


def _split(line: str) -> tuple[str, str]:
    """The key ends at the first unescaped `=`, `:` or blank."""
    index = 0
    while index < len(line) and line[index] not in "=: \t\f":
        index += 2 if line[index] == "\\" else 1
    value = line[index:].lstrip(" \t\f")
    if value[:1] in ("=", ":"):
        value = value[1:].lstrip(" \t\f")
    return _unescape(line[:index]), _unescape(value)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    out, index = [], 0
    while index < len(text):
        char = text[index]
        if char != "\\" or index + 1 == len(text):
            out.append(char)
            index += 1
        elif text[index + 1] == "u":
            try:
                out.append(chr(int(text[index + 2 : index + 6], 16)))
            except ValueError:
                raise ToolError(f"Error: malformed \\uxxxx escape in '{text}'") from None
            index += 6
        else:
            out.append(_ESCAPES.get(text[index + 1], text[index + 1]))
            index += 2
    return "".join(out)


def key_value_pairs(words: Iterable[str], flag: str) -> dict[str, str]:
    """`--formatter-property print.key=true`: only the first `=` divides, so separators may hold one."""
    pairs = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise ToolError(f"Error: --{flag} takes key=value, not '{word}'")
        pairs[key] = value
    return pairs

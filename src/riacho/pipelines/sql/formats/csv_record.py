"""One CSV record, by the rules of the library that ksqlDB uses (Apache Commons CSV 1.4, its default format).

A field may stand in quotes, in which a quote is doubled; quotes elsewhere are letters. Lines that are empty are passed
over, and what follows the first record is. Written, a field is quoted where it would not be read back, and, by an old
rule of that library, where the record begins with something other than an ASCII letter or digit.
"""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.formats.codec import CodecError

_SPECIAL = ('"', "\n", "\r")


def read_record(text: str, delimiter: str) -> list[str]:
    """CodecError where there is no record, or a quote is wrong."""
    if '"' not in text and "\n" not in text and "\r" not in text:
        if not text:
            raise CodecError("No fields in record")
        return text.split(delimiter)
    return _read_slowly(text.lstrip("\r\n"), delimiter)


def _read_slowly(text: str, delimiter: str) -> list[str]:
    if not text:
        raise CodecError("No fields in record")
    fields: list[str] = []
    at = 0
    while True:
        field, at = _quoted(text, at + 1, delimiter) if text[at : at + 1] == '"' else _plain(text, at, delimiter)
        fields.append(field)
        if text[at : at + 1] != delimiter:
            return fields
        at += 1


def _plain(text: str, start: int, delimiter: str) -> tuple[str, int]:
    ends = [found for found in (text.find(end, start) for end in (delimiter, "\n", "\r")) if found >= 0]
    end = min(ends, default=len(text))
    return text[start:end], end


def _quoted(text: str, start: int, delimiter: str) -> tuple[str, int]:
    """The field whose opening quote stands before `start`, and where it ends; space may follow the closing one."""
    parts: list[str] = []
    while True:
        close = text.find('"', start)
        if close < 0:
            raise CodecError("EOF reached before encapsulated token finished")
        parts.append(text[start:close])
        if text[close + 1 : close + 2] != '"':
            break
        parts.append('"')
        start = close + 2
    at = close + 1
    while at < len(text) and text[at] not in (delimiter, "\n", "\r"):
        if not text[at].isspace():
            raise CodecError("Invalid char between encapsulated token and delimiter")
        at += 1
    return "".join(parts), at


def write_record(fields: Sequence[str | None], delimiter: str) -> str:
    return delimiter.join(
        "" if field is None else _written(field, delimiter, at == 0) for at, field in enumerate(fields)
    )


def _written(field: str, delimiter: str, is_first: bool) -> str:
    if not field:
        return '""' if is_first else ""
    if field.isalnum() and field.isascii() and not delimiter.isalnum():
        return field
    first = field[0]
    if (
        first <= "#"
        or field[-1] <= " "
        or (is_first and not (first.isascii() and first.isalnum()))
        or delimiter in field
        or any(letter in field for letter in _SPECIAL)
    ):
        return '"' + field.replace('"', '""') + '"'
    return field

"""Records as text, both ways: JSON lines that `consume -o json` writes and `produce --json` reads, and `-f` formats.

Bytes that are UTF-8 stand as they are; others stand in base64 under a name that says so (`value_base64`), so a topic
that was written to a file comes back byte for byte.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Headers = Sequence[tuple[str, bytes | None]]


class TextRecord(NamedTuple):
    """A record that was read, with all that is known of it."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


class NewRecord(NamedTuple):
    """A record to send; None for what the client shall choose."""

    value: bytes | None
    key: bytes | None = None
    headers: Headers = ()
    partition: int | None = None
    timestamp_ms: int | None = None


class BadRecord(ValueError):
    """A line that is no record, said in one sentence."""


def to_json_line(record: TextRecord) -> str:
    return json.dumps(
        {
            "topic": record.topic,
            "partition": record.partition,
            "offset": record.offset,
            "timestamp": record.timestamp_ms,
            **_named("key", record.key),
            **_named("value", record.value),
            "headers": [{"name": name, **_named("value", value)} for name, value in record.headers],
        },
        ensure_ascii=False,
    )


def _named(name: str, data: bytes | None) -> dict[str, str | None]:
    if data is None:
        return {name: None}
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data).decode()}


def from_json_line(line: str) -> NewRecord:
    """`{"key": .., "value": .., "headers": .., "partition": .., "timestamp": ..}`; a value may be any JSON."""
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise BadRecord(f"not JSON: {error}") from None
    if not isinstance(fields, dict) or not fields.keys() & {"value", "value_base64"}:
        raise BadRecord('a record is an object with a "value"')
    return NewRecord(
        _bytes_of(fields, "value"),
        _bytes_of(fields, "key"),
        _headers_of(fields.get("headers")),
        _whole(fields, "partition"),
        _whole(fields, "timestamp"),
    )


def _bytes_of(fields: dict[str, Any], name: str) -> bytes | None:
    encoded = fields.get(f"{name}_base64")
    if encoded is not None:
        try:
            return base64.b64decode(encoded, validate=True)
        except (binascii.Error, TypeError, ValueError):
            raise BadRecord(f"{name}_base64 is not base64") from None
    value = fields.get(name)
    if value is None:
        return None
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode()


def _headers_of(value: Any) -> Headers:
    if value is None:
        return ()
    if isinstance(value, dict):
        return tuple((name, _bytes_of(value, name)) for name in value)
    if isinstance(value, list) and all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in value):
        return tuple((item["name"], _bytes_of(item, "value")) for item in value)
    raise BadRecord('headers are {"name": "value"} or [{"name": .., "value": ..}]')


def _whole(fields: dict[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BadRecord(f"{name} is not a whole number")
    return value


# What stands after the percent sign, as in kcat.
_PARTS: dict[str, Callable[[TextRecord], bytes]] = {
    "t": lambda r: r.topic.encode(),
    "p": lambda r: str(r.partition).encode(),
    "o": lambda r: str(r.offset).encode(),
    "k": lambda r: r.key or b"",
    "K": lambda r: str(-1 if r.key is None else len(r.key)).encode(),
    "v": lambda r: r.value or b"",
    "s": lambda r: r.value or b"",
    "S": lambda r: str(-1 if r.value is None else len(r.value)).encode(),
    "T": lambda r: str(r.timestamp_ms).encode(),
    "h": lambda r: b",".join(name.encode() + b"=" + (value or b"") for name, value in r.headers),
    "%": lambda r: b"%",
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\"}


def compile_format(text: str) -> Callable[[TextRecord], bytes]:
    """A `-f` format as a function. ValueError for a letter that means nothing."""
    plain = re.sub(r"\\([ntr0\\])", lambda found: _ESCAPES[found[1]], text)
    pieces: list[bytes | Callable[[TextRecord], bytes]] = []
    position = 0
    for found in re.finditer(r"%(.?)", plain, re.DOTALL):
        if found[1] not in _PARTS:
            raise ValueError(f"%{found[1]} means nothing in a format; there is %t %p %o %k %v %K %S %T %h %%.")
        pieces += [plain[position : found.start()].encode(), _PARTS[found[1]]]
        position = found.end()
    pieces.append(plain[position:].encode())
    return lambda record: b"".join(piece if isinstance(piece, bytes) else piece(record) for piece in pieces)

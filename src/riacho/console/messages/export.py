"""Messages as a file: lines of JSON, CSV or Parquet, written as they are read.

Values are whole here, masked as on the page. A read that cannot go to its end breaks the download off, so that a part
never looks like the whole.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import msgspec

from riacho.console.messages.message import Message
from riacho.console.messages.row import Row
from riacho.console.messages.scan import Scan

ROWS_MAX = 1_000_000
EXPORT_S_MAX = 900.0
_SLICE_ROWS = 500
_GROUP_ROWS = 20_000
_GROUP_BYTES = 16 * 1024 * 1024
_COLUMNS = ("partition", "offset", "timestamp_ms", "timestamp_type", "key", "value", "headers", "key_format",
            "value_format", "schema_id")  # fmt: skip
# How a cell begins that a spreadsheet takes for a formula, in half and in full width; a number is none. The page's own
# files go by the same rule (web-ui/src/format/csv.ts).
_RUNS = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_encode = msgspec.json.Encoder().encode


class ExportError(Exception):
    """The export cannot be made, or not to its end; one sentence."""


class Writer(Protocol):
    """Makes the bytes of a file, some messages at a time."""

    def head(self) -> bytes: ...
    def add(self, messages: list[Message]) -> bytes: ...
    def end(self) -> bytes: ...


class JsonLines:
    def head(self) -> bytes:
        return b""

    def add(self, messages: list[Message]) -> bytes:
        return b"".join([_encode(message) + b"\n" for message in messages])

    def end(self) -> bytes:
        return b""


class Csv:
    """RFC 4180. Null is nothing, and what is empty stands in quotes. What a spreadsheet would run is made a text."""

    def head(self) -> bytes:
        return (",".join(_COLUMNS) + "\r\n").encode()

    def add(self, messages: list[Message]) -> bytes:
        lines = [",".join(map(_csv_field, _fields(message))) + "\r\n" for message in messages]
        return "".join(lines).encode("utf-8", "replace")

    def end(self) -> bytes:
        return b""


def is_parquet_here() -> bool:
    """Whether Parquet can be written. It is looked for, not loaded: that takes a while, and some ten megabytes."""
    return find_spec("pyarrow") is not None


class Parquet:
    """With pyarrow, where it is installed. ExportError."""

    def __init__(self) -> None:
        try:
            self._arrow = import_module("pyarrow")
            parquet = import_module("pyarrow.parquet")
        except ImportError:
            raise ExportError("Parquet needs pyarrow on the console's machine: pip install pyarrow.") from None
        arrow = self._arrow
        self._schema = arrow.schema(
            [
                ("partition", arrow.int32()),
                ("offset", arrow.int64()),
                ("timestamp_ms", arrow.timestamp("ms", "UTC")),
                ("timestamp_type", arrow.string()),
                ("key", arrow.large_string()),
                ("value", arrow.large_string()),
                ("headers", arrow.string()),
                ("key_format", arrow.string()),
                ("value_format", arrow.string()),
                ("schema_id", arrow.int32()),
            ]
        )
        self._pieces = _Pieces()
        self._writer = parquet.ParquetWriter(self._pieces, self._schema, compression="snappy")
        self._rows: list[tuple[Any, ...]] = []
        self._size_bytes = 0

    def head(self) -> bytes:
        return self._pieces.taken()

    def add(self, messages: list[Message]) -> bytes:
        for message in messages:
            self._rows.append(_fields(message))
            self._size_bytes += len(message.value or "") + len(message.key or "")
        if len(self._rows) >= _GROUP_ROWS or self._size_bytes >= _GROUP_BYTES:
            self._write_group()
        return self._pieces.taken()

    def end(self) -> bytes:
        if self._rows:
            self._write_group()
        self._writer.close()
        return self._pieces.taken()

    def _write_group(self) -> None:
        columns = [
            self._arrow.array(list(column), field.type)
            for column, field in zip(zip(*self._rows, strict=True), self._schema, strict=True)
        ]
        self._writer.write_table(self._arrow.Table.from_arrays(columns, schema=self._schema))
        self._rows, self._size_bytes = [], 0


class _Pieces:
    """What a writer of files writes to."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._position = 0

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        self._position += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._position

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def taken(self) -> bytes:
        taken, self._pieces = self._pieces, []
        return b"".join(taken)


# Format -> (how it is written, media type)
WRITERS: dict[str, tuple[Callable[[], Writer], str]] = {
    "ndjson": (JsonLines, "application/x-ndjson"),
    "csv": (Csv, "text/csv; charset=utf-8"),
    "parquet": (Parquet, "application/vnd.apache.parquet"),
}
InThread = Callable[..., Any]


async def exported(scan: Scan, writer: Writer, in_thread: InThread) -> AsyncGenerator[bytes, None]:
    """ExportError where it breaks off."""
    yield writer.head()
    async with aclosing(scan.rows()) as found:
        async for rows in found:
            for first in range(0, len(rows), _SLICE_ROWS):
                piece = await in_thread(_written, writer, rows[first : first + _SLICE_ROWS])
                if piece:
                    yield piece
            if scan.tally.problems:
                raise ExportError(f"The export broke off: {scan.tally.problems[0]}")
    if scan.tally.problems or scan.reason == "time":
        reason = scan.tally.problems[0] if scan.tally.problems else f"it took more than {EXPORT_S_MAX:g} s."
        raise ExportError(f"The export broke off: {reason}")
    yield await in_thread(writer.end)


def _written(writer: Writer, rows: list[Row]) -> bytes:
    return writer.add([row.whole() for row in rows])


def _fields(message: Message) -> tuple[Any, ...]:
    headers = _encode(message.headers).decode() if message.headers else None
    return (
        message.partition,
        message.offset,
        message.timestamp_ms,
        message.timestamp_type,
        message.key,
        message.value,
        headers,
        message.key_decoded.format,
        message.value_decoded.format,
        message.value_decoded.schema_id,
    )


def _csv_field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    text = f"'{value}" if _RUNS.match(value) and not _NUMBER.fullmatch(value) else value
    return '"' + text.replace('"', '""') + '"'

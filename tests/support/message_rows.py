"""Rows for tests that are not about batches."""

from __future__ import annotations

from riacho.console.messages.decode import AUTO, Decoder
from riacho.console.messages.row import Masker, Row, View
from riacho.wire.batch import BatchHeader
from riacho.wire.records import Headers, Record, build_batch, header_of_whole_batch


def header(base_offset: int = 0, timestamp_ms: int = 1_000) -> BatchHeader:
    return header_of_whole_batch(
        build_batch([Record(0, 0, None, None)], base_timestamp=timestamp_ms, base_offset=base_offset)
    )


def row(
    value: bytes | None = None,
    key: bytes | None = None,
    headers: Headers | None = None,
    *,
    key_format: str = AUTO,
    value_format: str = AUTO,
    masker: Masker | None = None,
    partition: int = 0,
    offset: int = 0,
    timestamp_ms: int = 1_000,
) -> Row:
    view = View(Decoder(None), key_format, value_format, masker)
    return Row(view, partition, header(offset, timestamp_ms), Record(0, 0, key, value, headers or []))

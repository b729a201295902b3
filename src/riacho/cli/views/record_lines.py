"""How `riacho consume` writes a record: as a line with everything, as JSON, as its bare value, or in a given format."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import click

from riacho.cli.output import styled, visible
from riacho.cli.record_text import TextRecord, compile_format, to_json_line

Form = Callable[[TextRecord], bytes]


def line_form(shape: str, format_: str | None, *, is_coloured: bool) -> Form:
    """What is written of a record. UsageError when the format cannot be understood."""
    if shape == "format":
        try:
            return compile_format(format_ or "")
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    if shape == "json":
        return lambda record: to_json_line(record).encode() + b"\n"
    if shape == "raw":
        return lambda record: (record.value or b"") + b"\n"
    return lambda record: full_line(record, is_coloured=is_coloured).encode() + b"\n"


def full_line(record: TextRecord, *, is_coloured: bool = False) -> str:
    """`orders[0]@42  2026-01-31 10:00:00.000  key  value  header=..`"""
    colour = styled if is_coloured else _plain
    parts = [
        colour(f"{record.topic}[{record.partition}]@{record.offset}".ljust(16), "cyan"),
        colour(_time(record.timestamp_ms), "dim"),
        colour(_text(record.key), "yellow"),
        _text(record.value),
    ]
    if record.headers:
        parts.append(colour(" ".join(f"{name}={_text(value)}" for name, value in record.headers), "dim"))
    return "  ".join(parts)


def _plain(text: str, style: str) -> str:
    return text


def _time(timestamp_ms: int) -> str:
    if timestamp_ms < 0:
        return "-"
    return datetime.fromtimestamp(timestamp_ms / 1000).isoformat(" ", "milliseconds")


def _text(data: bytes | None) -> str:
    """For eyes: one line, whatever the bytes are, and nothing that a terminal would obey."""
    if data is None:
        return "-"
    return visible(data.decode(errors="replace"))

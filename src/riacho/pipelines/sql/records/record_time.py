"""A record's time from one of its columns, where a source or a sink names one (WITH TIMESTAMP = 'column')."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from riacho.pipelines.sql.formats.codec import CodecError, Row

ParseText = Callable[[str], int]


class RecordTimeError(CodecError):
    """A record whose column has no time in it; one sentence."""


@dataclass(frozen=True, slots=True)
class RecordTime:
    column: str
    parse: ParseText | None = None
    """For a column of text: milliseconds since 1970."""

    @staticmethod
    def of(column: str | None, type_text: str | None, pattern: str | None) -> RecordTime | None:
        if column is None:
            return None
        if type_text == "STRING" and pattern is not None:
            from riacho.pipelines.sql.functions.java_time import parse_timestamp

            return RecordTime(column, lambda text: parse_timestamp(text, pattern))
        return RecordTime(column)

    def read(self, key: Row | None, value: Row | None, otherwise_ms: int) -> int:
        """RecordTimeError where the column has no time in it; a row without a value (a tombstone) keeps its own."""
        row = value if value is not None and self.column in value else key
        if row is None or self.column not in row:
            return otherwise_ms
        found: Any = row[self.column]
        if found is None:
            raise RecordTimeError(f"The timestamp column {self.column} is null")
        try:
            time_ms = self.parse(found) if self.parse is not None else int(found)
        except ValueError:
            raise RecordTimeError(f"The timestamp column {self.column} holds no time") from None
        if time_ms < 0:
            raise RecordTimeError(f"The timestamp column {self.column} holds a time before 1970")
        return time_ms

"""Rows that a task does not take: its runner gets each, for the count and the processing log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from riacho.pipelines.tasks.rows import TaskRow


class Reason(Enum):
    NULL_KEY = "null key"
    NULL_VALUE = "null value"
    NEGATIVE_TIME = "negative timestamp"
    EXPIRED_WINDOW = "expired window"


@dataclass(frozen=True, slots=True)
class Dropped:
    """The window's bounds and the stream time of an expired one. A row of a hopping window may be dropped from some of
    its windows and count in others."""

    reason: Reason
    row: TaskRow
    window_start: int | None = None
    window_end: int | None = None
    stream_time: int | None = None

    def __str__(self) -> str:
        if self.reason is not Reason.EXPIRED_WINDOW:
            return reason_text(self.reason)
        return (
            f"Skipping record for expired window. timestamp=[{self.row.time}] "
            f"window=[{self.window_start},{self.window_end}) streamTime=[{self.stream_time}]"
        )


def reason_text(reason: Reason) -> str:
    return f"Skipping record due to {reason.value}."


OnDropped: TypeAlias = Callable[[Dropped], None]


def ignore(dropped: Dropped) -> None:
    """Nobody asked."""

"""Which segments a log may let go: by age, by size, and by what lies below its start. Always from the oldest on, and
never a record at or above the high watermark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from riacho.log.segment import Segment

if TYPE_CHECKING:
    from riacho.log.log import Log


def deletable(log: Log, now_ms: int) -> list[Segment]:
    """The active segment may be among them, as the last: it is then rolled first."""
    config = log.config
    if not config.deletes:
        return below_log_start(log)
    count = 0
    if config.retention_ms >= 0:
        count = _oldest(log, lambda segment: now_ms - segment.retention_timestamp > config.retention_ms)
    if config.retention_size_bytes >= 0:
        surplus = log.size_bytes - config.retention_size_bytes

        def is_surplus(segment: Segment) -> bool:
            nonlocal surplus
            surplus -= segment.size_bytes
            return surplus >= 0

        count = max(count, _oldest(log, is_surplus))
    doomed = list(log.segments)[:count]
    below = below_log_start(log)
    return doomed if len(doomed) >= len(below) else below


def below_log_start(log: Log) -> list[Segment]:
    """Segments that lie wholly below the log start; never the active one."""
    segments = log.segments
    count = 0
    while count + 1 < len(segments) and segments[count + 1].base_offset <= log.log_start_offset:
        count += 1
    return list(segments)[:count]


def _oldest(log: Log, goes: Callable[[Segment], bool]) -> int:
    segments = log.segments
    for number, segment in enumerate(segments):
        end_offset = segments.end_of(number, log.log_end_offset)
        empty_active = segment is segments.active and not segment.size_bytes
        if empty_active or end_offset > log.high_watermark or not goes(segment):
            return number
    return len(segments)

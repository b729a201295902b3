"""The segments of one log, in order of their base offsets. There is always at least one; the last is the active one."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

from riacho.log.file_slice import FileSlice
from riacho.log.segment import Segment


class Segments:
    __slots__ = ("_bases", "_segments", "active")

    active: Segment

    def __init__(self, segments: list[Segment]) -> None:
        self._segments: list[Segment] = []
        self._bases: list[int] = []
        self._set(segments)

    def __iter__(self) -> Iterator[Segment]:
        return iter(self._segments)

    def __len__(self) -> int:
        return len(self._segments)

    def __getitem__(self, number: int) -> Segment:
        return self._segments[number]

    @property
    def first(self) -> Segment:
        return self._segments[0]

    @property
    def size_bytes(self) -> int:
        return sum(segment.size_bytes for segment in self._segments)

    def number_of(self, offset: int) -> int:
        """The number of the segment whose range has `offset`; 0 for an offset below them all."""
        return max(0, bisect.bisect_right(self._bases, offset) - 1)

    def from_offset(self, offset: int) -> list[Segment]:
        return self._segments[self.number_of(offset) :]

    def end_of(self, number: int, log_end_offset: int) -> int:
        """The offset at which segment `number` ends and the next begins."""
        return self._bases[number + 1] if number + 1 < len(self._bases) else log_end_offset

    def read(
        self, offset: int, size_bytes_max: int, end_offset: int, at_least_one: bool, log_end_offset: int
    ) -> FileSlice | None:
        """What `Log.read` says, of an offset within the log. Nothing is read here but, where needed, batch headers."""
        segments = self._segments
        number = len(segments) - 1 if offset >= self.active.base_offset else self.number_of(offset)
        while number < len(segments):
            segment = segments[number]
            if segment.base_offset >= end_offset:
                return None
            position = segment.position_of(offset)
            if position is not None:
                end = segment.size_bytes
                if end_offset < self.end_of(number, log_end_offset):
                    # The batch that holds the end offset stays out, whole.
                    limit = segment.position_of(end_offset)
                    end = end if limit is None else limit
                size = _fit(segment, position, end - position, size_bytes_max, at_least_one)
                return FileSlice(segment.open_file(), position, size, offset) if size > 0 else None
            # Compaction may leave a gap at the end of a segment: the next record is in the next one.
            number += 1
        return None

    def add(self, segment: Segment) -> None:
        assert segment.base_offset > self.active.base_offset, "segments are added at the end"
        self._segments.append(segment)
        self._bases.append(segment.base_offset)
        self.active = segment

    def remove(self, doomed: list[Segment], instead: list[Segment] | None = None) -> None:
        """Take segments out, and put others in their place."""
        gone = set(map(id, doomed))
        kept = [segment for segment in self._segments if id(segment) not in gone] + (instead or [])
        assert kept, "a log has at least one segment"
        self._set(kept)

    def _set(self, segments: list[Segment]) -> None:
        self._segments = sorted(segments, key=lambda segment: segment.base_offset)
        self._bases = [segment.base_offset for segment in self._segments]
        self.active = self._segments[-1]


def _fit(segment: Segment, position: int, size_bytes: int, size_bytes_max: int, at_least_one: bool) -> int:
    if size_bytes <= size_bytes_max:
        return size_bytes
    first = segment.batch_size_at(position)
    if first <= size_bytes_max:
        return size_bytes_max
    return first if at_least_one else 0

"""The segments of one log, in order of their base offsets. There is always at least one; the last is the active one."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

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

"""`.index`: from offsets to positions in the segment, one entry for every `index.interval.bytes` of log.

An entry (relative offset int32, position int32) names the last offset of a batch and the position where that batch
starts, so a search for an offset begins at the last entry that is not above it.
"""

from __future__ import annotations

import bisect
import struct

from riacho.base.ports import Files
from riacho.log.index_file import IndexFile
from riacho.log.real_files import REAL_FILES

_ENTRY = struct.Struct(">ii")
OFFSET_INDEX_ENTRY_SIZE_BYTES = _ENTRY.size


class OffsetIndex:
    __slots__ = ("_base_offset", "_file")

    def __init__(self, path: str, base_offset: int, *, new: bool, files: Files = REAL_FILES) -> None:
        self._base_offset = base_offset
        self._file = IndexFile(path, _ENTRY, new=new, files=files)

    def __len__(self) -> int:
        return len(self._file)

    @property
    def path(self) -> str:
        return self._file.path

    def add(self, offset: int, position: int) -> None:
        self._file.add(_ENTRY.pack(offset - self._base_offset, position))

    def entries(self) -> list[tuple[int, int]]:
        return [self._entry(number) for number in range(len(self._file))]

    def last(self) -> tuple[int, int]:
        """(offset, position) of the last entry; the start of the segment when there is none."""
        count = len(self._file)
        return self._entry(count - 1) if count else (self._base_offset, 0)

    def lookup(self, offset: int) -> tuple[int, int]:
        """The last entry at or below `offset`."""
        entry = self._file.floor(offset - self._base_offset)
        return (self._base_offset, 0) if entry is None else (self._base_offset + entry[0], entry[1])

    def position_before(self, position: int) -> int:
        """The start of a batch at or before `position`: the last that the index knows of."""
        if position <= 0:
            return 0
        number = bisect.bisect_right(range(len(self._file)), position, key=lambda at: self._file.entry(at)[1])
        return self._file.entry(number - 1)[1] if number else 0

    def truncate_to(self, offset: int) -> None:
        """Drop every entry at or above `offset`."""
        self._file.truncate(self._file.count_up_to(offset - 1 - self._base_offset))

    def is_sound(self, segment_size_bytes: int) -> bool:
        """Whether the file can belong to a segment of that size."""
        if not self._file.is_sound():
            return False
        offset, position = self.last()
        return offset >= self._base_offset and 0 <= position <= segment_size_bytes

    def clear(self) -> None:
        self._file.clear()

    def persist(self) -> None:
        self._file.persist()

    def _entry(self, number: int) -> tuple[int, int]:
        relative, position = self._file.entry(number)
        return self._base_offset + relative, position

"""`.timeindex`: from timestamps to offsets.

An entry (timestamp int64, relative offset int32) says: up to this offset no timestamp is greater than this one. Both
fields only grow. When a segment is rolled or closed its last entry is the segment's greatest timestamp, which is what
retention goes by after a restart.
"""

from __future__ import annotations

import struct

from riacho.base.ports import Files
from riacho.log.index_file import IndexFile
from riacho.log.real_files import REAL_FILES

_ENTRY = struct.Struct(">qi")
TIME_INDEX_ENTRY_SIZE_BYTES = _ENTRY.size
NO_TIMESTAMP = -1


class TimeIndex:
    __slots__ = ("_base_offset", "_file", "_last")

    def __init__(self, path: str, base_offset: int, *, new: bool, files: Files = REAL_FILES) -> None:
        self._base_offset = base_offset
        self._file = IndexFile(path, _ENTRY, new=new, files=files)
        self._last: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self._file)

    @property
    def path(self) -> str:
        return self._file.path

    def maybe_add(self, timestamp: int, offset: int) -> None:
        """Add an entry if it says something new."""
        if timestamp > self.last()[0]:
            self._file.add(_ENTRY.pack(timestamp, offset - self._base_offset))
            self._last = (timestamp, offset)

    def entries(self) -> list[tuple[int, int]]:
        return [self._entry(number) for number in range(len(self._file))]

    def last(self) -> tuple[int, int]:
        """(timestamp, offset) of the last entry."""
        if self._last is None:
            count = len(self._file)
            self._last = self._entry(count - 1) if count else (NO_TIMESTAMP, self._base_offset)
        return self._last

    def lookup(self, timestamp: int) -> tuple[int, int]:
        """The last entry at or below `timestamp`: a search for a later record may begin at its offset."""
        entry = self._file.floor(timestamp)
        return (NO_TIMESTAMP, self._base_offset) if entry is None else (entry[0], self._base_offset + entry[1])

    def truncate_to(self, offset: int) -> None:
        """Drop every entry at or above `offset`."""
        count = len(self._file)
        while count and self._entry(count - 1)[1] >= offset:
            count -= 1
        self._file.truncate(count)
        self._last = None

    def is_sound(self) -> bool:
        if not self._file.is_sound():
            return False
        count = len(self._file)
        if not count:
            return True
        first, last = self._entry(0), self._entry(count - 1)
        return last[0] >= first[0] and last[1] >= first[1] >= self._base_offset

    def clear(self) -> None:
        self._file.clear()
        self._last = None

    def persist(self) -> None:
        self._file.persist()

    def _entry(self, number: int) -> tuple[int, int]:
        timestamp, relative = self._file.entry(number)
        return timestamp, self._base_offset + relative

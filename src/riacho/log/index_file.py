"""A file of sorted, fixed-size entries: what the offset index and the time index have in common.

Kafka maps index files into memory at their full size (10 MiB) while their segment is active. Here an entry is held in
memory until a page of them is full, or the segment is flushed, rolled or closed; then they are appended to the file.
Losing the unwritten ones costs nothing: after a crash, the indexes of every segment past the recovery point are made
anew from the segment. No descriptor stays open: a look-up that misses the entries in memory opens the file and
bisects it. Files that Kafka left at full size are read up to their zero padding.
"""

from __future__ import annotations

import bisect
import contextlib
import os
from struct import Struct

from riacho.base.ports import Files
from riacho.log.real_files import REAL_FILES

_PENDING_SIZE_BYTES = 4096
# A file that is no larger is read whole when it is first looked at, and one of a few entries is kept in memory too:
# most partitions are small, and there may be thousands of them.
_READ_SIZE_BYTES = 4096
_KEPT_SIZE_BYTES = 128
_READING = os.O_RDONLY | os.O_CLOEXEC


class IndexFile:
    """Entries by number: first those in the file, then those still in memory."""

    __slots__ = ("_files", "_kept", "_pending", "_stored", "entry_struct", "path")

    def __init__(self, path: str, entry_struct: Struct, *, new: bool, files: Files = REAL_FILES) -> None:
        self._files = files
        self.path = path
        self.entry_struct = entry_struct
        # None: the file has not been looked at yet.
        self._stored: int | None = 0 if new else None
        self._pending = bytearray()
        # What the file holds, if it is little and was read; no longer than it is so.
        self._kept = b""

    def __len__(self) -> int:
        stored = self._stored
        return (self._load() if stored is None else stored) + len(self._pending) // self.entry_struct.size

    def add(self, packed: bytes) -> None:
        if self._stored is None:
            self._load()
        self._pending += packed
        if len(self._pending) >= _PENDING_SIZE_BYTES:
            # A full disk must not fail the append that brought this entry; the next entry tries again.
            with contextlib.suppress(OSError):
                self.persist()

    def entry(self, number: int) -> tuple[int, ...]:
        stored = self._load() if self._stored is None else self._stored
        size = self.entry_struct.size
        if number >= stored:
            return self.entry_struct.unpack_from(self._pending, (number - stored) * size)
        if self._kept:
            return self.entry_struct.unpack_from(self._kept, number * size)
        fd = self._files.open(self.path, _READING)
        try:
            return self.entry_struct.unpack(self._files.pread(fd, size, number * size))
        finally:
            self._files.close(fd)

    def count_up_to(self, limit: int) -> int:
        """How many entries have a first field of `limit` or less."""
        return self._search(limit)[0]

    def floor(self, limit: int) -> tuple[int, ...] | None:
        """The last entry with a first field of `limit` or less."""
        return self._search(limit)[1]

    def _search(self, limit: int) -> tuple[int, tuple[int, ...] | None]:
        stored = self._load() if self._stored is None else self._stored
        unpack = self.entry_struct.unpack_from
        size = self.entry_struct.size
        pending = self._pending
        if pending and unpack(pending, 0)[0] <= limit:
            starts = range(0, len(pending), size)
            count = bisect.bisect_right(starts, limit, key=lambda at: unpack(pending, at)[0])
            return stored + count, unpack(pending, (count - 1) * size)
        if not stored:
            return 0, None
        pread = self._files.pread
        fd = self._files.open(self.path, _READING)
        try:
            count = bisect.bisect_right(
                range(stored), limit, key=lambda number: unpack(pread(fd, size, number * size))[0]
            )
            return count, unpack(pread(fd, size, (count - 1) * size)) if count else None
        finally:
            self._files.close(fd)

    def truncate(self, count: int) -> None:
        """Keep the first `count` entries."""
        stored = self._load() if self._stored is None else self._stored
        size = self.entry_struct.size
        if count >= stored:
            del self._pending[(count - stored) * size :]
            return
        self._pending.clear()
        self._kept = b""
        self._files.truncate(self.path, count * size)
        self._stored = count

    def clear(self) -> None:
        """Forget everything, whatever state the file is in."""
        self._pending.clear()
        self._kept = b""
        self._stored = 0
        with contextlib.suppress(FileNotFoundError):
            self._files.truncate(self.path, 0)

    def persist(self) -> None:
        """Bring the file up to date; entries that a failed write left behind are overwritten by the next try."""
        if not self._pending and self._stored is not None and self._files.exists(self.path):
            return
        stored = self._load() if self._stored is None else self._stored
        self._kept = b""
        size = self.entry_struct.size
        files = self._files
        fd = files.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            # Of a copy: while somebody handles a failed write, its frames hold this, and the entries may have to go.
            view = memoryview(bytes(self._pending))
            at = stored * size
            while view:
                written = files.pwrite(fd, view, at)
                at += written
                view = view[written:]
            files.ftruncate(fd, at)
        finally:
            files.close(fd)
        self._stored = at // size
        self._pending = bytearray()

    def is_sound(self) -> bool:
        """Whole entries only."""
        try:
            return self._read() % self.entry_struct.size == 0
        except FileNotFoundError:
            return False

    def _load(self) -> int:
        try:
            self._read()
        except FileNotFoundError:
            self._stored = 0
        return self._stored or 0

    def _read(self) -> int:
        """Find out how many entries the file has; its size. FileNotFoundError when there is none."""
        size = self.entry_struct.size
        blank = bytes(size)
        files = self._files
        fd = files.open(self.path, _READING)
        try:
            data = files.pread(fd, _READ_SIZE_BYTES + 1, 0)
            size_bytes = len(data)
            if size_bytes <= _READ_SIZE_BYTES:
                count = size_bytes // size
                while count and data[(count - 1) * size : count * size] == blank:
                    count -= 1
                self._kept = data[: count * size] if count * size <= _KEPT_SIZE_BYTES else b""
            else:
                size_bytes = files.fstat(fd).st_size
                count = size_bytes // size
                if files.pread(fd, size, (count - 1) * size) == blank:
                    count = bisect.bisect_left(
                        range(count), True, key=lambda number: files.pread(fd, size, number * size) == blank
                    )
        finally:
            files.close(fd)
        self._stored = count
        return size_bytes

"""`.txnindex`: the aborted transactions whose end marker lies in a segment.

A fetch under read_committed tells the client which producers' records to skip in the range it returns. Entries are
rare, so each is written at once, and the file is read whole when a fetch asks. No file means no aborted transaction.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

from riacho.base.ports import Files
from riacho.log.checkpoints import read_small_file
from riacho.log.real_files import REAL_FILES

_ENTRY = struct.Struct(">hqqqq")
_VERSION = 0


class AbortedTransaction(NamedTuple):
    producer_id: int
    first_offset: int
    last_offset: int
    # The last stable offset at the time of the marker: a fetch that ends below it needs no later entry.
    last_stable_offset: int


class AbortIndex:
    __slots__ = ("_entries", "_files", "_stored", "path")

    def __init__(self, path: str, *, exists: bool, files: Files = REAL_FILES) -> None:
        self._files = files
        self.path = path
        self._entries: list[AbortedTransaction] | None = None if exists else []
        # How many of them are in the file.
        self._stored = 0

    def __iter__(self) -> Iterator[AbortedTransaction]:
        return iter(self._loaded())

    def __len__(self) -> int:
        return len(self._loaded())

    @property
    def is_empty(self) -> bool:
        return not self._loaded()

    def add(self, aborted: AbortedTransaction) -> None:
        self._loaded().append(aborted)
        # The marker stands in the log already: a full disk only puts the entry off to the next flush.
        with contextlib.suppress(OSError):
            self.persist()

    def persist(self) -> None:
        entries = self._entries
        if entries is None or self._stored == len(entries):
            return
        missing = b"".join(_ENTRY.pack(_VERSION, *aborted) for aborted in entries[self._stored :])
        files = self._files
        fd = files.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            files.ftruncate(fd, self._stored * _ENTRY.size)
            if files.pwrite(fd, missing, self._stored * _ENTRY.size) < len(missing):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            files.close(fd)
        self._stored = len(entries)

    def collect(self, start_offset: int, end_offset: int) -> tuple[list[AbortedTransaction], bool]:
        """Those that touch the range, and whether no later segment can hold another one."""
        found: list[AbortedTransaction] = []
        for aborted in self._loaded():
            if aborted.last_offset >= start_offset and aborted.first_offset < end_offset:
                found.append(aborted)
            if aborted.last_stable_offset >= end_offset:
                return found, True
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Drop every entry whose marker is at or above `offset`."""
        entries = self._loaded()
        kept = [aborted for aborted in entries if aborted.last_offset < offset]
        if len(kept) != len(entries):
            if len(kept) < self._stored:
                self._files.truncate(self.path, len(kept) * _ENTRY.size)
                self._stored = len(kept)
            self._entries = kept

    def clear(self) -> None:
        if self._files.exists(self.path):
            self._files.truncate(self.path, 0)
        self._entries, self._stored = [], 0

    def is_sound(self, base_offset: int) -> bool:
        if not self._files.exists(self.path):
            return True
        if self._files.stat(self.path).st_size % _ENTRY.size:
            return False
        return all(aborted.last_offset >= base_offset for aborted in self._loaded())

    def _loaded(self) -> list[AbortedTransaction]:
        entries = self._entries
        if entries is None:
            entries = []
            if self._files.exists(self.path):
                data = read_small_file(self.path, self._files)
                whole = len(data) - len(data) % _ENTRY.size
                entries = [AbortedTransaction(*row[1:]) for row in _ENTRY.iter_unpack(data[:whole])]
            self._entries = entries
            self._stored = len(entries)
        return entries

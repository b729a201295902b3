"""A bounded set of open segment files, shared by every log of the process.

Ten thousand partitions may not hold ten thousand descriptors, so a segment opens its file when it is first touched and
loses it again when others need the place. The clock algorithm chooses: a file that was used since the hand last passed
is spared once. A descriptor is closed when nobody refers to its OpenFile any more, so a response that is still being
sent from a slice of a deleted or evicted segment keeps its bytes.
"""

from __future__ import annotations

import errno
import os
import resource
from typing import Protocol

from riacho.base.ports import Files
from riacho.log.descriptors import is_for_needed
from riacho.log.real_files import RealFiles


class OpenFile:
    """One descriptor, closed with the last reference to this object."""

    __slots__ = ("_close", "fd", "files", "pwrite", "used")

    def __init__(self, fd: int, files: Files) -> None:
        self.fd = fd
        self.files = files
        # Bound early: at the interpreter's exit a module's names go before its objects do.
        self._close = files.close
        # The same for the way of every batch: a name less to look up.
        self.pwrite = files.pwrite
        self.used = True

    def __del__(self) -> None:
        self._close(self.fd)


class Holder(Protocol):
    """Something that keeps an OpenFile in `file` and can do without it."""

    file: OpenFile | None

    @property
    def files(self) -> Files: ...


class OpenFiles:
    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._holders: dict[Holder, None] = {}

    def __len__(self) -> int:
        return len(self._holders)

    def open(self, holder: Holder, path: str, flags: int = os.O_RDWR) -> OpenFile:
        while len(self._holders) >= self.limit:
            self._evict_one()
        try:
            fd = holder.files.open(path, flags | os.O_CLOEXEC)
        except OSError as error:
            # Others (connections) may have taken the descriptors that the limit promised us: give half back.
            if error.errno not in (errno.EMFILE, errno.ENFILE) or not self._holders:
                raise
            self._evict_half()
            fd = holder.files.open(path, flags | os.O_CLOEXEC)
        # The number of a descriptor says something of the system's own alone.
        if isinstance(holder.files, RealFiles) and is_for_needed(fd) and self._holders:
            self._evict_half()
        file = OpenFile(fd, holder.files)
        holder.file = file
        self._holders[holder] = None
        return file

    def release(self, holder: Holder) -> None:
        self._holders.pop(holder, None)
        holder.file = None

    def _evict_half(self) -> None:
        for _ in range((len(self._holders) + 1) // 2):
            self._evict_one()

    def _evict_one(self) -> None:
        while True:
            holder = next(iter(self._holders))
            del self._holders[holder]
            file = holder.file
            if file is None:
                return
            if not file.used:
                holder.file = None
                return
            file.used = False
            self._holders[holder] = None


def _default_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 16_384 if soft == resource.RLIM_INFINITY else max(16, min(16_384, soft // 2))


SHARED = OpenFiles(_default_limit())

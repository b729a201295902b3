"""The real disk behind the port: the system's own calls, with nothing between."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import shutil
from collections.abc import Callable
from typing import Any

# FALLOC_FL_KEEP_SIZE: readers see no longer file.
_KEEP_SIZE = 1


class RealFiles:
    # As they are, so that a write costs no more by this way than by `os`.
    close = staticmethod(os.close)
    pread = staticmethod(os.pread)
    pwrite = staticmethod(os.pwrite)
    ftruncate = staticmethod(os.ftruncate)
    truncate = staticmethod(os.truncate)
    fsync = staticmethod(os.fsync)
    fdatasync = staticmethod(os.fdatasync)
    fstat = staticmethod(os.fstat)
    stat = staticmethod(os.stat)
    exists = staticmethod(os.path.exists)
    rename = staticmethod(os.replace)
    link = staticmethod(os.link)
    unlink = staticmethod(os.unlink)
    listdir = staticmethod(os.listdir)

    def open(self, path: str, flags: int, mode: int = 0o644, /) -> int:
        # The system's own default would make programs of data.
        return os.open(path, flags, mode)

    def directories_in(self, path: str, /) -> list[str]:
        return [entry.name for entry in os.scandir(path) if entry.is_dir()]

    def makedirs(self, path: str, /) -> None:
        os.makedirs(path, exist_ok=True)

    def rmtree(self, path: str, /) -> None:
        shutil.rmtree(path, ignore_errors=True)

    def set_times(self, path: str, accessed_ns: int, modified_ns: int, /) -> None:
        os.utime(path, ns=(accessed_ns, modified_ns))

    def reserve(self, fd: int, position: int, size_bytes: int, /) -> None:
        fallocate = _from_libc("fallocate", ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
        if fallocate is not None and fallocate(fd, _KEEP_SIZE, position, size_bytes):
            raise _last_error()

    def sync_all(self, path: str, /) -> None:
        """Cheaper than syncing thousands of files."""
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            syncfs = _from_libc("syncfs", ctypes.c_int)
            if syncfs is None:
                os.sync()
            elif syncfs(fd):
                raise _last_error()
        finally:
            os.close(fd)

    def lock(self, path: str, /) -> int:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            # The first is what Kafka takes; the second also holds between two brokers of one process.
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            raise
        return fd


@functools.cache
def _from_libc(name: str, *argument_types: Any) -> Callable[..., int] | None:
    found = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if found is not None:
        found.argtypes = argument_types
    return found


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


REAL_FILES = RealFiles()

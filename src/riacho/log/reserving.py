"""Blocks that a file has beyond its end: what is written there later needs no room on the disk."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable

# FALLOC_FL_KEEP_SIZE: readers see no longer file.
_KEEP_SIZE = 1


@functools.cache
def _fallocate() -> Callable[..., int] | None:
    found = getattr(ctypes.CDLL(None, use_errno=True), "fallocate", None)
    if found is not None:
        found.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    return found


def reserve(fd: int, position: int, size_bytes: int) -> None:
    """OSError when there is no room, or the file system knows no such thing."""
    call = _fallocate()
    if call is None:
        return
    if call(fd, _KEEP_SIZE, position, size_bytes):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))

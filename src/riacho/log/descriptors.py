"""Who may have the last file descriptors of the process.

A new descriptor has the lowest number that is free, so its number says how many are in use. Connections leave the last
quarter to files, and the files of segments, which can be closed and opened again, leave the very last to those that
cannot do without: a vote, a checkpoint, a new partition.
"""

from __future__ import annotations

import resource

_FILES_MAX = 1_024
_NEEDED_MAX = 32


def is_for_files(fd: int) -> bool:
    """Whether a connection that was given this number has to go."""
    limit = _limit()
    return limit is not None and fd >= limit - min(_FILES_MAX, limit // 4)


def is_for_needed(fd: int) -> bool:
    """Whether a segment that was given this number should bring others to be closed."""
    limit = _limit()
    return limit is not None and fd >= limit - min(_NEEDED_MAX, limit // 8)


def _limit() -> int | None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft

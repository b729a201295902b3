"""Whether a directory that was full has room again: a file is written to see, and removed.

Asking the file system how much is free would not do: quotas and blocks that are kept for root do not show there.
"""

from __future__ import annotations

import os
from contextlib import suppress

from riacho.base.ports import Files

_PROBE_FILE = ".riacho-room"
# More than the last few blocks that come and go with checkpoints.
_ROOM_SIZE_BYTES = 1 << 20


def has_free_space(directory: str, files: Files) -> bool:
    path = f"{directory}/{_PROBE_FILE}"
    try:
        fd = files.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return files.pwrite(fd, bytes(_ROOM_SIZE_BYTES), 0) == _ROOM_SIZE_BYTES
    except OSError:
        return False
    finally:
        files.close(fd)
        remove_probe(directory, files)


def remove_probe(directory: str, files: Files) -> None:
    """Also one that a crash left."""
    with suppress(OSError):
        files.unlink(f"{directory}/{_PROBE_FILE}")

"""Disks of a simulated world: real files, a pretended fsync, and what a crash may do to bytes that were not synced.

The data directories are on a file system in memory where there is one; a sync costs nothing, and is written down: after
a power failure, a file that grew since its last sync may have lost any part of what came after.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from riacho.log import open_files
from riacho.log.real_files import RealFiles


class SimulatedDisks:
    def __init__(self) -> None:
        # (device, inode) to the size that is surely on disk.
        self._synced: dict[tuple[int, int], int] = {}

    @contextlib.contextmanager
    def mounted(self) -> Iterator[None]:
        with (
            mock.patch.object(RealFiles, "fsync", staticmethod(self._sync)),
            mock.patch.object(RealFiles, "fdatasync", staticmethod(self._sync)),
            mock.patch.object(RealFiles, "sync_all", staticmethod(self._sync_below)),
        ):
            yield

    def _sync(self, fd: Any) -> None:
        status = os.fstat(fd if isinstance(fd, int) else fd.fileno())
        self._synced[status.st_dev, status.st_ino] = status.st_size

    def _sync_below(self, directory: str) -> None:
        for path in Path(directory).rglob("*.log"):
            status = path.stat()
            self._synced[status.st_dev, status.st_ino] = status.st_size

    def release(self, directory: Path) -> None:
        """Close what a process that is gone had open."""
        for holder in [holder for holder in open_files.SHARED._holders if _is_below(holder, str(directory))]:
            open_files.SHARED.release(holder)

    def tear(self, directory: Path, rng: Random) -> list[str]:
        """Lose some of what was not synced; the files that lost something."""
        torn = []
        for path in sorted(directory.rglob("*.log")):
            status = path.stat()
            synced = min(self._synced.get((status.st_dev, status.st_ino), 0), status.st_size)
            kept = rng.randint(synced, status.st_size)
            if kept < status.st_size:
                os.truncate(path, kept)
                torn.append(f"{path.parent.name}/{path.name}:{status.st_size}>{kept}")
        return torn

    def wipe(self, directory: Path) -> None:
        shutil.rmtree(directory)
        directory.mkdir()


@contextlib.contextmanager
def memory_directory() -> Iterator[Path]:
    """In memory where the system has such a place: a run makes thousands of small writes."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="riacho-simulation-", dir=memory, ignore_cleanup_errors=True) as path:
        yield Path(path)


def _is_below(holder: Any, directory: str) -> bool:
    return str(holder.path).startswith(directory + "/")

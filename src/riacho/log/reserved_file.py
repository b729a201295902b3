"""A small file that can be replaced on a full disk: a vote must be kept even when nothing else can.

Beside it stands a spare whose blocks are taken. The new content is written into the spare, in place, and synced; then
the spare gets the file's name, and what had it becomes the next spare: no step needs a block that is not there. (A file
system that never writes in place, such as btrfs, may still say no.)
"""

from __future__ import annotations

import contextlib
import os

from riacho.base.ports import Files
from riacho.log.checkpoints import replace_file, sync_directory, write_beside
from riacho.log.real_files import REAL_FILES

_SPARE_SUFFIX = ".spare"
_OLD_SUFFIX = ".old"
# What a file system gives at least; a vote takes a few hundred bytes.
_SPARE_SIZE_BYTES = 4096


class ReservedFile:
    def __init__(self, path: str, files: Files = REAL_FILES) -> None:
        self._files = files
        self._path = path
        self._spare = path + _SPARE_SUFFIX
        self._old = path + _OLD_SUFFIX

    def reserve(self) -> bool:
        """See to it that there is a spare; whether there is."""
        self._clear_old()
        if self._files.exists(self._spare):
            return True
        try:
            write_beside(self._spare, b" " * _SPARE_SIZE_BYTES, sync=True, files=self._files)
        except OSError:
            with contextlib.suppress(OSError):
                self._files.unlink(self._spare)
            return False
        return True

    def replace(self, data: bytes) -> None:
        """Put `data` in the place of the file, on disk, whole or not at all."""
        if not self.reserve() or not self._fill_spare(data):
            replace_file(self._path, data, files=self._files)
            return
        with contextlib.suppress(OSError):
            # Else this time the blocks go back, and a new spare is made when it can be.
            self._files.link(self._path, self._old)
        self._files.rename(self._spare, self._path)
        sync_directory(os.path.dirname(self._path), self._files)
        # The next one may have to be written when there is no room for a spare.
        self.reserve()

    def _fill_spare(self, data: bytes) -> bool:
        """False where the spare cannot hold it, being too small or also the file itself (a crash may leave that)."""
        files = self._files
        fd = files.open(self._spare, os.O_RDWR | os.O_CLOEXEC)
        try:
            found = files.fstat(fd)
            if found.st_nlink != 1 or len(data) > _SPARE_SIZE_BYTES:
                files.unlink(self._spare)
                return False
            files.pwrite(fd, data, 0)
            files.ftruncate(fd, len(data))
            files.fsync(fd)
        finally:
            files.close(fd)
        return True

    def _clear_old(self) -> None:
        """What had the name is the next spare, unless it still has it, or there is one."""
        try:
            is_alone = self._files.stat(self._old).st_nlink == 1
        except FileNotFoundError:
            return
        if is_alone and not self._files.exists(self._spare):
            self._files.rename(self._old, self._spare)
        else:
            self._files.unlink(self._old)

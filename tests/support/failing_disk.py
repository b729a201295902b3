"""A disk that fails on command: a broker process whose calls on the files of one directory give EIO from then on.

Run as a program in place of `python -m riacho`, with the same arguments. The file that `RIACHO_FAILING_DISK` names says
which directory is broken, while it exists. What is asked of the kernel by way of `os` is covered: opening, reading,
writing, syncing, renaming. Data that `sendfile` sends is not.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Any

VARIABLE = "RIACHO_FAILING_DISK"
BY_DESCRIPTOR = ("pwrite", "pread", "fsync", "fdatasync")
BY_PATH = ("open", "rename", "replace")


class FailingDisk:
    def __init__(self, marker: str) -> None:
        self._marker = marker
        self._readlink = os.readlink
        self._real_open = os.open
        self._real_pread = os.pread

    def directory(self) -> str:
        """The broken one; empty while all is well."""
        try:
            fd = self._real_open(self._marker, os.O_RDONLY)
        except OSError:
            return ""
        try:
            return self._real_pread(fd, 4096, 0).decode()
        finally:
            os.close(fd)

    def check(self, path: str) -> None:
        broken = self.directory()
        if broken and (path == broken or path.startswith(broken + "/")):
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)

    def by_descriptor(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def checked(fd: int, *arguments: Any) -> Any:
            self.check(self._readlink(f"/proc/self/fd/{fd}"))
            return call(fd, *arguments)

        return checked

    def by_path(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def checked(path: Any, *arguments: Any, **options: Any) -> Any:
            self.check(os.fspath(path))
            return call(path, *arguments, **options)

        return checked


def main() -> None:
    disk = FailingDisk(os.environ[VARIABLE])
    for name in BY_DESCRIPTOR:
        setattr(os, name, disk.by_descriptor(getattr(os, name)))
    for name in BY_PATH:
        setattr(os, name, disk.by_path(getattr(os, name)))
    from riacho.cli.main import main as riacho

    riacho()


if __name__ == "__main__":
    main()

"""A file that a process writes its own log into: at its size limit it goes on in a new one, and keeps a few of the old.

    error-1.log        written now
    error-1.log.1      before that; the higher the number, the older

A supervisor gives its children the same file as their standard streams, for what is written by others than loggers.
They go along to the new file, so no old one grows unseen.
"""

from __future__ import annotations

import contextlib
import glob
import logging
import os
import stat
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.config import BrokerConfig

MAX_BYTES = 10 * 1024 * 1024
BACKUPS = 5
_STANDARD_STREAMS = (1, 2)


class LogFile(RotatingFileHandler):
    """`max_bytes` 0 is for ever one file."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES, backups: int = BACKUPS) -> None:
        # A pipe or a terminal, such as /dev/stdout, has no size.
        is_special = path.exists() and not path.is_file()
        self._put_off_to = 0
        self._has_failed = False
        super().__init__(
            path,
            maxBytes=0 if is_special else max_bytes,
            backupCount=backups,
            encoding="utf-8",
            errors="backslashreplace",
        )

    def shouldRollover(self, record: logging.LogRecord) -> bool:
        """A full disk, say, is no reason to try again with each line."""
        return bool(super().shouldRollover(record)) and self._size_bytes() >= self._put_off_to

    def doRollover(self) -> None:
        streams = [fd for fd in _STANDARD_STREAMS if self._is_written_by(fd)]
        try:
            super().doRollover()
        except OSError as error:
            self.stream = self._open()
            self._put_off_to = self._size_bytes() + self.maxBytes
            print(f"{self.baseFilename} goes on above its limit: {error.strerror or error}", file=sys.stderr)
            return
        self._put_off_to = 0
        for fd in streams:
            os.dup2(self._fileno(), fd)

    def bound(self) -> None:
        """For a file that is written through the standard streams alone."""
        if self.maxBytes and self._size_bytes() >= max(self.maxBytes, self._put_off_to):
            self.doRollover()

    def handleError(self, record: logging.LogRecord) -> None:
        """A log that cannot be written must not fill what still can be: this is said once."""
        if not self._has_failed:
            self._has_failed = True
            with contextlib.suppress(OSError):
                print(f"{self.baseFilename} cannot be written: {sys.exc_info()[1]}", file=sys.stderr)

    def _fileno(self) -> int:
        assert self.stream is not None, "it is opened at once, and again where it could not be moved on"
        return self.stream.fileno()

    def _size_bytes(self) -> int:
        return os.fstat(self._fileno()).st_size

    def _is_written_by(self, fd: int) -> bool:
        with contextlib.suppress(OSError):
            found, own = os.fstat(fd), os.stat(self.baseFilename)
            return stat.S_ISREG(found.st_mode) and os.path.samestat(found, own)
        return False


def bounds_of(config: BrokerConfig) -> dict[str, int]:
    """What a node's settings say of the files that it writes."""
    return {"max_bytes": config.get("riacho.log.file.max.bytes"), "backups": config.get("riacho.log.file.backups")}


def earlier_files(path: Path) -> list[Path]:
    """What a log was before, the oldest first."""
    found = [
        (each, each.name.removeprefix(f"{path.name}.")) for each in path.parent.glob(f"{glob.escape(path.name)}.*")
    ]
    numbered = [(int(number), each) for each, number in found if number.isascii() and number.isdecimal()]
    return [each for _, each in sorted(numbered, reverse=True)]

"""Shutdown markers: files beside the data by which a broker knows after a crash that the machine went on.

When only the process died (kill -9, out of memory, a bug), whatever it had written is still in the kernel's page cache
or on disk: nothing is lost, and the broker may say so when it registers, as after an orderly stop (KIP-966's
`previous_broker_epoch`). When the machine died, the end of every log may be gone. Which of the two it was the kernel
tells: its boot id is another after each start of the machine.

So each log directory gets a marker with the boot id and the epoch of the broker that runs now. It counts at the next
start if all directories have one of that boot and epoch. A marker also holds its own device and inode, so a copied
directory does not pass for the one that it was copied from. A directory that breaks ends it: what the kernel could not
write it may have dropped. A system that has no boot id is taken to have lost power.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from riacho.log.checkpoints import read_small_file
from riacho.log.real_files import REAL_FILES

if TYPE_CHECKING:
    from riacho.base.ports import Files
    from riacho.log.directories import LogDirectories, OfflineDirectory

MARKER_FILE = ".riacho-run"
_VERSION = 0
NO_EPOCH = -1


class ShutdownMarkers:
    def __init__(self, directories: LogDirectories, boot_id: str | None) -> None:
        self._directories = directories
        self._boot_id = boot_id
        # Of the run before this one; what is written from here on is of this one.
        self.previous_broker_epoch = self._previous()
        self._is_sound = boot_id is not None and not directories.offline
        directories.on_offline.append(self._broke)

    def write(self, broker_epoch: int) -> None:
        """This run is known to the cluster by that epoch."""
        if self._is_sound:
            try:
                for path, files in self._places():
                    _write(path, files, self._boot_id, broker_epoch)
            except OSError:
                self._forget()

    def _previous(self) -> int:
        stopped = self._directories.previous_broker_epoch()
        if stopped != NO_EPOCH or self._boot_id is None or self._directories.offline:
            return stopped
        epochs = {_read(path, files, self._boot_id) for path, files in self._places()}
        return epochs.pop() if len(epochs) == 1 else NO_EPOCH

    def _broke(self, offline: OfflineDirectory) -> None:
        self._is_sound = False
        self._forget()

    def _forget(self) -> None:
        for path, files in self._places():
            with suppress(OSError):
                files.unlink(path)

    def _places(self) -> list[tuple[str, Files]]:
        return [(f"{directory.path}/{MARKER_FILE}", directory.files) for directory in self._directories.directories]


def read_boot_id(path: str, files: Files = REAL_FILES) -> str | None:
    """None where there is none to be had."""
    try:
        return read_small_file(path, files).decode("ascii").strip() or None
    except (OSError, ValueError):
        return None


def _write(path: str, files: Files, boot_id: str | None, broker_epoch: int) -> None:
    # Not synced: whatever ends the page cache ends the boot.
    fd = files.open(path + ".tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)
    try:
        status = files.fstat(fd)
        marker = {"version": _VERSION, "bootId": boot_id, "brokerEpoch": broker_epoch}
        files.pwrite(fd, json.dumps({**marker, "device": status.st_dev, "inode": status.st_ino}).encode(), 0)
    finally:
        files.close(fd)
    files.rename(path + ".tmp", path)


def _read(path: str, files: Files, boot_id: str) -> int:
    """The broker epoch of a marker that was made here and in this boot."""
    try:
        status, marker = files.stat(path), json.loads(read_small_file(path, files))
        found = (marker["version"], marker["bootId"], marker["device"], marker["inode"])
        is_ours = found == (_VERSION, boot_id, status.st_dev, status.st_ino)
        return int(marker["brokerEpoch"]) if is_ours else NO_EPOCH
    except (OSError, ValueError, KeyError, TypeError):
        return NO_EPOCH

"""A process that we may look at or stop later: its id, and when it was born, because the system uses ids again."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec


class ProcessMark(msgspec.Struct, frozen=True):
    pid: int
    # Clock ticks after boot, from /proc; None where the system has no such file, and then the id alone must do.
    birth: int | None = None

    @property
    def is_alive(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return self.birth is None or birth_of(self.pid) == self.birth
        return not _is_zombie(self.pid) and (self.birth is None or birth_of(self.pid) == self.birth)

    def send(self, signal_number: int) -> bool:
        """Send a signal to this very process; False when it is gone."""
        if not self.is_alive:
            return False
        try:
            os.kill(self.pid, signal_number)
        except ProcessLookupError:
            return False
        return True


def mark(pid: int) -> ProcessMark:
    return ProcessMark(pid, birth_of(pid))


def birth_of(pid: int) -> int | None:
    fields = _stat(pid)
    return int(fields[19]) if len(fields) > 19 else None


def _is_zombie(pid: int) -> bool:
    return _stat(pid)[:1] == ["Z"]


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on: the second is the command's name and may hold anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []

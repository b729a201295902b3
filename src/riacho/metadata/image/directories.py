"""Log directories by id (KIP-858): which one a replica is in, and whether it is one its broker still has."""

from __future__ import annotations

from collections.abc import Collection

from riacho.base.ids import ZERO_UUID


def _reserved(number: int) -> bytes:
    return ZERO_UUID[:15] + bytes([number])


# A replica whose broker has not yet said in which log directory it is.
UNASSIGNED = _reserved(1)
# Somewhere among directories that are gone.
LOST = ZERO_UUID
# From before brokers registered their directories.
MIGRATING = _reserved(2)
_RESERVED_MAX = 100


def is_reserved(directory: bytes) -> bool:
    """The first hundred ids mean something else than a directory."""
    return directory[:15] == ZERO_UUID[:15] and directory[15] < _RESERVED_MAX


def is_online(directory: bytes | None, log_dirs: Collection[bytes]) -> bool:
    """Whether a broker that has these directories can serve a replica there; one not yet placed can be."""
    if directory in log_dirs or directory is None or directory in (UNASSIGNED, MIGRATING):
        return True
    # A broker of an older version registered no directories.
    return directory != LOST and not log_dirs


def default_directory(log_dirs: Collection[bytes]) -> bytes:
    """Where a new replica is known to go before its broker says so: only a broker with one directory has no choice."""
    if not log_dirs:
        return MIGRATING
    return next(iter(log_dirs)) if len(log_dirs) == 1 else UNASSIGNED

"""What a crash may have left in a partition's directory, and what becomes of it before the log is opened.

Compaction writes `.cleaned` files, renames them all to `.swap`, renames the old segments to `.deleted`, and last the
`.swap` files to their final names. So
- `.deleted`: the log had let go of it: removed;
- `.cleaned`: the new segments were not complete: removed, with every `.swap` from the lowest such offset on, which
  belongs to the same unfinished step;
- `.swap` otherwise: the new segments are complete and stand for all old ones in their range, which are removed before
  the `.swap` files take their names.
"""

from __future__ import annotations

import contextlib
import os

from riacho.base.ports import Files
from riacho.log.real_files import REAL_FILES
from riacho.log.scan import TornBatch, scan_headers
from riacho.log.segment import DELETED_SUFFIX, LOG_SUFFIX, SEGMENT_SUFFIXES

CLEANED_SUFFIX = ".cleaned"
SWAP_SUFFIX = ".swap"
_TEMPORARY_SUFFIX = ".tmp"


def offset_of(name: str) -> int | None:
    """The offset that a file is named by."""
    digits = name.partition(".")[0]
    return int(digits) if len(digits) == 20 and digits.isdecimal() else None


def resolve(directory: str, names: list[str], files: Files = REAL_FILES) -> list[str]:
    """Clear the leftovers away; the names that remain."""
    if not any(name.endswith((DELETED_SUFFIX, CLEANED_SUFFIX, SWAP_SUFFIX, _TEMPORARY_SUFFIX)) for name in names):
        return names
    unfinished = min((offset_of(name) or 0 for name in names if name.endswith(CLEANED_SUFFIX)), default=None)
    kept = []
    for name in names:
        doomed = name.endswith((DELETED_SUFFIX, CLEANED_SUFFIX, _TEMPORARY_SUFFIX)) or (
            name.endswith(SWAP_SUFFIX) and unfinished is not None and (offset_of(name) or 0) >= unfinished
        )
        if doomed:
            # What names the topic may have been written anew since the directory was read, and taken its leftover.
            with contextlib.suppress(FileNotFoundError):
                files.unlink(f"{directory}/{name}")
        else:
            kept.append(name)
    return _take_swapped(directory, kept, files)


def _take_swapped(directory: str, names: list[str], files: Files) -> list[str]:
    swapped = [name for name in names if name.endswith(SWAP_SUFFIX)]
    if not swapped:
        return names
    logs = [name for name in swapped if name.endswith(LOG_SUFFIX + SWAP_SUFFIX)]
    first = min((offset_of(name) or 0 for name in logs), default=0)
    end = max((_next_offset(f"{directory}/{name}", offset_of(name) or 0, files) for name in logs), default=0)
    kept = []
    for name in names:
        if name.endswith(SWAP_SUFFIX):
            continue
        offset = offset_of(name)
        if offset is not None and first <= offset < end and name.endswith(SEGMENT_SUFFIXES):
            files.unlink(f"{directory}/{name}")
        else:
            kept.append(name)
    for name in swapped:
        final = name.removesuffix(SWAP_SUFFIX)
        files.rename(f"{directory}/{name}", f"{directory}/{final}")
        if final not in kept:
            kept.append(final)
    return kept


def _next_offset(path: str, base_offset: int, files: Files) -> int:
    """One past the last offset of a segment file; its indexes are not asked."""
    next_offset = base_offset
    fd = files.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for _, header in scan_headers(fd, 0, files.fstat(fd).st_size, files):
            next_offset = header.next_offset
    except TornBatch:
        pass
    finally:
        files.close(fd)
    return next_offset


def list_or_make(path: str, files: Files = REAL_FILES) -> list[str]:
    """The names in a log's directory, which is made when it is not there."""
    try:
        return files.listdir(path)
    except FileNotFoundError:
        files.makedirs(path)
        return []

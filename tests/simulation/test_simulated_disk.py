"""The simulated disk itself: what is synced stays, what is not may go, in whole or in part."""

from __future__ import annotations

import errno
import os
from random import Random

import pytest

from riacho.log.checkpoints import replace_file, sync_directory, sync_file, write_beside
from support.simulated_files import SimulatedFiles
from support.simulated_inode import SECTOR

FILE = "/disk/file"
CREATE = os.O_RDWR | os.O_CREAT


def disk(seed: int = 1) -> SimulatedFiles:
    return SimulatedFiles(Random(seed))


def content(files: SimulatedFiles, path: str = FILE) -> bytes | None:
    if not files.exists(path):
        return None
    fd = files.open(path, os.O_RDONLY)
    try:
        return files.pread(fd, 1 << 20, 0)
    finally:
        files.close(fd)


def written(files: SimulatedFiles, data: bytes) -> int:
    """A file that is on disk with its name, and then some more of it that is not."""
    replace_file(FILE, b"s" * 1000, files=files)
    fd = files.open(FILE, os.O_RDWR)
    files.pwrite(fd, data, 1000)
    return fd


def test_a_process_that_ends_leaves_all_that_it_wrote_and_gives_back_what_it_held() -> None:
    files = disk()
    files.lock("/disk/.lock")
    fd = written(files, b"more")
    with pytest.raises(BlockingIOError):
        files.lock("/disk/.lock")
    files.end_process()
    assert content(files) == b"s" * 1000 + b"more"
    with pytest.raises(OSError, match="Bad file descriptor"):
        files.pread(fd, 1, 0)
    files.lock("/disk/.lock")


def test_what_was_synced_survives_and_the_rest_in_any_part_of_it() -> None:
    endings: set[str] = set()
    for seed in range(200):
        files = disk(seed)
        written(files, b"m" * 3000)
        files.lose_power()
        found = content(files)
        assert found is not None
        assert found[:1000] == b"s" * 1000
        tail = found[1000:]
        assert set(tail) <= set(b"m\0")
        sectors = [found[at : at + SECTOR] for at in range(1024, len(found), SECTOR)]
        assert all(len(set(sector)) == 1 for sector in sectors), "a sector is written whole or not at all"
        endings.add("none" if not tail else "all" if tail == b"m" * 3000 else "hole" if 0 in tail else "part")
    assert endings == {"none", "all", "hole", "part"}


def test_a_sync_keeps_all() -> None:
    for seed in range(50):
        files = disk(seed)
        files.fsync(written(files, b"m" * 3000))
        assert files.lose_power() == []
        assert content(files) == b"s" * 1000 + b"m" * 3000


def test_a_file_without_its_directory_synced_may_have_no_name() -> None:
    found = set()
    for seed in range(50):
        files = disk(seed)
        write_beside(FILE, b"data", sync=True, files=files)
        files.lose_power()
        found.add(content(files))
    assert found == {None, b"data"}


def test_a_rename_that_was_not_synced_gives_the_one_or_the_other() -> None:
    found = set()
    for seed in range(80):
        files = disk(seed)
        replace_file(FILE, b"old", files=files)
        replace_file(FILE, b"new", sync=False, files=files)
        files.lose_power()
        found.add(content(files))
    # And here is the empty file.
    assert {b"old", b"new", b""} <= found


def test_changes_of_a_directory_survive_up_to_some_point() -> None:
    found = set()
    for seed in range(80):
        files = disk(seed)
        for name in "abc":
            write_beside(f"/disk/{name}", b"x", sync=True, files=files)
        files.unlink("/disk/a")
        files.lose_power()
        found.add("".join(sorted(files.listdir("/disk"))))
    assert found == {"", "a", "ab", "abc", "bc"}


def test_after_a_failed_sync_a_second_one_says_yes_and_the_data_are_lost() -> None:
    files = disk()
    fd = written(files, b"more")
    files.fail("fsync")
    with pytest.raises(OSError, match="Input/output error"):
        files.fsync(fd)
    files.fsync(fd)
    assert content(files) == b"s" * 1000 + b"more"
    files.lose_power()
    assert content(files) == b"s" * 1000


def test_a_truncation_that_was_not_synced_may_be_undone() -> None:
    found = set()
    for seed in range(60):
        files = disk(seed)
        fd = written(files, b"m" * 3000)
        files.fsync(fd)
        files.ftruncate(fd, 1500)
        files.lose_power()
        found.add(len(content(files) or b""))
    assert {1500, 4000} <= found


def test_a_full_disk_takes_what_fits_and_what_was_reserved() -> None:
    files = disk()
    fd = written(files, b"")
    files.capacity_bytes = files.used_bytes + 4096
    files.reserve(fd, 1000, 4000)
    other = files.open("/disk/other", CREATE)
    with pytest.raises(OSError, match="No space left") as refused:
        files.pwrite(other, b"x", 0)
    assert refused.value.errno == errno.ENOSPC
    assert files.pwrite(fd, b"m" * 8000, 1000) == 8192 - 1000
    with pytest.raises(OSError, match="No space left"):
        files.pwrite(fd, b"m", 8192)
    files.unlink("/disk/other")
    files.heal()
    assert files.pwrite(fd, b"m", 8192) == 1


def test_descriptors_run_out_and_come_back() -> None:
    files = disk()
    fd = written(files, b"")
    files.descriptors_max = 1
    with pytest.raises(OSError, match="Too many open files"):
        files.open(FILE, os.O_RDONLY)
    files.close(fd)
    files.close(files.open(FILE, os.O_RDONLY))


def test_two_names_are_one_file() -> None:
    files = disk()
    replace_file(FILE, b"one", files=files)
    files.link(FILE, "/disk/other")
    assert files.stat(FILE).st_nlink == 2
    files.unlink(FILE)
    assert files.stat("/disk/other").st_nlink == 1
    sync_directory("/disk", files)
    sync_file("/disk/other", files)
    files.lose_power()
    assert (content(files), content(files, "/disk/other")) == (None, b"one")

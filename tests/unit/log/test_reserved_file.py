from __future__ import annotations

import os
from pathlib import Path

import pytest

from riacho.log.real_files import RealFiles
from riacho.log.reserved_file import ReservedFile


@pytest.fixture
def file(tmp_path: Path) -> ReservedFile:
    return ReservedFile(str(tmp_path / "state"))


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


def test_two_files_take_turns_and_none_is_made_anew(tmp_path: Path, file: ReservedFile) -> None:
    assert file.reserve()
    assert names(tmp_path) == ["state.spare"]
    assert (tmp_path / "state.spare").stat().st_blocks > 0
    file.replace(b"one")
    inodes = {(tmp_path / name).stat().st_ino for name in ("state", "state.spare")}
    for number in range(5):
        file.replace(b"%d" % number)
        assert (tmp_path / "state").read_bytes() == b"%d" % number
        assert names(tmp_path) == ["state", "state.spare"]
        assert {(tmp_path / name).stat().st_ino for name in ("state", "state.spare")} == inodes


def test_it_is_synced_before_it_has_the_name_and_then_the_name_is(
    tmp_path: Path, file: ReservedFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.replace(b"none")
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def note_sync(fd: int) -> None:
        done.append(f"sync {os.path.basename(os.readlink(f'/proc/self/fd/{fd}'))}")
        fsync(fd)

    def note_replace(source: str, target: str) -> None:
        done.append(f"rename {os.path.basename(source)}")
        replace(source, target)

    monkeypatch.setattr(RealFiles, "fsync", staticmethod(note_sync))
    monkeypatch.setattr(RealFiles, "rename", staticmethod(note_replace))
    file.replace(b"vote")
    assert done == ["sync state.spare", "rename state.spare", f"sync {tmp_path.name}", "rename state.old"]


def test_a_crash_between_the_two_names_does_not_write_into_the_file(tmp_path: Path, file: ReservedFile) -> None:
    file.replace(b"one")
    os.link(tmp_path / "state", tmp_path / "state.old")
    again = ReservedFile(str(tmp_path / "state"))
    again.reserve()
    assert names(tmp_path) == ["state", "state.spare"]
    assert (tmp_path / "state").read_bytes() == b"one"
    # Nor where the spare is the file itself.
    os.unlink(tmp_path / "state.spare")
    os.link(tmp_path / "state", tmp_path / "state.spare")
    held = (tmp_path / "state").open("rb")
    again.replace(b"two")
    assert (held.read(), (tmp_path / "state").read_bytes()) == (b"one", b"two")
    held.close()


def test_what_had_the_name_is_the_next_spare_after_a_crash(tmp_path: Path, file: ReservedFile) -> None:
    file.replace(b"one")
    os.rename(tmp_path / "state.spare", tmp_path / "state.old")
    inode = (tmp_path / "state.old").stat().st_ino
    assert ReservedFile(str(tmp_path / "state")).reserve()
    assert (tmp_path / "state.spare").stat().st_ino == inode
    assert names(tmp_path) == ["state", "state.spare"]


def test_more_than_the_spare_holds_goes_the_plain_way(tmp_path: Path, file: ReservedFile) -> None:
    file.replace(b"one")
    file.replace(b"x" * 10_000)
    assert (tmp_path / "state").stat().st_size == 10_000
    file.replace(b"two")
    assert (tmp_path / "state").read_bytes() == b"two"

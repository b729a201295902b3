from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from riacho.log import epoch_file
from riacho.log.checkpoints import LEADER_EPOCH_FILE as FILE
from riacho.log.checkpoints import CorruptCheckpoint
from riacho.log.epoch_file import EpochFile
from riacho.log.open_files import OpenFile
from riacho.log.real_files import RealFiles
from riacho.log.segment import Segment
from support.log_files import append, open_log


def loaded(directory: Path, *entries: tuple[int, int]) -> EpochFile:
    lines = ["0", str(len(entries)), *(f"{epoch} {start}" for epoch, start in entries)]
    (directory / FILE).write_text("".join(f"{line}\n" for line in lines))
    epochs = EpochFile(str(directory))
    epochs.load()
    return epochs


def text(directory: Path) -> str:
    return (directory / FILE).read_text()


def test_an_epoch_that_begins_is_written_with_the_next_flush(tmp_path: Path) -> None:
    epochs = loaded(tmp_path, (3, 0))
    assert epochs.assign(5, 100)
    assert text(tmp_path) == "0\n1\n3 0\n"
    epochs.save()
    assert text(tmp_path) == "0\n2\n3 0\n5 100\n"
    assert epochs.plan() is None
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("entries", [[(5, 0), (4, 10)], [(4, 10), (5, 10)], [(-1, 0)], [(3, -2)]])
def test_epochs_that_do_not_ascend_are_not_believed(tmp_path: Path, entries: list[tuple[int, int]]) -> None:
    with pytest.raises(CorruptCheckpoint):
        loaded(tmp_path, *entries)


def test_the_name_is_given_to_a_file_that_is_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a power failure may leave it empty."""
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def note_sync(fd: int) -> None:
        done.append(f"sync {os.path.basename(os.readlink(f'/proc/self/fd/{fd}'))}")
        fsync(fd)

    def note_replace(source: str, target: str) -> None:
        done.append(f"rename {os.path.basename(source)}")
        replace(source, target)

    epochs = loaded(tmp_path, (3, 0))
    epochs.assign(5, 100)
    monkeypatch.setattr(RealFiles, "fsync", staticmethod(note_sync))
    monkeypatch.setattr(RealFiles, "rename", staticmethod(note_replace))
    epochs.save()
    assert done == [f"sync {FILE}.1.tmp", f"rename {FILE}.1.tmp", f"sync {tmp_path.name}"]


def test_a_plan_that_comes_too_late_does_not_undo_a_later_one(tmp_path: Path) -> None:
    epochs = loaded(tmp_path, (3, 0), (5, 100))
    epochs.assign(6, 200)
    early = epochs.plan()
    assert early is not None
    epochs.truncate_from_end(50)
    epochs.save()
    epochs.put(early)
    assert text(tmp_path) == "0\n1\n3 0\n"
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    epochs = loaded(tmp_path, (3, 0))
    epochs.assign(5, 100)

    def full(path: str, data: bytes, **_: object) -> None:
        Path(path).write_bytes(data[:2])
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(epoch_file, "write_beside", full)
        with pytest.raises(OSError, match="full"):
            epochs.save()
    assert text(tmp_path) == "0\n1\n3 0\n"
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    epochs.save()
    assert text(tmp_path) == "0\n2\n3 0\n5 100\n"


def test_a_close_leaves_out_an_epoch_that_wrote_nothing(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", epoch=3)
    log.flush()
    before = (tmp_path / "t-0" / FILE).stat().st_ino
    log.epochs.assign(5, 1)
    log.close(clean=True)
    assert text(tmp_path / "t-0") == "0\n1\n3 0\n"
    assert (tmp_path / "t-0" / FILE).stat().st_ino == before, "the file was right and is not replaced"


def test_a_restart_without_writes_replaces_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", epoch=3)
    log.close(clean=True)
    written: list[object] = []
    monkeypatch.setattr(epoch_file, "write_beside", lambda *args, **options: written.append(args))
    for epoch in (4, 5):
        again = open_log(tmp_path / "t-0", clean=True)
        again.epochs.assign(epoch, again.log_end_offset)
        again.close(clean=True)
    assert written == []


def test_a_crash_before_the_flush_loses_no_epoch(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", epoch=3)
    log.flush()
    append(log, b"b", epoch=4)
    append(log, b"c", epoch=6)
    log.close(clean=False)
    assert text(tmp_path / "t-0") == "0\n1\n3 0\n"
    again = open_log(tmp_path / "t-0", clean=False, recovery_point=log.recovery_point)
    assert again.epochs.entries == ((3, 0), (4, 1), (6, 2))


def test_a_crash_after_a_cut_keeps_no_epoch_of_what_was_cut(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", epoch=3)
    append(log, b"b", epoch=5)
    log.flush()
    log.truncate_to(1)
    append(log, b"c", epoch=4)
    log.close(clean=False)
    again = open_log(tmp_path / "t-0", clean=False, recovery_point=1)
    assert again.epochs.entries == ((3, 0), (4, 1))


def test_what_a_thread_flushes_has_its_epochs_in_the_file(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", epoch=3)
    log.flush_work().run()
    assert text(tmp_path / "t-0") == "0\n1\n3 0\n"


def test_a_crash_keeps_the_epoch_of_records_older_than_one_that_wrote_nothing(tmp_path: Path) -> None:
    """This broker led epoch 5 and wrote nothing; then it follows one that has records of epoch 4."""
    log = open_log(tmp_path / "t-0")
    append(log, b"a", epoch=3)
    log.epochs.assign(5, 1)
    log.flush()
    assert text(tmp_path / "t-0") == "0\n2\n3 0\n5 1\n"
    append(log, b"b", epoch=4)
    log.close(clean=False)
    again = open_log(tmp_path / "t-0", clean=False, recovery_point=0)
    assert again.epochs.entries == ((3, 0), (4, 1))


def test_a_flush_that_cannot_be_planned_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", epoch=3)
    before = sorted(path.name for path in (tmp_path / "t-0").iterdir())

    def none_left(_: object) -> OpenFile:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Segment, "open_file", none_left)
    with pytest.raises(OSError, match="Too many"):
        log.flush_work()
    left = {path.name for path in (tmp_path / "t-0").iterdir()} - set(before)
    assert [name for name in left if name.endswith(".tmp")] == []

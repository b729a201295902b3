from __future__ import annotations

from pathlib import Path

import pytest

from riacho.log import epoch_file
from riacho.log.checkpoints import write_epochs
from riacho.log.epoch_file import EpochFile
from riacho.partition.epochs import EpochEntry
from support.log_files import append, open_log

FILE = "leader-epoch-checkpoint"


def loaded(directory: Path, *entries: tuple[int, int]) -> EpochFile:
    write_epochs(str(directory), [EpochEntry(*entry) for entry in entries], sync=False)
    epochs = EpochFile(str(directory))
    epochs.load()
    return epochs


def text(directory: Path) -> str:
    return (directory / FILE).read_text()


def test_an_epoch_that_begins_is_written_with_the_next_flush(tmp_path: Path) -> None:
    epochs = loaded(tmp_path, (3, 0))
    assert epochs.assign(5, 100)
    assert text(tmp_path) == "0\n1\n3 0\n"
    epochs.save_if_needed()
    assert text(tmp_path) == "0\n2\n3 0\n5 100\n"
    assert not epochs.unsaved


@pytest.mark.parametrize("begun", [(4, 100), (6, 100), (6, 90)])
def test_an_epoch_that_takes_the_place_of_one_in_the_file_is_written_at_once(
    tmp_path: Path, begun: tuple[int, int]
) -> None:
    epochs = loaded(tmp_path, (3, 0), (5, 100))
    epochs.assign(*begun)
    assert text(tmp_path) == f"0\n2\n3 0\n{begun[0]} {begun[1]}\n"


def test_a_truncation_is_written_at_once(tmp_path: Path) -> None:
    epochs = loaded(tmp_path, (3, 0), (5, 100))
    epochs.truncate_from_end(50)
    assert text(tmp_path) == "0\n1\n3 0\n"


def test_a_close_leaves_out_an_epoch_that_wrote_nothing(tmp_path: Path) -> None:
    epochs = loaded(tmp_path, (3, 0))
    epochs.assign(5, 100)
    before = (tmp_path / FILE).stat().st_ino
    epochs.save_if_needed(log_end_offset=100)
    assert text(tmp_path) == "0\n1\n3 0\n"
    assert (tmp_path / FILE).stat().st_ino == before, "the file was right and is not replaced"


def test_a_restart_without_writes_replaces_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", epoch=3)
    log.close(clean=True)
    written: list[object] = []
    monkeypatch.setattr(epoch_file, "write_epochs", lambda *args, **options: written.append(args))
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

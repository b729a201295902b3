from __future__ import annotations

from pathlib import Path

from riacho.log.cleaner import Cleaner
from riacho.log.cleaning import clean
from riacho.log.config import LogConfig
from riacho.log.directories import LogDirectories
from riacho.log.log import Log
from support.log_files import append, read_records

COMPACT = LogConfig(cleanup_policy=frozenset({"compact"}))


def world(tmp_path: Path) -> LogDirectories:
    directories = LogDirectories(
        [str(tmp_path)], node_id=1, cluster_id="c", new_directory_id=lambda: bytes(15) + b"\x09"
    )
    directories.open_all(lambda topic: COMPACT, 0)
    return directories


def dirty(log: Log, segments: int) -> None:
    for number in range(segments):
        append(log, b"%d" % number, keys=[b"k"])
        log.roll(0)
    log.high_watermark = log.log_end_offset


def test_the_filthiest_log_comes_first_and_none_twice(tmp_path: Path) -> None:
    directories = world(tmp_path)
    little, much, plain = (
        directories.create("little", 0, bytes(15) + b"\1", COMPACT, 0),
        directories.create("much", 0, bytes(15) + b"\2", COMPACT, 0),
        directories.create("plain", 0, bytes(15) + b"\3", LogConfig(), 0),
    )
    dirty(little, 5)
    dirty(much, 5)
    dirty(plain, 5)
    directories.directories[0].cleaner_offsets["little", 0] = 2
    cleaner = Cleaner(directories)
    first, second = cleaner.next_plan(0), cleaner.next_plan(0)
    assert first is not None
    assert second is not None
    assert (first[0], second[0], cleaner.next_plan(0)) == (("much", 0), ("little", 0), None)
    assert cleaner.commit(first[0], clean(first[1]), 0)
    cleaner.abandon(second[0])
    assert read_records(much) == [(4, b"k", b"4")]
    assert (tmp_path / "cleaner-offset-checkpoint").read_text() == "0\n2\nlittle 0 2\nmuch 0 5\n"
    third = cleaner.next_plan(0)
    assert third is not None
    assert third[0] == ("little", 0)
    cleaner.abandon(third[0], uncleanable=True)
    assert cleaner.next_plan(0) is None


def test_the_checkpoint_survives_and_goes_with_the_partition(tmp_path: Path) -> None:
    directories = world(tmp_path)
    log = directories.create("t", 0, bytes(15) + b"\1", COMPACT, 0)
    dirty(log, 3)
    cleaner = Cleaner(directories)
    found = cleaner.next_plan(0)
    assert found is not None
    cleaner.commit(found[0], clean(found[1]), 0)
    directories.close(clean=True)
    directories = world(tmp_path)
    cleaner = Cleaner(directories)
    assert cleaner.cleaned_offset(("t", 0)) == 3
    assert cleaner.next_plan(0) is None
    directories.delete("t", 0, 0)
    assert (tmp_path / "cleaner-offset-checkpoint").read_text() == "0\n0\n"


def test_a_pass_over_a_deleted_partition_is_dropped(tmp_path: Path) -> None:
    directories = world(tmp_path)
    log = directories.create("t", 0, bytes(15) + b"\1", COMPACT, 0)
    dirty(log, 3)
    cleaner = Cleaner(directories)
    found = cleaner.next_plan(0)
    assert found is not None
    done = clean(found[1])
    directories.delete("t", 0, 0)
    assert not cleaner.commit(found[0], done, 0)

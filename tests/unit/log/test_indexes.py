from __future__ import annotations

import errno
import os
import struct
from pathlib import Path
from random import Random
from typing import Any

import pytest

from riacho.log.abort_index import AbortedTransaction, AbortIndex
from riacho.log.offset_index import OffsetIndex
from riacho.log.time_index import TimeIndex
from support.simulated_files import SimulatedFiles


def offset_index(path: Path, *, new: bool = True) -> OffsetIndex:
    return OffsetIndex(str(path / "x.index"), 100, new=new)


def test_offset_index_file_is_kafkas(tmp_path: Path) -> None:
    index = offset_index(tmp_path)
    index.add(105, 4_200)
    index.add(110, 8_400)
    index.persist()
    assert (tmp_path / "x.index").read_bytes() == struct.pack(">iiii", 5, 4_200, 10, 8_400)


@pytest.mark.parametrize("stored", [0, 1, 2, 3])
def test_offset_lookup_finds_the_last_entry_not_above(tmp_path: Path, stored: int) -> None:
    index = offset_index(tmp_path)
    for number, (offset, position) in enumerate([(105, 50), (110, 90), (120, 140)]):
        if number == stored:
            index.persist()
        index.add(offset, position)
    assert index.lookup(104) == (100, 0)
    assert index.lookup(105) == (105, 50)
    assert index.lookup(119) == (110, 90)
    assert index.lookup(10_000) == (120, 140)
    assert index.last() == (120, 140)
    assert len(index) == 3


def test_offset_index_is_written_by_the_page(tmp_path: Path) -> None:
    index = offset_index(tmp_path)
    for number in range(1_300):
        index.add(101 + number, 10 * number + 1)
    assert (tmp_path / "x.index").stat().st_size == 8_192
    assert index.lookup(700)[0] == 700
    assert index.lookup(1_399)[0] == 1_399
    assert index.lookup(9_999)[0] == 1_400


def test_offset_index_reads_a_file_left_at_full_size(tmp_path: Path) -> None:
    (tmp_path / "x.index").write_bytes(struct.pack(">iiii", 5, 50, 10, 90) + bytes(8 * 1_000))
    index = offset_index(tmp_path, new=False)
    assert len(index) == 2
    assert index.last() == (110, 90)
    index.add(120, 140)
    index.persist()
    assert (tmp_path / "x.index").stat().st_size == 24


def test_offset_index_truncates(tmp_path: Path) -> None:
    index = offset_index(tmp_path)
    for offset in (105, 110, 120):
        index.add(offset, offset)
    index.persist()
    index.add(130, 130)
    index.truncate_to(130)
    assert index.last() == (120, 120)
    index.truncate_to(110)
    assert index.entries() == [(105, 105)]
    assert (tmp_path / "x.index").stat().st_size == 8


def test_offset_index_that_cannot_be_the_segments_is_not_sound(tmp_path: Path) -> None:
    (tmp_path / "x.index").write_bytes(struct.pack(">ii", 5, 50))
    assert offset_index(tmp_path, new=False).is_sound(60)
    assert not offset_index(tmp_path, new=False).is_sound(40)
    (tmp_path / "x.index").write_bytes(b"123")
    assert not offset_index(tmp_path, new=False).is_sound(60)
    os.unlink(tmp_path / "x.index")
    assert not offset_index(tmp_path, new=False).is_sound(60)


def test_a_full_disk_keeps_entries_for_later(tmp_path: Path) -> None:
    index = OffsetIndex(str(tmp_path / "missing" / "x.index"), 0, new=True)
    for number in range(600):
        index.add(number + 1, number + 1)
    assert index.last() == (600, 600)
    (tmp_path / "missing").mkdir()
    index.persist()
    assert (tmp_path / "missing" / "x.index").stat().st_size == 4_800


def test_time_index_keeps_only_what_is_new(tmp_path: Path) -> None:
    index = TimeIndex(str(tmp_path / "x.timeindex"), 100, new=True)
    index.maybe_add(1_000, 101)
    index.maybe_add(1_000, 103)
    index.maybe_add(900, 104)
    index.maybe_add(2_000, 105)
    index.persist()
    assert (tmp_path / "x.timeindex").read_bytes() == struct.pack(">qiqi", 1_000, 1, 2_000, 5)
    again = TimeIndex(str(tmp_path / "x.timeindex"), 100, new=False)
    assert again.last() == (2_000, 105)
    assert again.lookup(999) == (-1, 100)
    assert again.lookup(1_999) == (1_000, 101)
    again.truncate_to(105)
    assert again.entries() == [(1_000, 101)]
    assert again.is_sound()


def test_abort_index_file_is_kafkas(tmp_path: Path) -> None:
    path = tmp_path / "x.txnindex"
    index = AbortIndex(str(path), exists=False)
    index.add(AbortedTransaction(7, 10, 20, 15))
    assert path.read_bytes() == struct.pack(">hqqqq", 0, 7, 10, 20, 15)
    assert list(AbortIndex(str(path), exists=True)) == [AbortedTransaction(7, 10, 20, 15)]


def test_abort_index_collects_what_touches_a_range(tmp_path: Path) -> None:
    index = AbortIndex(str(tmp_path / "x.txnindex"), exists=False)
    first, second, third = (
        AbortedTransaction(1, 0, 10, 5),
        AbortedTransaction(2, 5, 20, 21),
        AbortedTransaction(3, 22, 30, 31),
    )
    for each in (first, second, third):
        index.add(each)
    assert index.collect(0, 100) == ([first, second, third], False)
    assert index.collect(11, 100) == ([second, third], False)
    assert index.collect(0, 5) == ([first], True)
    assert index.collect(11, 21) == ([second], True)


def test_abort_index_truncates_by_marker(tmp_path: Path) -> None:
    path = tmp_path / "x.txnindex"
    index = AbortIndex(str(path), exists=False)
    index.add(AbortedTransaction(1, 0, 10, 5))
    index.add(AbortedTransaction(2, 5, 20, 21))
    index.truncate_to(20)
    assert len(index) == 1
    assert path.stat().st_size == 34


@pytest.mark.parametrize("count", [1, 16, 17, 512, 513, 700])
def test_an_index_is_read_whole_by_the_page_or_from_the_file(tmp_path: Path, count: int) -> None:
    entries = [(101 + number, 10 * number + 10) for number in range(count)]
    data = b"".join(struct.pack(">ii", offset - 100, position) for offset, position in entries)
    (tmp_path / "x.index").write_bytes(data)
    index = offset_index(tmp_path, new=False)
    assert index.is_sound(10 * count)
    assert index.entries() == entries
    index.add(100_000, 20 * count)
    index.persist()
    assert index.entries() == [*entries, (100_000, 20 * count)]
    index.truncate_to(101)
    assert index.entries() == []


def test_an_index_with_half_an_entry_or_without_a_file_is_not_sound(tmp_path: Path) -> None:
    assert not offset_index(tmp_path, new=False).is_sound(100)
    (tmp_path / "x.index").write_bytes(struct.pack(">iii", 5, 50, 10))
    assert not offset_index(tmp_path, new=False).is_sound(100)


class FullDisk(SimulatedFiles):
    is_full = False

    def pwrite(self, *given: Any) -> int:
        if self.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().pwrite(*given)


def test_entries_that_found_no_room_can_be_dropped_while_that_is_handled() -> None:
    files = FullDisk(Random(1))
    index = OffsetIndex("/disk/x.index", 100, new=True, files=files)
    index.add(105, 50)
    index.persist()
    index.add(110, 90)
    files.is_full = True
    try:
        index.persist()
    except OSError:
        index.truncate_to(110)
    else:
        pytest.fail("the disk is full")
    files.is_full = False
    index.add(120, 140)
    index.persist()
    assert (index.lookup(115), index.last()) == ((105, 50), (120, 140))

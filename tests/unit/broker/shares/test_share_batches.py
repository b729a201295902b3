"""Which batches of a slice a share group may see, found by their headers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from riacho.broker.shares.share_batches import fetched_batches, placed_batches, trimmed
from riacho.log.file_slice import FileSlice
from riacho.log.real_files import REAL_FILES
from riacho.shares.acquiring import AcquiredRange, FetchedBatch
from riacho.wire.batch import read_header, stamp
from riacho.wire.records import Record, build_batch


class OneFile:
    def __init__(self, path: Path) -> None:
        self._opened = path.open("rb")
        self.files = REAL_FILES
        self.fd = self._opened.fileno()


class FakeLog:
    def __init__(self, *aborted: tuple[int, int]) -> None:
        self.aborted = list(aborted)

    def aborted_transactions(self, start_offset: int, end_offset: int) -> list[tuple[int, int]]:
        return self.aborted


def written(tmp_path: Path, *batches: dict[str, Any], size_bytes: int = 20) -> FileSlice:
    """Batches of two records each, one after the other."""
    data, offset = bytearray(), 0
    for options in batches:
        records = [Record(offset_delta=at, timestamp_delta=0, key=None, value=b"v" * size_bytes) for at in range(2)]
        one = build_batch(records, base_timestamp=1, **options)
        stamp(one, offset, 0)
        data += one
        offset += 2
    path = tmp_path / "segment"
    path.write_bytes(data)
    opened: Any = OneFile(path)
    return FileSlice(opened, 0, len(data), 0)


def transactional(producer_id: int) -> dict[str, Any]:
    return {"producer_id": producer_id, "producer_epoch": 0, "base_sequence": 0, "transactional": True}


def test_whole_batches_are_found_and_a_cut_one_is_left_out(tmp_path: Path) -> None:
    found = written(tmp_path, {}, {}, {})
    size_bytes = found.size // 3
    assert [(each.position, each.header.base_offset) for each in placed_batches(found)] == [
        (0, 0),
        (size_bytes, 2),
        (2 * size_bytes, 4),
    ]
    cut = FileSlice(found.file, 0, found.size - 1, 0)
    assert len(placed_batches(cut)) == 2
    assert placed_batches(FileSlice(found.file, 0, 40, 0)) == []


def test_batches_larger_than_what_is_read_at_a_time(tmp_path: Path) -> None:
    found = written(tmp_path, *[{}] * 7, size_bytes=20_000)
    assert [each.header.base_offset for each in placed_batches(found)] == [0, 2, 4, 6, 8, 10, 12]


def test_many_small_batches(tmp_path: Path) -> None:
    found = written(tmp_path, *[{}] * 1_000)
    assert [each.header.base_offset for each in placed_batches(found)] == list(range(0, 2_000, 2))


def test_read_uncommitted_sees_all_and_read_committed_not_what_was_aborted(tmp_path: Path) -> None:
    found = written(tmp_path, transactional(1), transactional(2), {}, transactional(1))
    batches = placed_batches(found)
    log: Any = FakeLog((1, 0))
    assert not any(each.is_hidden for each in fetched_batches(batches, log, is_read_committed=False))
    assert fetched_batches(batches, log, is_read_committed=True) == [
        FetchedBatch(0, 1, True),
        FetchedBatch(2, 3, False),
        FetchedBatch(4, 5, False),
        FetchedBatch(6, 7, True),
    ]
    later: Any = FakeLog((1, 6))
    assert [each.is_hidden for each in fetched_batches(batches, later, is_read_committed=True)] == [
        False,
        False,
        False,
        True,
    ]


def test_what_was_not_acquired_at_the_ends_stays_out(tmp_path: Path) -> None:
    found = written(tmp_path, {}, {}, {}, {})
    batches = placed_batches(found)
    ranges = [AcquiredRange(3, 3, 1), AcquiredRange(4, 4, 2)]
    piece = trimmed(found, batches, ranges)
    assert (read_header(piece.read()).base_offset, piece.size) == (2, 2 * batches[0].size_bytes)

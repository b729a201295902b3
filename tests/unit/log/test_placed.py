"""A follower's writes: runs of batches in one go leave what single ones would, and a bad batch ends a run."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log import placed
from riacho.log.log import Log
from riacho.log.markers import build_marker
from riacho.log.placed import append_placed
from riacho.wire.batch import read_header, stamp
from support.log_files import append, make_batch, open_log, read_batches, read_records


def _run(count: int, first_offset: int = 0, *, epoch: int = 0, size: int = 50, step_ms: int = 1) -> bytes:
    """Batches of two records each, as a leader would send them."""
    out = bytearray()
    for number in range(count):
        batch = make_batch([b"x" * size, b"%d" % number], timestamp=1_000 + number * step_ms)
        stamp(batch, first_offset + 2 * number, epoch)
        out += batch
    return bytes(out)


def _files(log: Log) -> dict[str, bytes]:
    log.close(clean=True)
    return {
        name: Path(log.directory, name).read_bytes()
        for name in sorted(os.listdir(log.directory))
        if "metadata" not in name
    }


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"index_interval_bytes": 300},
        {"segment_size_bytes_max": 2_000, "index_interval_bytes": 200},
        {"segment_ms": 20},
        {"index_size_bytes_max": 60, "index_interval_bytes": 10},
        {"flush_messages": 7},
    ],
)
def test_a_run_leaves_what_single_batches_would(tmp_path: Path, config: dict[str, int]) -> None:
    at_once, single = open_log(tmp_path / "run", **config), open_log(tmp_path / "single", **config)
    chance = random.Random(7)
    offset = 0
    for _ in range(10):
        count = chance.randint(1, 12)
        data = _run(count, offset, size=chance.randint(1, 300), step_ms=3)
        offset += 2 * count
        assert append_placed(at_once, data, 1_000) == len(data)
        for position in _positions(data):
            append_placed(single, data[position[0] : position[1]], 1_000)
        assert at_once.log_end_offset == single.log_end_offset == offset
    assert len(at_once.segments) == len(single.segments)
    assert read_batches(at_once) == read_batches(single)
    assert [each[0] for each in read_records(at_once)] == list(range(offset))
    assert _files(at_once) == _files(single)


def _positions(data: bytes) -> list[tuple[int, int]]:
    batches, flaw = placed.prove(memoryview(data), 0)
    assert flaw is None
    return [(position, position + header.size_bytes) for position, header in batches]


def test_a_run_is_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(tmp_path / "t-0")
    written = []
    original = os.pwrite

    def counted(fd: int, data: bytes, position: int) -> int:
        written.append(len(data))
        return original(fd, data, position)

    monkeypatch.setattr(log.segments.active.open_file(), "pwrite", counted)
    data = _run(40)
    append_placed(log, data, 1_000)
    assert written == [len(data)]


def test_every_batch_of_a_run_is_found(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append_placed(log, _run(100), 1_000)
    for offset in (0, 1, 2, 77, 150, 199):
        assert read_records(log, offset)[0][0] == offset - offset % 2


def test_epochs_of_a_run_are_noted(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append_placed(log, _run(2, 0, epoch=1) + _run(2, 4, epoch=4), 1_000)
    assert log.epochs.entries == ((1, 0), (4, 4))


def test_what_came_before_a_bad_batch_is_kept(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    broken = bytearray(_run(3))
    broken[-1] ^= 1
    with pytest.raises(KafkaError) as raised:
        append_placed(log, bytes(broken), 1_000)
    assert raised.value.code is ErrorCode.CORRUPT_MESSAGE
    assert log.log_end_offset == 4
    append_placed(log, _run(1, 4), 1_000)
    assert len(read_batches(log)) == 3


@pytest.mark.parametrize("at", [16, 23])
def test_a_batch_of_no_known_form_is_refused(tmp_path: Path, at: int) -> None:
    """Magic, and a last offset delta below zero."""
    log = open_log(tmp_path / "t-0")
    broken = bytearray(_run(1))
    broken[at] = 0xFF
    with pytest.raises(KafkaError) as raised:
        append_placed(log, bytes(broken), 1_000)
    assert raised.value.code is ErrorCode.CORRUPT_MESSAGE
    assert log.log_end_offset == 0


def test_offsets_that_go_back_are_refused(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    with pytest.raises(KafkaError) as raised:
        append_placed(log, _run(2, 10) + _run(1, 12), 1_000)
    assert raised.value.code is ErrorCode.OFFSET_OUT_OF_RANGE
    assert log.log_end_offset == 14


def test_a_partial_batch_at_the_end_is_left_out(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    data = _run(2)
    assert append_placed(log, data[:-1], 1_000) == len(_run(1))
    assert log.log_end_offset == 2
    assert append_placed(log, data[:30], 1_000) == 0


def test_transactions_of_a_run_are_followed(tmp_path: Path) -> None:
    leading, following = open_log(tmp_path / "l-0"), open_log(tmp_path / "f-0")
    for number in range(3):
        fields = {"producer_id": 5, "producer_epoch": 0, "base_sequence": number}
        append(leading, b"%d" % number, transactional=True, **fields)
    marker = build_marker(5, 0, aborted=True, coordinator_epoch=0, timestamp_ms=1_000)
    leading.append(marker, read_header(marker), 0, 1_000)
    data = leading.read(0, 1 << 20, end_offset=4, at_least_one=True)
    assert data is not None
    append_placed(following, data.read(), 1_000)
    following.high_watermark = leading.high_watermark = 4
    assert following.aborted_transactions(0, 4) == leading.aborted_transactions(0, 4) == [(5, 0)]
    assert following.last_stable_offset == leading.last_stable_offset == 4
    assert _files(following) == _files(leading)


def test_an_empty_log_takes_a_whole_batch_and_starts_in_its_middle(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    log.truncate_fully_and_start_at(5, 1_000)
    append_placed(log, _run(2, 4), 1_000)
    assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (5, 8, 5)


def test_starting_over_counts_what_is_gone_as_committed(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append_placed(log, _run(3), 1_000)
    log.truncate_fully_and_start_at(100, 1_000)
    assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (100, 100, 100)


def test_a_full_disk_leaves_nothing_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = open_log(tmp_path / "t-0")
    append_placed(log, _run(2), 1_000)
    original = os.pwrite
    calls = 0

    def half(fd: int, data: bytes, position: int) -> int:
        nonlocal calls
        calls += 1
        if calls == 1:
            return original(fd, memoryview(data)[: len(data) // 2], position)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(log.segments.active.open_file(), "pwrite", half)
    with pytest.raises(KafkaError):
        append_placed(log, _run(4, 4), 1_000)
    monkeypatch.undo()
    assert log.log_end_offset == 4
    assert append_placed(log, _run(4, 4), 1_000)
    assert len(read_batches(log)) == 6

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.log import Log
from riacho.log.recovery import Loader
from riacho.log.scan import scan_batches
from riacho.wire.batch import iterate_headers
from support.log_files import append, make_batch, open_log, read_batches, read_records


def build(directory: Path, batches: int = 8, **config: object) -> Log:
    log = open_log(directory, **config)
    for number in range(batches):
        append(
            log, b"value-%d" % number, b"more", epoch=number // 3, timestamp=1_000 + number,
            producer_id=1, producer_epoch=0, base_sequence=2 * number,
        )  # fmt: skip
    return log


def state(log: Log) -> tuple[object, ...]:
    return (
        log.log_start_offset,
        log.log_end_offset,
        log.size_bytes,
        log.epochs.entries,
        [(known.producer_id, known.epoch, known.last_sequence, known.last_offset) for known in log.producers()],
        [batch for _, batch in read_batches(log)],
        log.max_timestamp(),
        [segment.time_index.last() for segment in log.segments],
    )


@pytest.mark.parametrize("clean", [True, False])
def test_a_reopened_log_is_the_log_that_was_closed(tmp_path: Path, clean: bool) -> None:
    log = build(tmp_path / "t-0", index_interval_bytes=100, segment_size_bytes_max=300)
    assert len(log.segments) > 2
    log.close(clean=clean)
    again = open_log(tmp_path / "t-0", clean=clean, index_interval_bytes=100)
    assert again.truncated_size_bytes == 0
    assert state(again)[:-1] == state(log)[:-1]
    assert append(again, b"next", producer_id=1, producer_epoch=0, base_sequence=16).base_offset == 16


def test_a_clean_open_reads_no_batch_but_the_tail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = build(tmp_path / "t-0", 50, index_interval_bytes=200, segment_size_bytes_max=2_000)
    log.close(clean=True)
    monkeypatch.setattr("riacho.log.recovery.scan_batches", None)
    again = open_log(tmp_path / "t-0", clean=True, recovery_point=100, index_interval_bytes=200)
    assert again.log_end_offset == 100
    assert again.recovery_point == 100


def test_a_cut_at_every_byte_keeps_every_whole_batch(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", index_interval_bytes=150)
    log.close(clean=False)
    segment = tmp_path / "t-0" / f"{0:020d}.log"
    data = segment.read_bytes()
    starts = [position for position, _ in iterate_headers(data)] + [len(data)]
    for cut in range(starts[-3], len(data)):
        crashed = tmp_path / f"cut-{cut}"
        shutil.copytree(tmp_path / "t-0", crashed)
        segment = crashed / f"{0:020d}.log"
        segment.write_bytes(data[:cut])
        again = open_log(crashed, index_interval_bytes=150)
        whole = sum(1 for start in starts[1:] if start <= cut)
        assert again.log_end_offset == 2 * whole
        assert again.size_bytes == starts[whole] == segment.stat().st_size
        assert again.truncated_size_bytes == cut - starts[whole]
        assert [producer.last_sequence for producer in again.producers()] == [2 * whole - 1]
        assert again.latest_epoch == (whole - 1) // 3
        assert append(again, b"on", epoch=9).base_offset == 2 * whole
        again.close(clean=False)


def test_a_flipped_byte_in_the_last_batches_ends_the_log_there(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0")
    log.close(clean=False)
    segment = tmp_path / "t-0" / f"{0:020d}.log"
    data = segment.read_bytes()
    starts = [position for position, _ in iterate_headers(data)] + [len(data)]
    for position in range(starts[-3], len(data)):
        broken = bytearray(data)
        broken[position] ^= 0xFF
        segment.write_bytes(broken)
        again = open_log(tmp_path / "t-0")
        whole = next(number for number, start in enumerate(starts[1:]) if position < start)
        in_batch = position - starts[whole]
        if 12 <= in_batch < 16:
            # The leader epoch, like the base offset, is outside the checksum: the batch is whole.
            whole = len(starts) - 1
        elif in_batch < 8:
            # A base offset that is too small is noticed; one that is too great looks like a compacted gap.
            whole = len([1 for _ in read_batches(again)])
        assert [header.base_offset for header, _ in read_batches(again)][:6] == [0, 2, 4, 6, 8, 10]
        assert again.size_bytes == starts[whole]
        again.close(clean=False)


def test_garbage_after_the_end_is_cut(tmp_path: Path) -> None:
    build(tmp_path / "t-0").close(clean=False)
    segment = tmp_path / "t-0" / f"{0:020d}.log"
    whole = segment.read_bytes()
    for garbage in (b"\0", bytes(200), b"\xff" * 70, whole[:61], bytes(make_batch([b"old"]))):
        segment.write_bytes(whole + garbage)
        again = open_log(tmp_path / "t-0")
        assert again.log_end_offset == 16
        assert segment.read_bytes() == whole


def test_a_broken_segment_takes_the_later_ones_with_it(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", 9, segment_size_bytes_max=200)
    assert len(log.segments) > 3
    second = Path(log.segments[1].path)
    log.close(clean=False)
    data = bytearray(second.read_bytes())
    data[-1] ^= 1
    second.write_bytes(data)
    again = open_log(tmp_path / "t-0", segment_size_bytes_max=400)
    assert len(again.segments) == 2
    assert again.log_end_offset == log.segments[2].base_offset - 2
    assert again.epochs.entries == ((0, 0),)
    assert not list((tmp_path / "t-0").glob(f"{log.segments[3].base_offset:020d}.*"))
    assert append(again, b"x", producer_id=1, producer_epoch=0, base_sequence=again.log_end_offset).duplicate is False


@pytest.mark.parametrize("batches_kept", [0, 1])
def test_batches_missing_before_the_next_segment_end_the_log(tmp_path: Path, batches_kept: int) -> None:
    """A power failure may take whole batches of one file, and nothing of the file after it."""
    log = build(tmp_path / "t-0", 9, segment_size_bytes_max=300)
    second = log.segments[1]
    assert log.segments[2].base_offset - second.base_offset > 2 * batches_kept
    headers = list(iterate_headers(Path(second.path).read_bytes()))
    log.close(clean=False)
    os.truncate(second.path, headers[batches_kept][0])
    again = open_log(tmp_path / "t-0", segment_size_bytes_max=300)
    assert again.log_end_offset == second.base_offset + 2 * batches_kept
    assert len(again.segments) == 2
    assert len(read_records(again)) == again.log_end_offset


def test_gaps_that_compaction_leaves_do_not_end_the_log(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", 9, segment_size_bytes_max=300, cleanup_policy=frozenset({"compact"}))
    second = log.segments[1]
    headers = list(iterate_headers(Path(second.path).read_bytes()))
    log.close(clean=False)
    os.truncate(second.path, headers[1][0])
    again = open_log(tmp_path / "t-0", segment_size_bytes_max=300, cleanup_policy=frozenset({"compact"}))
    assert again.log_end_offset == 18


def test_segments_below_the_recovery_point_are_not_read(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", 9, segment_size_bytes_max=400)
    log.flush()
    first = Path(log.segments.first.path)
    log.close(clean=False)
    data = bytearray(first.read_bytes())
    data[-1] ^= 1
    first.write_bytes(data)
    again = open_log(tmp_path / "t-0", recovery_point=log.recovery_point)
    assert again.log_end_offset == 18


@pytest.mark.parametrize("suffix", ["index", "timeindex"])
@pytest.mark.parametrize("damage", ["missing", "short", "zeros"])
def test_lost_indexes_are_made_anew(tmp_path: Path, suffix: str, damage: str) -> None:
    log = build(tmp_path / "t-0", 30, index_interval_bytes=200)
    log.roll(0)
    append(log, b"last", epoch=9)
    log.close(clean=True)
    path = tmp_path / "t-0" / f"{0:020d}.{suffix}"
    whole = path.read_bytes()
    assert len(whole) > 24
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(whole[:-5] if damage == "short" else whole + bytes(240))
    again = open_log(tmp_path / "t-0", clean=True, index_interval_bytes=200)
    assert again.log_end_offset == 61
    assert [len(read_records(again, offset)) for offset in (0, 33, 58)] == [61, 29, 3]
    assert again.lookup_timestamp(1_020) == (1_020, 40, 6)
    if damage != "zeros":
        assert path.read_bytes() == whole


def test_an_index_of_another_segment_does_not_mislead(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", 30, index_interval_bytes=200)
    log.close(clean=True)
    other = open_log(tmp_path / "t-1", index_interval_bytes=200)
    for number in range(30):
        append(other, b"x" * (number + 1))
    other.close(clean=True)
    shutil.copy(tmp_path / "t-1" / f"{0:020d}.index", tmp_path / "t-0" / f"{0:020d}.index")
    again = open_log(tmp_path / "t-0", clean=False, recovery_point=60, index_interval_bytes=200)
    assert [len(read_records(again, offset)) for offset in (0, 33, 58)] == [60, 28, 2]


def test_index_files_without_a_log_are_removed(tmp_path: Path) -> None:
    build(tmp_path / "t-0").close(clean=True)
    stray = tmp_path / "t-0" / f"{500:020d}.index"
    stray.write_bytes(bytes(8))
    open_log(tmp_path / "t-0", clean=True)
    assert not stray.exists()


def test_a_broken_snapshot_falls_back_to_an_earlier_one(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", 4)
    log.roll(0)
    append(log, b"x", producer_id=2, producer_epoch=0, base_sequence=0)
    log.close(clean=True)
    newest = tmp_path / "t-0" / f"{9:020d}.snapshot"
    newest.write_bytes(newest.read_bytes()[:-1])
    again = open_log(tmp_path / "t-0", clean=True)
    assert {(known.producer_id, known.last_sequence) for known in again.producers()} == {(1, 7), (2, 0)}


def test_a_broken_epoch_file_is_made_anew(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", segment_size_bytes_max=400)
    log.close(clean=True)
    (tmp_path / "t-0" / "leader-epoch-checkpoint").write_text("0\n9\n")
    again = open_log(tmp_path / "t-0", clean=True)
    assert again.epochs.entries == log.epochs.entries
    assert (tmp_path / "t-0" / "leader-epoch-checkpoint").read_text() == "0\n3\n0 0\n1 6\n2 12\n"


@pytest.mark.parametrize("damage", [b"", b"0\n9\n", b"\xff\x00", b"0\n2\n2 12\n1 6\n", None])
@pytest.mark.parametrize("recovery_point", [0, 7, 16])
def test_epochs_without_their_file_come_from_all_segments_after_a_crash(
    tmp_path: Path, damage: bytes | None, recovery_point: int
) -> None:
    log = build(tmp_path / "t-0", segment_size_bytes_max=300)
    log.flush()
    log.close(clean=False)
    file = tmp_path / "t-0" / "leader-epoch-checkpoint"
    file.unlink() if damage is None else file.write_bytes(damage)
    again = open_log(tmp_path / "t-0", recovery_point=recovery_point, segment_size_bytes_max=300)
    assert again.epochs.entries == log.epochs.entries == ((0, 0), (1, 6), (2, 12))
    again.close(clean=True)
    assert file.read_text() == "0\n3\n0 0\n1 6\n2 12\n"


def test_batches_past_the_recovery_point_know_their_epochs_better_than_the_file(tmp_path: Path) -> None:
    """The file is of before a truncation: the log went on with what an earlier epoch had written."""
    log = build(tmp_path / "t-0", 4)
    log.flush()
    append(log, b"of a lost leader", epoch=5)
    log.flush()
    log.close(clean=False)
    stale = (tmp_path / "t-0" / "leader-epoch-checkpoint").read_text()
    log = open_log(tmp_path / "t-0")
    log.truncate_to(8)
    append(log, b"of the last good leader", epoch=1)
    log.close(clean=False)
    (tmp_path / "t-0" / "leader-epoch-checkpoint").write_text(stale)
    again = open_log(tmp_path / "t-0")
    assert again.epochs.entries == ((0, 0), (1, 6))


def test_a_damaged_old_segment_does_not_keep_epochs_from_being_found(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", segment_size_bytes_max=300)
    log.flush()
    log.close(clean=False)
    (tmp_path / "t-0" / "leader-epoch-checkpoint").write_bytes(b"")
    first = tmp_path / "t-0" / f"{0:020d}.log"
    first.write_bytes(first.read_bytes()[:100] + bytes(first.stat().st_size - 100))
    again = open_log(tmp_path / "t-0", recovery_point=16, segment_size_bytes_max=300)
    assert again.epochs.entries == ((0, 0), (1, 6), (2, 12))


def test_the_log_start_is_kept(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0")
    log.high_watermark = 16
    log.delete_records(5)
    log.close(clean=False)
    again = open_log(tmp_path / "t-0", log_start_offset=5)
    assert again.log_start_offset == 5
    assert again.epochs.entries == ((0, 5), (1, 6), (2, 12))


def test_a_log_cut_below_its_start_goes_on_from_there(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0")
    log.close(clean=False)
    (tmp_path / "t-0" / f"{0:020d}.log").write_bytes(b"")
    again = open_log(tmp_path / "t-0", log_start_offset=12)
    assert (again.log_start_offset, again.log_end_offset) == (12, 12)
    assert append(again, b"on").base_offset == 12


def test_recovery_proves_batches_larger_than_a_read(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    for size in (10, 3_000_000, 20, 1_048_515, 30):
        append(log, b"z" * size)
    log.close(clean=False)
    again = open_log(tmp_path / "t-0")
    assert again.log_end_offset == 5
    fd = again.segments.first.open_file().fd
    assert [len(batch) for _, _, batch in scan_batches(fd, 0, again.size_bytes)][1] > 3_000_000


def test_a_clean_mark_on_a_torn_log_does_no_harm(tmp_path: Path) -> None:
    build(tmp_path / "t-0").close(clean=True)
    segment = tmp_path / "t-0" / f"{0:020d}.log"
    segment.write_bytes(segment.read_bytes()[:-4])
    again = open_log(tmp_path / "t-0", clean=True)
    assert again.log_end_offset == 14
    assert [known.last_sequence for known in again.producers()] == [13]


def test_loader_reports_what_it_cut(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0")
    log.close(clean=False)
    segment = tmp_path / "t-0" / f"{0:020d}.log"
    segment.write_bytes(segment.read_bytes() + b"torn")
    names = [path.name for path in (tmp_path / "t-0").iterdir()]
    loaded = Loader(str(tmp_path / "t-0"), names, log.config, 0).load(
        clean_shutdown=False, recovery_point=0, log_start_offset=0
    )
    assert loaded.truncated_size_bytes == 4


def test_all_five_batches_are_known_again_after_a_clean_restart(tmp_path: Path) -> None:
    log = build(tmp_path / "t-0", 8, index_interval_bytes=100, segment_size_bytes_max=300)
    log.close(clean=True)
    for number in range(2, 8):
        again = open_log(tmp_path / "t-0", clean=True)
        producer = {"producer_id": 1, "producer_epoch": 0, "base_sequence": 2 * number}
        if number == 2:
            with pytest.raises(KafkaError) as caught:
                append(again, b"old", b"more", **producer)
            assert caught.value.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        else:
            assert append(again, b"again", b"more", **producer) == (2 * number, 2 * number + 1, True)

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log import open_files
from riacho.log.log import Log
from riacho.log.placed import append_placed
from riacho.wire.batch import iterate_headers, read_header
from support.log_files import append, make_batch, open_log, read_records


def names(log: Log) -> set[str]:
    return {path.name for path in Path(log.directory).iterdir()}


def test_append_assigns_offsets_and_stamps_the_epoch(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    assert append(log, b"a", b"b", epoch=3) == (0, 1, False)
    assert append(log, b"c", epoch=4) == (2, 2, False)
    headers = [header for _, header in iterate_headers((tmp_path / "t-0" / f"{0:020d}.log").read_bytes())]
    assert [(h.base_offset, h.partition_leader_epoch) for h in headers] == [(0, 3), (2, 4)]
    assert log.log_end_offset == 3
    assert log.latest_epoch == 4
    log.flush()
    assert (tmp_path / "t-0" / "leader-epoch-checkpoint").read_text() == "0\n2\n3 0\n4 2\n"


def test_an_empty_log_holds_no_descriptor(tmp_path: Path) -> None:
    before = len(open_files.SHARED)
    log = open_log(tmp_path / "t-0")
    assert len(open_files.SHARED) == before
    # As on Kafka, which takes a segment without its indexes for a damaged one.
    assert names(log) == {f"{0:020d}{suffix}" for suffix in (".log", ".index", ".timeindex")} | {"partition.metadata"}


def test_another_topic_id_is_refused(tmp_path: Path) -> None:
    open_log(tmp_path / "t-0").close(clean=True)
    with pytest.raises(KafkaError) as caught:
        Log.open(tmp_path / "t-0", open_log(tmp_path / "u-0").config, topic_id=bytes(16), now_ms=0, clean_shutdown=True)
    assert caught.value.code is ErrorCode.INCONSISTENT_TOPIC_ID


def test_read_returns_whole_batches_from_the_one_with_the_offset(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    for number in range(5):
        append(log, b"%d" % number, b"%d" % number)
    piece = log.read(3, 1 << 20, end_offset=10, at_least_one=True)
    assert piece is not None
    assert [header.base_offset for _, header in iterate_headers(piece.read())] == [2, 4, 6, 8]


def test_read_stops_at_the_end_offset(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    for number in range(5):
        append(log, b"%d" % number, b"%d" % number)
    for end_offset, bases in ((4, [0, 2]), (5, [0, 2]), (2, [0]), (10, [0, 2, 4, 6, 8]), (99, [0, 2, 4, 6, 8])):
        piece = log.read(0, 1 << 20, end_offset=end_offset, at_least_one=True)
        assert piece is not None
        assert [header.base_offset for _, header in iterate_headers(piece.read())] == bases
    assert log.read(0, 1 << 20, end_offset=1, at_least_one=True) is None
    assert log.read(4, 1 << 20, end_offset=4, at_least_one=True) is None


def test_read_keeps_the_byte_limit_but_for_the_first_batch(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    sizes = []
    for size in (100, 300, 200):
        append(log, b"x" * size)
        sizes.append(log.size_bytes - sum(sizes))
    two = log.read(0, sizes[0] + sizes[1] + 10, end_offset=3, at_least_one=True)
    assert two is not None
    assert two.size == sizes[0] + sizes[1] + 10
    first = log.read(1, 10, end_offset=3, at_least_one=True)
    assert first is not None
    assert first.size == sizes[1]
    assert log.read(1, 10, end_offset=3, at_least_one=False) is None
    assert log.read(1, sizes[1] - 1, end_offset=3, at_least_one=False) is None


def test_read_out_of_range(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a")
    assert log.read(1, 100, end_offset=1, at_least_one=True) is None
    for offset in (-1, 2):
        with pytest.raises(KafkaError) as caught:
            log.read(offset, 100, end_offset=1, at_least_one=True)
        assert caught.value.code is ErrorCode.OFFSET_OUT_OF_RANGE


def test_reads_everywhere_agree_with_the_appends(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", index_interval_bytes=200, segment_size_bytes_max=4_000)
    for number in range(200):
        append(log, *[b"%d" % number] * (1 + number % 3))
    expected = [(offset, value) for offset, _, value in read_records(log)]
    assert [offset for offset, _ in expected] == list(range(log.log_end_offset))
    assert len(log.segments) > 3
    for offset in range(log.log_end_offset):
        piece = log.read(offset, 1, end_offset=log.log_end_offset, at_least_one=True)
        assert piece is not None
        header = read_header(piece.read())
        assert header.base_offset <= offset <= header.last_offset
        assert piece.size == header.size_bytes


def test_a_slice_outlives_its_segment(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", file_delete_delay_ms=0)
    append(log, b"kept")
    log.roll(1_000)
    append(log, b"new")
    piece = log.read(0, 1 << 20, end_offset=2, at_least_one=True)
    assert piece is not None
    before = piece.read()
    log.high_watermark = 2
    log.delete_records(1)
    log.enforce_retention(2_000)
    assert f"{0:020d}.log" not in names(log)
    assert f"{0:020d}.log.deleted" not in names(log)
    assert piece.read() == before


def test_descriptors_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "SHARED", open_files.OpenFiles(4))
    logs = [open_log(tmp_path / f"t-{number}") for number in range(10)]
    pieces = []
    for _ in range(3):
        for log in logs:
            append(log, b"x")
            pieces.append(log.read(log.log_end_offset - 1, 100, end_offset=log.log_end_offset, at_least_one=True))
            assert len(open_files.SHARED) <= 4
    assert all(piece is not None and len(piece.read()) == piece.size for piece in pieces)
    assert all(len(read_records(log)) == 3 for log in logs)


def test_a_repeated_batch_is_answered_with_its_first_offsets(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    fields = {"producer_id": 5, "producer_epoch": 0}
    append(log, b"other")
    assert append(log, b"a", b"b", base_sequence=0, **fields) == (1, 2, False)
    assert append(log, b"c", base_sequence=2, **fields) == (3, 3, False)
    assert append(log, b"a", b"b", base_sequence=0, **fields) == (1, 2, True)
    assert log.log_end_offset == 4
    with pytest.raises(KafkaError) as caught:
        append(log, b"e", base_sequence=4, **fields)
    assert caught.value.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert log.log_end_offset == 4


def test_rolls_by_size(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", segment_size_bytes_max=400)
    for _ in range(4):
        append(log, b"x" * 100)
    assert [segment.base_offset for segment in log.segments] == [0, 2]
    assert {f"{2:020d}.log", f"{2:020d}.snapshot", f"{0:020d}.index", f"{0:020d}.timeindex"} <= names(log)


def test_a_batch_larger_than_a_segment_is_refused(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", segment_size_bytes_max=400)
    append(log, b"x")
    with pytest.raises(KafkaError) as caught:
        append(log, b"x" * 400)
    assert caught.value.code is ErrorCode.RECORD_LIST_TOO_LARGE
    assert append(log, b"y").base_offset == 1


def test_rolls_by_the_time_between_batches(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", segment_ms=1_000)
    append(log, b"a", timestamp=5_000)
    append(log, b"b", timestamp=6_000)
    append(log, b"c", timestamp=6_001)
    assert [segment.base_offset for segment in log.segments] == [0, 2]


def test_rolls_by_the_clock_where_batches_have_no_time(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", segment_ms=1_000, now_ms=1_000)
    append(log, b"a", timestamp=-1, now_ms=1_500)
    append(log, b"b", timestamp=-1, now_ms=2_001)
    created_ms = log.segments.first.created_ms
    append(log, b"c", timestamp=-1, now_ms=created_ms + 1_001)
    assert log.segments.active.size_bytes > 0
    assert len(log.segments) == 2


def test_rolls_when_an_index_is_full(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", index_interval_bytes=0, index_size_bytes_max=36)
    for number in range(20):
        append(log, b"x", timestamp=1_000 + number)
    assert len(log.segments) > 3
    assert all(len(segment.time_index) <= 3 for segment in log.segments)
    assert len(read_records(log)) == 20


def test_rolls_where_a_relative_offset_would_overflow(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a")
    far = make_batch([b"b"], base_offset=1 << 31, leader_epoch=0)
    append_placed(log, far)
    assert [segment.base_offset for segment in log.segments] == [0, 1 << 31]
    assert log.log_end_offset == (1 << 31) + 1
    further = make_batch([b"c"], base_offset=1 << 33, leader_epoch=0)
    append_placed(log, further)
    assert [offset for offset, _, _ in read_records(log)] == [0, 1 << 31, 1 << 33]


def test_an_empty_segment_too_far_below_is_replaced(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append_placed(log, make_batch([b"b"], base_offset=1 << 40, leader_epoch=2))
    assert [segment.base_offset for segment in log.segments] == [1 << 40]
    assert log.epoch_for_offset(1 << 40) == 2


def test_jitter_is_each_segments_own_and_the_same_in_every_run(tmp_path: Path) -> None:
    def jitters(root: Path) -> list[int]:
        found = []
        for index in range(8):
            log = open_log(root / f"t-{index}", segment_ms=60_000, segment_jitter_ms=60_000)
            append(log, b"v", timestamp=1_000)
            log.roll(1_000)
            found.append(log.segments.active.roll_jitter_ms)
        return found

    first = jitters(tmp_path / "first")
    assert first == jitters(tmp_path / "second")
    assert len(set(first)) == 8
    assert all(0 <= jitter_ms < 60_000 for jitter_ms in first)


def test_jitter_rolls_early(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", segment_ms=1_000, segment_jitter_ms=1_000)
    append(log, b"a", timestamp=1_000)
    log.roll(1_000)
    assert 0 <= log.segments.active.roll_jitter_ms < 1_000


def test_follower_keeps_offsets_and_epochs_and_leaves_a_partial_batch(tmp_path: Path) -> None:
    leader, follower = open_log(tmp_path / "t-0"), open_log(tmp_path / "t-1")
    append(leader, b"a", epoch=1)
    append(leader, b"b", b"c", epoch=2)
    append(leader, b"d", epoch=2)
    piece = leader.read(0, 1 << 20, end_offset=4, at_least_one=True)
    assert piece is not None
    data = piece.read()
    taken = append_placed(follower, data[:-3])
    assert follower.log_end_offset == 3
    append_placed(follower, data[taken:])
    assert read_records(follower) == read_records(leader)
    assert follower.epochs.entries == leader.epochs.entries


def test_follower_refuses_a_broken_or_a_known_batch(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    batch = make_batch([b"abc"], base_offset=5, leader_epoch=0)
    broken = bytearray(batch)
    broken[-1] ^= 1
    with pytest.raises(KafkaError) as caught:
        append_placed(log, broken)
    assert caught.value.code is ErrorCode.CORRUPT_MESSAGE
    append_placed(log, batch)
    with pytest.raises(KafkaError) as caught:
        append_placed(log, batch)
    assert caught.value.code is ErrorCode.OFFSET_OUT_OF_RANGE


def test_a_full_disk_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"x" * 1_000)
    size = log.size_bytes
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 500, limits[1]))
    try:
        for _ in range(3):
            with pytest.raises(KafkaError) as caught:
                append(log, b"y" * 1_000, epoch=1, producer_id=3, producer_epoch=0, base_sequence=0)
            assert caught.value.code is ErrorCode.KAFKA_STORAGE_ERROR
            assert "File too large" in caught.value.detail
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "t-0" / f"{0:020d}.log").stat().st_size == size == log.size_bytes
    assert log.log_end_offset == 1
    assert log.latest_epoch == 0
    assert append(log, b"z", producer_id=3, producer_epoch=0, base_sequence=0).base_offset == 1
    assert [value for _, _, value in read_records(log)] == [b"x" * 1_000, b"z"]


def test_flush_by_messages_and_by_time(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", flush_messages=3, flush_ms=500)
    append(log, b"a", b"b")
    assert log.recovery_point == 0
    append(log, b"c")
    assert log.recovery_point == 3
    append(log, b"d", now_ms=1_200)
    assert not log.flush_if_due(1_499)
    assert log.flush_if_due(1_500)
    assert log.recovery_point == 4
    assert not log.flush_if_due(9_999)


def test_a_roll_asks_for_a_flush_that_can_run_elsewhere(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a")
    assert not log.needs_flush
    log.roll(1_000)
    assert log.needs_flush
    work = log.flush_work()
    append(log, b"b")
    work.run()
    log.flushed(work, 1_000)
    assert log.recovery_point == 1
    assert not log.needs_flush


def test_high_watermark_only_grows_within_the_log(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", b"b")
    log.high_watermark = 9
    assert log.high_watermark == 2
    log.high_watermark = 1
    assert log.high_watermark == 2


def test_truncation(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0", segment_size_bytes_max=400, index_interval_bytes=0)
    for number in range(9):
        append(log, b"%d" % number * 100, epoch=number // 3, producer_id=1, producer_epoch=0, base_sequence=number)
    log.high_watermark = 9
    log.truncate_to(99)
    assert log.log_end_offset == 9
    log.truncate_to(5)
    assert (log.log_end_offset, log.high_watermark, log.latest_epoch) == (5, 5, 1)
    assert [offset for offset, _, _ in read_records(log)] == [0, 1, 2, 3, 4]
    assert [producer.last_sequence for producer in log.producers()] == [4]
    assert append(log, b"again", epoch=4, producer_id=1, producer_epoch=0, base_sequence=5).base_offset == 5
    log.truncate_to(0)
    assert (log.log_end_offset, log.size_bytes, log.producers()) == (0, 0, [])
    append(log, b"anew")
    assert len(read_records(log)) == 1


def test_truncation_below_the_first_segment_starts_over(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a", b"b", b"c")
    log.truncate_fully_and_start_at(100)
    assert (log.log_start_offset, log.log_end_offset) == (100, 100)
    append(log, b"d")
    log.truncate_to(50)
    assert (log.log_start_offset, log.log_end_offset) == (50, 50)
    assert append(log, b"e").base_offset == 50

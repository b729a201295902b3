from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.cleaner import commit
from riacho.log.cleaning import Cleaned, CleaningAborted, build_offset_map, clean, remove_files
from riacho.log.compaction import CleaningPlan, cleanable, group_sources, plan_cleaning
from riacho.log.config import LogConfig
from riacho.log.log import Log
from riacho.log.placed import append_placed
from riacho.wire.compression import Codec
from support.log_files import append, append_marker, make_batch, open_log, read_batches, read_records

COMPACT = frozenset({"compact"})
DAY_MS = 24 * 3_600_000


def compacted(path: Path, **config: object) -> Log:
    return open_log(path / "t-0", cleanup_policy=COMPACT, **config)


def put(log: Log, *pairs: tuple[bytes, bytes | None], **fields: object) -> None:
    keys, values = [key for key, _ in pairs], [value for _, value in pairs]
    append(log, *values, keys=keys, **fields)  # type: ignore[arg-type]


def plan(log: Log, cleaned_offset: int | None = None, now_ms: int = 2_000, **kwargs: int) -> CleaningPlan:
    log.high_watermark = log.log_end_offset
    made = plan_cleaning(log, cleanable(log, cleaned_offset, now_ms), now_ms, **kwargs)
    assert made is not None
    return made


def compact(log: Log, cleaned_offset: int | None = None, now_ms: int = 2_000, **kwargs: int) -> Cleaned:
    done = clean(plan(log, cleaned_offset, now_ms, **kwargs))
    assert commit(log, done, now_ms)
    return done


def test_only_the_latest_of_each_key_stays_where_it_was(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", b"1"), (b"b", b"1"))
    put(log, (b"a", b"2"))
    put(log, (b"c", b"1"), (b"a", b"3"))
    log.roll(0)
    put(log, (b"b", b"2"))
    done = compact(log)
    assert done.end_offset == 5
    # The later b is in the active segment, which has no say yet.
    assert read_records(log) == [(1, b"b", b"1"), (3, b"c", b"1"), (4, b"a", b"3"), (5, b"b", b"2")]
    assert log.log_end_offset == 6


def test_the_active_segment_takes_no_part(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", b"1"))
    log.roll(0)
    put(log, (b"a", b"2"))
    put(log, (b"a", b"3"))
    compact(log)
    assert [offset for offset, _, _ in read_records(log)] == [0, 1, 2]


def test_records_without_key_go(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    append(log, b"no key", b"none")
    put(log, (b"a", b"1"))
    log.roll(0)
    compact(log)
    assert read_records(log) == [(2, b"a", b"1")]


@pytest.mark.parametrize("codec", list(Codec))
def test_batches_keep_their_range_and_codec(tmp_path: Path, codec: int) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", b"1" * 50), (b"b", b"2" * 50), (b"a", b"3" * 50), (b"c", b"4"), codec=codec, timestamp=777)
    put(log, (b"c", b"5"))
    log.roll(0)
    compact(log)
    header, _ = read_batches(log)[0]
    assert (header.base_offset, header.last_offset, header.record_count) == (0, 3, 2)
    assert (header.compression, header.max_timestamp) == (codec, 777)
    assert read_records(log) == [(1, b"b", b"2" * 50), (2, b"a", b"3" * 50), (4, b"c", b"5")]


def test_a_tombstone_stays_for_its_time_and_then_goes(tmp_path: Path) -> None:
    log = compacted(tmp_path, delete_retention_ms=1_000)
    put(log, (b"a", b"1"), timestamp=50)
    put(log, (b"a", None), timestamp=60)
    put(log, (b"z", b"1"), timestamp=70)
    log.roll(0)
    first = compact(log, now_ms=10_000)
    assert [(offset, value) for offset, _, value in read_records(log)] == [(1, None), (2, b"1")]
    header, batch = read_batches(log)[0]
    assert header.has_delete_horizon
    assert header.base_timestamp == 11_000
    assert header.max_timestamp == 60
    put(log, (b"y", b"1"))
    log.roll(0)
    second = compact(log, first.end_offset, now_ms=10_999)
    assert read_batches(log)[0] == (header, batch)
    put(log, (b"x", b"1"))
    log.roll(0)
    compact(log, second.end_offset, now_ms=11_000)
    assert [value for _, _, value in read_records(log)] == [b"1", b"1", b"1"]


def test_time_lookups_survive_the_delete_horizon(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", None), timestamp=500)
    put(log, (b"b", b"1"), timestamp=600)
    log.roll(0)
    compact(log, now_ms=10_000)
    assert log.lookup_timestamp(400) == (500, 0, 0)
    assert log.lookup_timestamp(501) == (600, 1, 0)


def test_the_last_batch_of_an_active_producer_stays_as_a_header(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    producer = {"producer_id": 9, "producer_epoch": 1}
    put(log, (b"a", b"1"), base_sequence=0, **producer)
    put(log, (b"a", b"2"), (b"b", b"2"), base_sequence=1, **producer)
    put(log, (b"a", b"3"), (b"b", b"3"))
    log.roll(0)
    compact(log)
    assert [(h.base_offset, h.last_offset, h.record_count, h.producer_id) for h, _ in read_batches(log)] == [
        (1, 2, 0, 9),
        (3, 4, 2, -1),
    ]
    log.close(clean=False)
    for snapshot in (tmp_path / "t-0").glob("*.snapshot"):
        snapshot.unlink()
    again = compacted(tmp_path)
    assert append(again, b"a", b"b", base_sequence=1, **producer) == (1, 2, True)
    assert append(again, b"a", base_sequence=3, **producer).duplicate is False


def test_the_last_batch_of_a_pass_stays_as_a_header(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", b"1"))
    append(log, b"keyless")
    log.roll(0)
    compact(log)
    assert [(h.base_offset, h.record_count) for h, _ in read_batches(log)] == [(0, 1), (1, 0)]


def transactional(log: Log, producer_id: int, sequence: int, *pairs: tuple[bytes, bytes | None]) -> None:
    put(log, *pairs, producer_id=producer_id, producer_epoch=0, base_sequence=sequence, transactional=True)


def test_aborted_records_go_and_do_not_hide_committed_ones(tmp_path: Path) -> None:
    log = compacted(tmp_path, producer_id_expiration_ms=1)
    put(log, (b"a", b"committed"))
    transactional(log, 1, 0, (b"a", b"aborted"))
    append_marker(log, 1, aborted=True)
    transactional(log, 1, 1, (b"b", b"committed"))
    append_marker(log, 1, aborted=False)
    log.roll(0)
    compact(log)
    assert [value for _, _, value in read_records(log)] == [b"committed", b"committed"]
    assert log.aborted_transactions(0, 5) == [(1, 1)]


def test_markers_go_after_the_data_and_the_retention(tmp_path: Path) -> None:
    log = compacted(tmp_path, delete_retention_ms=1_000)
    transactional(log, 1, 0, (b"a", b"1"))  # 0
    append_marker(log, 1, aborted=True)  # 1
    transactional(log, 2, 0, (b"b", b"1"))  # 2
    append_marker(log, 2, aborted=False)  # 3
    log.roll(0)
    put(log, (b"b", b"2"))  # 4
    log.roll(0)
    log.producer_state.producers.expire(DAY_MS * 9, 0)

    def offsets() -> list[int]:
        return [header.base_offset for header, _ in read_batches(log)]

    done = compact(log, now_ms=10_000)
    # Aborted data went; the marker of that transaction stays, as data was met before it in this pass.
    assert offsets() == [1, 3, 4]
    assert log.aborted_transactions(0, 5) == [(1, 0)]
    end = done.end_offset
    for now_ms, left in ((20_000, [1, 3, 4, 5]), (20_999, [1, 3, 4, 5, 6]), (21_000, [4, 5, 6, 7])):
        put(log, (b"k%d" % now_ms, b"v"))
        log.roll(0)
        end = compact(log, end, now_ms=now_ms).end_offset
        assert offsets() == left
    assert log.aborted_transactions(0, 9) == []


def test_an_open_transaction_holds_its_segment_back(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", b"1"))
    put(log, (b"a", b"2"))
    log.roll(0)
    transactional(log, 1, 0, (b"a", b"3"))
    log.roll(0)
    put(log, (b"a", b"4"))
    log.roll(0)
    done = compact(log)
    assert done.end_offset == 2
    assert [offset for offset, _, _ in read_records(log)] == [1, 2, 3]


def test_small_segments_are_joined(tmp_path: Path) -> None:
    log = compacted(tmp_path, segment_size_bytes_max=1_000)
    for number in range(20):
        put(log, (b"%d" % (number % 4), b"x" * 300))
    assert len(log.segments) == 10
    done = compact(log)
    put(log, (b"new", b"x"))
    log.roll(0)
    compact(log, done.end_offset)
    assert len(log.segments) == 4
    assert log.segments.first.base_offset == 0
    names = {path.name for path in (tmp_path / "t-0").iterdir()}
    assert not [name for name in names if name.endswith((".cleaned", ".swap"))]
    log.close(clean=True)
    again = compacted(tmp_path)
    assert read_records(again) == read_records(log)


def test_groups_respect_size_and_offset_range(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    for base in (0, 1, 1 << 31, (1 << 31) + 2):
        append_placed(log, make_batch([b"v"], keys=[b"%d" % base], base_offset=base, leader_epoch=0))
        log.roll(0)
    sources = list(plan(log).sources)
    assert [[source.base_offset for source in group] for group in group_sources(sources, log.config)] == [
        [0, 1],
        [2],
        [(1 << 31) + 1],
    ]
    small = LogConfig(segment_size_bytes_max=100)
    assert [len(group) for group in group_sources(sources, small)] == [1, 1, 1, 1]


def test_a_small_map_cleans_a_part_and_goes_on_next_time(tmp_path: Path) -> None:
    log = compacted(tmp_path, segment_size_bytes_max=400)
    for number in range(40):
        put(log, (b"%d" % (number % 10), b"%d" % number))
    log.roll(0)
    cleaned_offset, passes = 0, 0
    while cleaned_offset < 40:
        before = cleaned_offset
        cleaned_offset = compact(log, cleaned_offset, map_size_bytes_max=4 * 160).end_offset
        assert cleaned_offset > before
        passes += 1
    assert passes > 3
    latest = {key: value for _, key, value in read_records(log)}
    assert latest == {b"%d" % key: b"%d" % (30 + key) for key in range(10)}


def test_the_offset_map_counts_only_the_dirty_part(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", b"1"), (b"b", b"1"))
    log.roll(0)
    put(log, (b"c", b"1"))
    log.roll(0)
    made = build_offset_map(plan(log, cleaned_offset=2))
    assert (len(made), made.latest_offset, made.get(b"a"), made.get(b"c")) == (1, 2, -1, 2)


def test_lag_limits(tmp_path: Path) -> None:
    log = compacted(tmp_path, min_compaction_lag_ms=1_000, max_compaction_lag_ms=5_000)
    put(log, (b"a", b"1"), timestamp=1_000)
    log.roll(0)
    put(log, (b"a", b"2"), timestamp=3_000)
    log.roll(0)
    put(log, (b"a", b"3"), timestamp=3_500)
    log.high_watermark = 3
    young = cleanable(log, None, 2_500)
    assert (young.first_uncleanable_offset, young.overdue) == (1, False)
    assert cleanable(log, None, 1_500).dirty_size_bytes == 0
    old = cleanable(log, None, 6_001)
    assert (old.first_uncleanable_offset, old.overdue, old.ratio) == (2, True, 1.0)
    assert cleanable(log, 2, 99_000).overdue is False


def test_max_lag_closes_the_active_segment_in_time(tmp_path: Path) -> None:
    log = compacted(tmp_path, max_compaction_lag_ms=5_000)
    put(log, (b"a", b"1"), timestamp=1_000)
    put(log, (b"a", b"2"), timestamp=6_001)
    assert len(log.segments) == 2


def test_the_dirty_ratio_counts_bytes(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    for _ in range(4):
        put(log, (b"a", b"1"))
        log.roll(0)
    log.high_watermark = 4
    assert cleanable(log, None, 0).ratio == 1.0
    assert cleanable(log, 3, 0).ratio == 0.25
    assert cleanable(log, 4, 0).ratio == 0.0
    assert cleanable(log, 99, 0).first_dirty_offset == 0


def test_a_pass_over_a_log_that_changed_is_dropped(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    for number in range(3):
        put(log, (b"a", b"%d" % number))
        log.roll(0)
    done = clean(plan(log))
    log.delete_records(1)
    assert not commit(log, done, 0)
    for group in done.groups:
        remove_files(group.cleaned)
    made = plan(log)
    log.delete_records(2)
    log.deletions.run(None)
    with pytest.raises(CleaningAborted):
        clean(made)
    assert [path.name for path in (tmp_path / "t-0").glob("*.cleaned")] == []


def test_a_pass_can_be_stopped(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", b"1"))
    log.roll(0)
    with pytest.raises(CleaningAborted):
        clean(plan(log), stopped=lambda: True)
    assert not list((tmp_path / "t-0").glob("*.cleaned"))


def test_a_corrupt_segment_aborts_the_pass(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", b"1"))
    log.roll(0)
    path = tmp_path / "t-0" / f"{0:020d}.log"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(KafkaError, match="checksum") as caught:
        clean(plan(log))
    assert caught.value.code is ErrorCode.CORRUPT_MESSAGE


def test_readers_of_old_segments_finish(tmp_path: Path) -> None:
    log = compacted(tmp_path, file_delete_delay_ms=0)
    put(log, (b"a", b"1"))
    put(log, (b"a", b"2"))
    log.roll(0)
    piece = log.read(0, 1 << 20, end_offset=2, at_least_one=True)
    assert piece is not None
    before = piece.read()
    compact(log)
    log.deletions.run(None)
    assert piece.read() == before
    assert [offset for offset, _, _ in read_records(log)] == [1]


def test_append_time_stays(tmp_path: Path) -> None:
    log = compacted(tmp_path)
    put(log, (b"a", b"1"), (b"b", b"1"), timestamp=900, timestamp_type=1)
    put(log, (b"a", b"2"))
    log.roll(0)
    compact(log)
    header, _ = read_batches(log)[0]
    assert (header.timestamp_type, header.max_timestamp, header.record_count) == (1, 900, 1)

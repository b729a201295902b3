"""Compaction against a dictionary: the latest value of every key, in the order and at the offsets of the log."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.log.cleaner import commit
from riacho.log.cleaning import clean
from riacho.log.compaction import cleanable, plan_cleaning
from riacho.log.config import LogConfig
from riacho.log.log import Log
from riacho.wire.batch import read_header
from riacho.wire.records import Record, build_batch
from support.log_files import append_marker, read_records

RETENTION_MS = 1_000
# Files in memory where there are such: the passes sync often.
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None

record = st.tuples(st.integers(0, 5), st.one_of(st.none(), st.binary(max_size=8)))
data = st.tuples(st.just("data"), st.lists(record, min_size=1, max_size=4), st.sampled_from([0, 1, 2, 3, 4]))
transaction = st.tuples(st.just("transaction"), st.lists(record, min_size=1, max_size=3), st.booleans())
step = st.one_of(
    data, data, transaction, st.just(("roll",)), st.tuples(st.just("clean"), st.integers(0, 1_500), st.integers(1, 8)),
    st.just(("crash",)),
)  # fmt: skip


class World:
    def __init__(self, root: Path) -> None:
        self.config = LogConfig(cleanup_policy=frozenset({"compact"}), delete_retention_ms=RETENTION_MS)
        self.path = root / "t-0"
        self.log = self.open()
        self.cleaned_offset = 0
        self.now_ms = 1_000
        self.sequence = 0
        # Every record that a consumer may see, and when a pass first met it as a tombstone.
        self.written: list[tuple[int, bytes, bytes | None]] = []
        self.met_ms: dict[int, int] = {}

    def open(self) -> Log:
        log = Log.open(self.path, self.config, topic_id=bytes(16), now_ms=0, clean_shutdown=False)
        log.high_watermark = log.log_end_offset
        return log

    def append(self, pairs: list[tuple[int, bytes | None]], visible: bool, **fields: object) -> None:
        records = [Record(i, i, b"key-%d" % key, value) for i, (key, value) in enumerate(pairs)]
        batch = build_batch(records, base_timestamp=self.now_ms, **fields)  # type: ignore[arg-type]
        base = self.log.append(batch, read_header(batch), 0, self.now_ms).base_offset
        if visible:
            self.written += [(base + r.offset_delta, r.key, r.value) for r in records if r.key is not None]

    def transaction(self, pairs: list[tuple[int, bytes | None]], aborted: bool) -> None:
        self.append(
            pairs, not aborted, producer_id=4, producer_epoch=0, base_sequence=self.sequence, transactional=True
        )
        self.sequence += len(pairs)
        append_marker(self.log, 4, aborted=aborted)

    def clean(self, wait_ms: int, map_entries: int) -> None:
        self.now_ms += wait_ms
        self.log.high_watermark = self.log.log_end_offset
        found = cleanable(self.log, self.cleaned_offset, self.now_ms)
        plan = plan_cleaning(self.log, found, self.now_ms, map_entries * 160)
        if plan is None:
            return
        before = self.log.log_end_offset
        done = clean(plan)
        assert commit(self.log, done, self.now_ms)
        assert self.log.log_end_offset == before
        self.cleaned_offset = done.end_offset
        # A pass rewrites whole segments, and so meets tombstones past its own end too.
        for offset, _, value in read_records(self.log, end_offset=done.groups[-1].sources[-1].end_offset):
            if value is None:
                self.met_ms.setdefault(offset, self.now_ms)

    def crash(self) -> None:
        self.log.close(clean=False)
        self.log = self.open()

    def check(self) -> None:
        aborted = self.log.aborted_transactions(0, self.log.log_end_offset)
        seen = [row for row in read_records(self.log) if row in self.written or not aborted]
        offsets = [offset for offset, _, _ in seen]
        assert offsets == sorted(set(offsets))
        assert set(seen) <= set(self.written), "a record came from nowhere, or changed"
        latest: dict[bytes, tuple[int, bytes | None]] = {key: (o, value) for o, key, value in self.written}
        kept: dict[bytes, tuple[int, bytes | None]] = {key: (o, value) for o, key, value in seen}
        for key, (offset, value) in latest.items():
            if value is not None:
                assert kept[key] == (offset, value)
            elif key in kept:
                assert kept[key] == (offset, None), "a deleted key came back"
            else:
                assert self.now_ms >= self.met_ms[offset] + RETENTION_MS, "a tombstone went before its time"
        dirty = [row for row in self.written if row[0] >= self.cleaned_offset]
        assert [row for row in seen if row[0] >= self.cleaned_offset] == dirty


@settings(max_examples=120, deadline=None)
@given(st.lists(step, min_size=3, max_size=40))
def test_compaction_keeps_the_latest_of_every_key(steps: list[tuple]) -> None:  # type: ignore[type-arg]
    with tempfile.TemporaryDirectory(dir=MEMORY) as root:
        world = World(Path(root))
        for action in steps:
            match action:
                case ("data", pairs, codec):
                    world.append(pairs, True, codec=codec)
                case ("transaction", pairs, aborted):
                    world.transaction(pairs, aborted)
                case ("roll",):
                    world.log.roll(world.now_ms)
                case ("clean", wait_ms, map_entries):
                    world.log.roll(world.now_ms)
                    world.clean(wait_ms, map_entries)
                case ("crash",):
                    world.crash()
            world.check()
        world.log.close(clean=True)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(record, min_size=1, max_size=4), min_size=1, max_size=15), st.integers(1, 4))
def test_a_full_pass_leaves_one_record_of_a_key(batches: list[list[tuple[int, bytes | None]]], every: int) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as root:
        world = World(Path(root))
        for number, pairs in enumerate(batches):
            world.append(pairs, True)
            if number % every == 0:
                world.log.roll(0)
        world.log.roll(0)
        world.clean(0, 1_000)
        world.check()
        keys = [key for _, key, _ in read_records(world.log)]
        assert sorted(keys) == sorted({key for _, key, _ in world.written})
        world.log.close(clean=True)

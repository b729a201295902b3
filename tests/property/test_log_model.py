"""A log against a list: whatever is done to both, they hold the same batches, also after a crash or a restart."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.config import LogConfig
from riacho.log.log import Log
from riacho.wire.batch import iterate_headers, read_header
from support.log_files import make_batch, read_batches

# Files in memory where there are such: a machine of many steps opens and syncs often.
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None


class ModelBatch:
    def __init__(self, base_offset: int, data: bytes) -> None:
        header = read_header(data)
        self.base_offset = base_offset
        self.last_offset = base_offset + header.last_offset_delta
        self.epoch = header.partition_leader_epoch
        self.timestamp = header.max_timestamp
        self.data = data


class LogMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="riacho-log-", dir=MEMORY))
        self.batches: list[ModelBatch] = []
        self.start = 0
        self.end = 0
        self.watermark = 0
        self.epoch = 0
        self.now_ms = 1_000
        self.sequence = 0

    @initialize(
        segment=st.integers(500, 2_500), interval=st.integers(0, 400), index_size=st.sampled_from([36, 120, 10_000])
    )
    def begin(self, segment: int, interval: int, index_size: int) -> None:
        self.config = LogConfig(
            segment_size_bytes_max=segment,
            index_interval_bytes=interval,
            index_size_bytes_max=index_size,
            segment_ms=5_000,
            retention_ms=20_000,
            file_delete_delay_ms=0,
        )
        self.log = self._open(clean=False)

    def _open(self, *, clean: bool, recovery_point: int = 0) -> Log:
        return Log.open(
            self.root / "t-0",
            self.config,
            topic_id=bytes(16),
            now_ms=self.now_ms,
            clean_shutdown=clean,
            recovery_point=recovery_point,
            log_start_offset=self.start,
        )

    @rule(count=st.integers(1, 4), size=st.integers(0, 60), step=st.integers(-500, 3_000), idempotent=st.booleans())
    def append(self, count: int, size: int, step: int, idempotent: bool) -> None:
        self.now_ms += max(0, step)
        fields = {"producer_id": 1, "producer_epoch": 0, "base_sequence": self.sequence} if idempotent else {}
        batch = make_batch([b"x" * size] * count, timestamp=self.now_ms + min(0, step), **fields)
        known = any(producer.producer_id == 1 for producer in self.log.producers())
        appended = self.log.append(batch, read_header(batch), self.epoch, self.now_ms)
        assert appended == (self.end, self.end + count - 1, False), known
        if idempotent:
            self.sequence += count
        self.batches.append(ModelBatch(self.end, bytes(batch)))
        self.end += count

    @rule()
    def new_leader(self) -> None:
        self.epoch += 1

    @rule()
    def roll(self) -> None:
        self.log.roll(self.now_ms)

    @rule(share=st.floats(0, 1))
    def move_high_watermark(self, share: float) -> None:
        whole = [batch.last_offset + 1 for batch in self.batches if batch.last_offset >= self.watermark]
        if whole:
            self.watermark = whole[int(share * (len(whole) - 1))]
            self.log.high_watermark = self.watermark
            assert self.log.high_watermark == self.watermark

    @rule(share=st.floats(0, 1))
    def delete_records(self, share: float) -> None:
        offset = self.start + int(share * (self.watermark - self.start))
        assert self.log.delete_records(offset, self.now_ms) == max(offset, self.start)
        self.start = max(self.start, offset)

    @rule(wait_ms=st.integers(0, 15_000))
    def retention(self, wait_ms: int) -> None:
        self.now_ms += wait_ms
        before = list(self.log.segments)
        expected = self.start
        for number, segment in enumerate(before):
            end = before[number + 1].base_offset if number + 1 < len(before) else self.end
            times = [b.timestamp for b in self.batches if segment.base_offset <= b.base_offset < end]
            expired = bool(times) and self.now_ms - max(times) > self.config.retention_ms
            if not (expired and end <= self.watermark):
                break
            expected = max(expected, end)
        self.log.enforce_retention(self.now_ms)
        assert self.log.log_start_offset == expected
        self.start = expected

    @precondition(lambda self: self.end > self.watermark)
    @rule(share=st.floats(0, 1))
    def truncate(self, share: float) -> None:
        bounds = [batch.base_offset for batch in self.batches if batch.base_offset >= self.watermark]
        if not bounds:
            return
        offset = bounds[int(share * (len(bounds) - 1))]
        self.log.truncate_to(offset, self.now_ms)
        self.batches = [batch for batch in self.batches if batch.base_offset < offset]
        self.end = offset
        self._follow_sequence()
        self.epoch += 1

    def _follow_sequence(self) -> None:
        mine = [read_header(batch.data) for batch in self.batches]
        sequences = [header.last_sequence + 1 for header in mine if header.producer_id == 1]
        if sequences:
            self.sequence = sequences[-1]

    @rule()
    def restart(self) -> None:
        self.log.close(clean=True)
        self._reopened(self._open(clean=True, recovery_point=self.log.recovery_point))

    @rule(flush=st.booleans(), torn=st.integers(0, 80))
    def crash(self, flush: bool, torn: int) -> None:
        if flush:
            self.log.flush(self.now_ms)
        path = Path(self.log.segments.active.path)
        point = self.log.recovery_point
        self.log.close(clean=False)
        if torn:
            junk = bytes(make_batch([b"torn"], base_offset=self.end, leader_epoch=self.epoch))[:torn]
            with path.open("ab") as file:
                file.write(junk)
        self._reopened(self._open(clean=False, recovery_point=point), torn)

    def _reopened(self, log: Log, torn: int = 0) -> None:
        whole = len(make_batch([b"torn"]))
        assert (log.truncated_size_bytes > 0) == (0 < torn < whole)
        if torn >= whole:
            # All of the batch was written, only its acknowledgement was not: it stays.
            self.batches.append(ModelBatch(self.end, read_batches(log, self.end)[0][1]))
            self.end += 1
        self.log = log
        assert log.high_watermark == self.start
        self.watermark = max(self.watermark, self.start)
        log.high_watermark = self.watermark

    @invariant()
    def holds_the_same(self) -> None:
        if not hasattr(self, "log"):
            return
        log = self.log
        assert (log.log_start_offset, log.log_end_offset) == (self.start, self.end)
        visible = [batch for batch in self.batches if batch.last_offset >= self.start]
        assert [data for _, data in read_batches(log)] == [batch.data for batch in visible]
        for batch in visible[:: max(1, len(visible) // 3)]:
            middle = max(self.start, (batch.base_offset + batch.last_offset) // 2)
            piece = log.read(middle, 1, end_offset=self.end, at_least_one=True)
            assert piece is not None
            assert piece.read() == batch.data
            assert log.epoch_for_offset(middle) == batch.epoch
        below = [batch.data for batch in visible if batch.last_offset < self.watermark]
        if self.watermark > self.start:
            piece = log.read(self.start, 1 << 20, end_offset=self.watermark, at_least_one=True)
            got = (
                []
                if piece is None
                else [bytes(piece.read()[p : p + h.size_bytes]) for p, h in iterate_headers(piece.read())]
            )
            assert got == below[: len(got)]
            assert bool(got) == bool(below)
        self._times(visible)

    def _times(self, visible: list[ModelBatch]) -> None:
        if not visible:
            return
        for target in {visible[len(visible) // 2].timestamp, visible[-1].timestamp + 1}:
            first = next((b for b in visible if b.timestamp >= target), None)
            expected = None if first is None else (first.timestamp, max(first.base_offset, self.start), first.epoch)
            assert self.log.lookup_timestamp(target) == expected

    @invariant()
    def refuses_what_is_outside(self) -> None:
        if hasattr(self, "log"):
            for offset in (self.start - 1, self.end + 1):
                with pytest.raises(KafkaError) as caught:
                    self.log.read(offset, 10, end_offset=self.end, at_least_one=True)
                assert caught.value.code is ErrorCode.OFFSET_OUT_OF_RANGE

    def teardown(self) -> None:
        if hasattr(self, "log"):
            self.log.close(clean=False)
        shutil.rmtree(self.root)


TestLogModel = LogMachine.TestCase
TestLogModel.settings = settings(
    max_examples=80, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)

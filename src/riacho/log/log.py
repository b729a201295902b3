"""One partition's log: batches in segments, found by offset or by time.

Not thread safe: one event loop uses it. Two kinds of work can be carried to another thread and back: flushing
(`flush_work`, `flushed`) and compaction (`log/cleaner.py`).

Offsets, in order: log start <= recovery point (what is surely on disk) <= log end; log start <= last stable offset <=
high watermark <= log end.
"""

# Long because: all of it keeps the same few offsets in order; lookup, retention and truncation are apart.
from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ports import Files
from riacho.log import lookup, retention, truncation
from riacho.log.abort_index import AbortedTransaction
from riacho.log.checkpoints import PARTITION_METADATA_FILE, find_topic_id, write_topic_id
from riacho.log.config import LogConfig
from riacho.log.deletions import Deletions
from riacho.log.failures import is_broken, is_full, is_out_of_descriptors, storage_error
from riacho.log.file_slice import FileSlice
from riacho.log.flushing import FlushWork
from riacho.log.leftovers import list_or_make
from riacho.log.real_files import REAL_FILES
from riacho.log.recovery import Loaded, Loader
from riacho.log.scan import TornBatch
from riacho.log.segment import Segment
from riacho.partition.producers import Producer
from riacho.wire.batch import BatchHeader, Buffer

NO_OFFSET = -1
# The first fields of a batch, where `wire.batch.stamp` writes: in one go, since the length between them is known.
_PLACE = struct.Struct(">qii")


class Appended(NamedTuple):
    base_offset: int
    last_offset: int
    # The batch was in the log already (an idempotent producer's retry): these are its first offsets.
    duplicate: bool


class Log:
    __slots__ = (
        "_high_watermark", "_last_flush_ms", "config", "cut_count", "deletions", "directory", "epochs", "files",
        "log_end_offset", "log_start_offset", "on_broken", "on_cut", "on_full", "producer_state", "recovery_point",
        "segments", "topic_id", "truncated_size_bytes",
    )  # fmt: skip

    def __init__(
        self, directory: str, config: LogConfig, topic_id: bytes | None, loaded: Loaded, now_ms: int, files: Files
    ) -> None:
        self.files = files
        self.directory = directory
        self.config = config
        self.topic_id = topic_id
        self.segments = loaded.segments
        self.epochs = loaded.epochs
        self.producer_state = loaded.producer_state
        self.log_start_offset = loaded.log_start_offset
        self.log_end_offset = loaded.log_end_offset
        self.recovery_point = loaded.recovery_point
        # How much of the end a recovery had to cut away.
        self.truncated_size_bytes = loaded.truncated_size_bytes
        self.deletions = Deletions(files)
        # Told when the disk under this log fails for good.
        self.on_broken: Callable[[str], None] | None = None
        # Told when it refuses a write for want of room.
        self.on_full: Callable[[], None] | None = None
        # Told where the log is about to be cut off, before it is: no checkpoint may call synced what is written anew.
        self.on_cut: Callable[[int], None] | None = None
        # How often that happened: what was being flushed meanwhile may not be what is there now.
        self.cut_count = 0
        self._high_watermark = loaded.log_start_offset
        self._last_flush_ms = now_ms

    @classmethod
    def open(
        cls,
        directory: Path | str,
        config: LogConfig,
        *,
        topic_id: bytes | None,
        now_ms: int,
        clean_shutdown: bool,
        recovery_point: int = 0,
        log_start_offset: int = 0,
        files: Files = REAL_FILES,
    ) -> Log:
        """The log of a directory, made when it is not there; recovery happens inside."""
        path = os.fspath(directory)
        try:
            names = list_or_make(path, files)
            known_id = find_topic_id(path, files) if PARTITION_METADATA_FILE in names else None
            if known_id is not None and topic_id is not None and known_id != topic_id:
                raise KafkaError(
                    ErrorCode.INCONSISTENT_TOPIC_ID, f"{os.path.basename(path)} belongs to another topic id"
                )
            if known_id is None and topic_id is not None:
                write_topic_id(path, topic_id, files)
            loaded = Loader(path, names, config, now_ms, files).load(
                clean_shutdown=clean_shutdown, recovery_point=recovery_point, log_start_offset=log_start_offset
            )
        except OSError as error:
            raise storage_error("open", path, error) from error
        for segment in loaded.segments:
            segment.release()
        return cls(path, config, topic_id or known_id, loaded, now_ms, files)

    @property
    def size_bytes(self) -> int:
        return self.segments.size_bytes

    @property
    def latest_epoch(self) -> int:
        return self.epochs.latest_epoch

    @property
    def high_watermark(self) -> int:
        return self._high_watermark

    @high_watermark.setter
    def high_watermark(self, offset: int) -> None:
        """Moves forward only, and never past the log end."""
        offset = min(offset, self.log_end_offset)
        if offset > self._high_watermark:
            self._high_watermark = offset
            self.producer_state.producers.advance_high_watermark(offset)

    def commit_all(self) -> None:
        """Everything written is committed, as it is at once where there is no other replica."""
        self._high_watermark = self.log_end_offset
        self.producer_state.producers.advance_high_watermark(self.log_end_offset)

    def lower_high_watermark(self, offset: int) -> None:
        """A truncation took the log below it."""
        self._high_watermark = min(self._high_watermark, offset)

    @property
    def last_stable_offset(self) -> int:
        unstable = self.producer_state.producers.first_unstable_offset()
        if unstable is None:
            return self._high_watermark
        # Its first records may be deleted by now.
        return min(max(unstable, self.log_start_offset), self._high_watermark)

    # Writing

    def append(self, batch: bytearray | memoryview, header: BatchHeader, leader_epoch: int, now_ms: int) -> Appended:
        """Take one validated batch, in a writable buffer, as its leader; followers: `placed.py`. KafkaError when it is
        refused."""
        if header.producer_id >= 0:
            first = self.producer_state.check(batch, header, self.segments, self.log_end_offset)
            if first is not None:
                return Appended(first.first_offset, first.last_offset, True)
        base_offset = self.log_end_offset
        _PLACE.pack_into(batch, 0, base_offset, header.batch_length, leader_epoch)
        self.write(batch, header, base_offset, leader_epoch, now_ms)
        return Appended(base_offset, self.log_end_offset - 1, False)

    def write(self, batch: Buffer, header: BatchHeader, base_offset: int, epoch: int, now_ms: int) -> None:
        """Put a batch that was checked and stamped at the end."""
        size_bytes = 12 + header.batch_length
        last_offset = base_offset + header.last_offset_delta
        config = self.config
        segment = self.segments.active
        try:
            if segment.must_roll(config, size_bytes, last_offset, header.max_timestamp, now_ms):
                if size_bytes > config.segment_size_bytes_max:
                    raise KafkaError(
                        ErrorCode.RECORD_LIST_TOO_LARGE,
                        f"a batch of {size_bytes} bytes, segment.bytes is {config.segment_size_bytes_max}",
                    )
                segment = self._roll(base_offset, now_ms)
            segment.append(batch, header, base_offset, config.index_interval_bytes)
        except OSError as error:
            raise self.failed("append to", error) from error
        self.log_end_offset = last_offset + 1
        if epoch != self.epochs.latest_epoch:
            self.epochs.assign(epoch, base_offset)
        if header.producer_id >= 0:
            self.apply_producer(batch, header, base_offset, segment)
        if last_offset + 1 - self.recovery_point >= config.flush_messages:
            self.flush(now_ms)

    def apply_producer(self, batch: Buffer, header: BatchHeader, base_offset: int, segment: Segment) -> None:
        completed = self.producer_state.apply(header, base_offset, batch)
        if completed is not None and completed.aborted:
            stable = self.producer_state.producers.stable_offset_after(completed)
            segment.abort_index.add(
                AbortedTransaction(completed.producer_id, completed.first_offset, completed.last_offset, stable)
            )

    def roll(self, now_ms: int) -> None:
        """Start a new segment at the log end, unless the active one is empty."""
        if self.segments.active.size_bytes:
            try:
                self._roll(self.log_end_offset, now_ms)
            except OSError as error:
                raise self.failed("roll", error) from error

    def _roll(self, base_offset: int, now_ms: int) -> Segment:
        active = self.segments.active
        if base_offset == active.base_offset:
            return active
        active.persist_indexes(final=True)
        self.producer_state.take_snapshot(base_offset)
        jitter_ms = min(self.config.segment_jitter_ms, self.config.segment_ms)
        # By its name, not by chance: logs roll apart all the same, and a simulated run can be repeated.
        name = f"{os.path.basename(self.directory)}-{base_offset}"
        segment = Segment(
            self.directory,
            base_offset,
            created_ms=now_ms,
            roll_jitter_ms=crc32(name.encode()) % jitter_ms if jitter_ms > 0 else 0,
            files=self.files,
        )
        segment.create()
        if active.size_bytes:
            self.segments.add(segment)
        else:
            # An empty segment cannot hold an offset so far from its base: the new one takes its place.
            self.segments.remove([active], [segment])
            self.deletions.add(active.rename_deleted(), now_ms)
        return segment

    # Reading

    def read(self, offset: int, size_bytes_max: int, *, end_offset: int, at_least_one: bool) -> FileSlice | None:
        """The batches from the one that has `offset`, below `end_offset`; the last may be cut by the byte limit.

        None when there is nothing. The first batch is always whole: when it alone exceeds the limit it comes anyway
        with `at_least_one`, else nothing does.
        """
        if not self.log_start_offset <= offset <= self.log_end_offset:
            raise KafkaError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"offset {offset} is not within {self.log_start_offset} to {self.log_end_offset}",
            )
        if offset >= end_offset:
            return None
        try:
            return self.segments.read(offset, size_bytes_max, end_offset, at_least_one, self.log_end_offset)
        except OSError as error:
            raise self.failed("read", error) from error
        except TornBatch as error:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"{self.directory}: {error}") from error

    def lookup_timestamp(self, timestamp: int, opened: lookup.Opened | None = None) -> tuple[int, int, int] | None:
        """(timestamp, offset, epoch) of the first record at or after `timestamp`. `opened`: see `lookup.py`."""
        found = lookup.first_at_or_after(self.segments, timestamp, self.log_start_offset, opened)
        return None if found is None else (*found, self.epochs.epoch_for(found[1]))

    def max_timestamp(self, opened: lookup.Opened | None = None) -> tuple[int, int, int] | None:
        """(timestamp, offset, epoch) of the record with the greatest timestamp."""
        found = lookup.greatest(self.segments, opened)
        return None if found is None else (*found, self.epochs.epoch_for(found[1]))

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        return self.epochs.end_offset_for(epoch, self.log_end_offset)

    def epoch_for_offset(self, offset: int) -> int:
        return self.epochs.epoch_for(offset)

    def aborted_transactions(self, start_offset: int, end_offset: int) -> list[tuple[int, int]]:
        """(producer id, first offset) of the aborted transactions that touch the range, by first offset."""
        return lookup.aborted_between(self.segments, start_offset, end_offset)

    def producers(self) -> list[Producer]:
        return list(self.producer_state.producers)

    # Keeping house

    def delete_records(self, offset: int, now_ms: int = 0) -> int:
        """Move the log start to `offset` (-1: the high watermark); the log start."""
        if offset == NO_OFFSET:
            offset = self._high_watermark
        if offset < 0 or offset > self._high_watermark:
            raise KafkaError(
                ErrorCode.OFFSET_OUT_OF_RANGE, f"{offset} is above the high watermark {self._high_watermark}"
            )
        self.move_log_start(offset)
        self._delete(retention.below_log_start(self), now_ms)
        return self.log_start_offset

    def move_log_start(self, offset: int) -> None:
        """A later log start, set by an administrator, by retention or (on a follower) by the leader."""
        if offset <= self.log_start_offset:
            return
        self.log_start_offset = offset
        self._high_watermark = max(self._high_watermark, offset)
        self.epochs.truncate_from_start(offset)

    def enforce_retention(self, now_ms: int) -> list[int]:
        """Delete what time, size and log start let go; the base offsets of the deleted segments."""
        self.deletions.run(now_ms)
        doomed = retention.deletable(self, now_ms)
        if doomed and doomed[-1] is self.segments.active:
            self.roll(now_ms)
        self._delete(doomed, now_ms)
        return [segment.base_offset for segment in doomed]

    def _delete(self, doomed: list[Segment], now_ms: int) -> None:
        if not doomed:
            return
        self.segments.remove(doomed)
        self.move_log_start(self.segments.first.base_offset)
        self.recovery_point = max(self.recovery_point, self.log_start_offset)
        for segment in doomed:
            self.deletions.add(segment.rename_deleted(), now_ms + self.config.file_delete_delay_ms)
            self.producer_state.drop_snapshot_of(segment.base_offset)

    def truncate_to(self, offset: int, now_ms: int = 0) -> None:
        """Drop every batch with an offset at or above `offset`, as a follower does to agree with its leader."""
        truncation.truncate_to(self, offset, now_ms)

    def truncate_fully_and_start_at(self, offset: int, now_ms: int = 0) -> None:
        """Drop everything; the log goes on at `offset`."""
        truncation.start_over(self, offset, now_ms)

    # Keeping safe

    @property
    def needs_flush(self) -> bool:
        """Whether a segment was closed since the last flush (Kafka flushes at every roll)."""
        return self.recovery_point < self.segments.active.base_offset

    def flush_work(self) -> FlushWork:
        """What to bring to the disk now; its `run` may go to another thread, then call `flushed`. May raise OSError."""
        segments = self.segments.from_offset(self.recovery_point)
        return FlushWork.of(segments, self.directory, self.log_end_offset, self.epochs, self.cut_count, self.files)

    def flushed(self, work: FlushWork, now_ms: int) -> None:
        if work.cut_count == self.cut_count and work.has_epochs:
            self.recovery_point = min(max(self.recovery_point, work.end_offset), self.log_end_offset)
        self._last_flush_ms = now_ms

    def flush(self, now_ms: int = 0) -> None:
        try:
            work = self.flush_work()
            work.run()
        except OSError as error:
            raise self.failed("flush", error, is_sync=True) from error
        self.flushed(work, now_ms)

    def flush_if_due(self, now_ms: int) -> bool:
        """Flush by `flush.ms`; whether it did."""
        if self.recovery_point >= self.log_end_offset or now_ms - self._last_flush_ms < self.config.flush_ms:
            return False
        self.flush(now_ms)
        return True

    def failed(self, what: str, error: OSError, *, is_sync: bool = False) -> KafkaError:
        """The error to raise; a disk that is broken takes its directory out of service. A failed sync is never tried
        again: the kernel may have forgotten what it could not write."""
        refusal = storage_error(what, self.directory, error)
        is_final = is_broken(error) or (is_sync and not is_out_of_descriptors(error))
        if self.on_broken is not None and is_final:
            self.on_broken(refusal.detail or "")
        elif self.on_full is not None and is_full(error):
            self.on_full()
        return refusal

    def apply_config(self, config: LogConfig) -> None:
        self.config = config

    def close(self, *, clean: bool, sync: bool = True) -> None:
        """Let go of the files; a clean close leaves them so that opening needs no recovery.

        Without `sync` the caller syncs the file system itself, once for many logs, and has their epochs saved.
        """
        try:
            if clean:
                self._settle(sync)
        except OSError as error:
            raise self.failed("close", error) from error
        finally:
            for segment in self.segments:
                segment.release()

    def _settle(self, sync: bool) -> None:
        self.segments.active.persist_indexes(final=True)
        self.producer_state.take_snapshot(self.log_end_offset)
        # An epoch that wrote nothing is no part of what is left.
        self.epochs.truncate_from_end(self.log_end_offset)
        if sync:
            self.epochs.save()
            if self.recovery_point < self.log_end_offset:
                self.flush()
        self.recovery_point = self.log_end_offset
        self.deletions.run(None)

"""Opening a log: from the files of a directory to the state that the log had when it was last written.

After a clean shutdown nothing is read but file sizes, checkpoints, the last snapshot and the tail of the last segment.
Otherwise every segment from the recovery point on is read through: lengths, checksums, offset order. The first batch
that is not whole and valid ends the log, or the first that is missing; everything from there on is cut away, and the
indexes are made anew. The page cache outlives a killed process, so all that was written is found; after a power failure
what was not flushed may be missing, and replication has it.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from riacho.base.ports import Files
from riacho.log.abort_index import AbortedTransaction
from riacho.log.checkpoints import LEADER_EPOCH_FILE, CorruptCheckpoint
from riacho.log.config import LogConfig
from riacho.log.epoch_file import EpochFile
from riacho.log.failures import is_broken
from riacho.log.leftovers import offset_of, resolve
from riacho.log.producer_snapshot import SNAPSHOT_SUFFIX
from riacho.log.producer_state import ProducerState
from riacho.log.real_files import REAL_FILES
from riacho.log.scan import TornBatch, scan_batches, scan_headers
from riacho.log.segment import (
    ABORT_INDEX_SUFFIX,
    LOG_SUFFIX,
    RELATIVE_OFFSET_MAX,
    SEGMENT_SUFFIXES,
    Segment,
    segment_stem,
)
from riacho.log.segments import Segments


@dataclass(slots=True)
class Loaded:
    segments: Segments
    epochs: EpochFile
    producer_state: ProducerState
    log_start_offset: int
    log_end_offset: int
    recovery_point: int
    # Bytes cut from the end, for the operator's eyes.
    truncated_size_bytes: int


class Loader:
    def __init__(
        self, directory: str, names: list[str], config: LogConfig, now_ms: int, files: Files = REAL_FILES
    ) -> None:
        self._files = files
        self._directory = directory
        self._names = names
        self._config = config
        self._now_ms = now_ms
        self._truncated_size_bytes = 0
        self._epochs = EpochFile(directory, files)
        # The first offset of what was recovered: its abort indexes are made anew, from the producers as of there.
        self._replay_offset: int | None = None

    def load(self, *, clean_shutdown: bool, recovery_point: int, log_start_offset: int) -> Loaded:
        names = resolve(self._directory, self._names, self._files)
        found = self._find_segments(names)
        epochs_known = self._load_epochs(names, found)
        if not clean_shutdown:
            found = self._recover(found, recovery_point)
        elif found:
            found = self._check_indexes(found)
        segments, log_end_offset = self._end_of(found, log_start_offset)
        if log_end_offset < log_start_offset:
            # What the log had left was below its start: the cut took the rest.
            for segment in segments:
                self._remove(segment)
            segments, log_end_offset = self._fresh(log_start_offset), log_start_offset
        log_start_offset = max(log_start_offset, segments.first.base_offset)
        if not epochs_known:
            self._rebuild_epochs(segments)
        self._epochs.truncate_from_end(log_end_offset)
        if log_end_offset > log_start_offset:
            self._epochs.truncate_from_start(log_start_offset)
        else:
            # The epoch of a record that is gone would part this log from every other.
            self._epochs.clear()
        producer_state = self._load_producers(names, segments, log_start_offset, log_end_offset)
        recovered_to = log_end_offset if clean_shutdown else min(recovery_point, log_end_offset)
        return Loaded(
            segments,
            self._epochs,
            producer_state,
            log_start_offset,
            log_end_offset,
            recovered_to,
            self._truncated_size_bytes,
        )

    def _find_segments(self, names: list[str]) -> list[Segment]:
        bases: list[int] = []
        beside: list[tuple[int, str]] = []
        with_aborts: set[int] = set()
        for name in names:
            if not name.endswith(SEGMENT_SUFFIXES) or (offset := offset_of(name)) is None:
                continue
            if name.endswith(LOG_SUFFIX) and len(name) == 24:
                bases.append(offset)
                continue
            beside.append((offset, name))
            if name.endswith(ABORT_INDEX_SUFFIX):
                with_aborts.add(offset)
        known = set(bases)
        for offset, name in beside:
            if offset not in known:
                self._files.unlink(f"{self._directory}/{name}")
        return [self._segment(base, base in with_aborts) for base in sorted(bases)]

    def _segment(self, base_offset: int, has_abort_index: bool) -> Segment:
        stat = self._files.stat(segment_stem(self._directory, base_offset) + LOG_SUFFIX)
        return Segment(
            self._directory,
            base_offset,
            size_bytes=stat.st_size,
            new=False,
            has_abort_index=has_abort_index,
            created_ms=int(stat.st_mtime * 1000),
            files=self._files,
        )

    def _load_epochs(self, names: list[str], found: list[Segment]) -> bool:
        if LEADER_EPOCH_FILE not in names:
            return not any(segment.size_bytes for segment in found)
        try:
            self._epochs.load()
        except CorruptCheckpoint:
            return False
        return True

    def _rebuild_epochs(self, segments: Segments) -> None:
        """From every batch that there is: what recovery has seen of them may be the last segment only."""
        self._epochs.start_anew()
        for segment in segments:
            # Whatever is wrong with an old segment, those after it have their epochs.
            with contextlib.suppress(TornBatch):
                for _, header in scan_headers(segment.open_file().fd, 0, segment.size_bytes, self._files):
                    if header.partition_leader_epoch > self._epochs.latest_epoch:
                        self._epochs.assign(header.partition_leader_epoch, header.base_offset)
        with contextlib.suppress(OSError):
            # The next start should not have to do this again.
            self._epochs.save()

    def _check_indexes(self, found: list[Segment]) -> list[Segment]:
        for number, segment in enumerate(found):
            if segment.indexes_are_sound():
                continue
            if not self._recover_segment(segment, _base_after(found, number)):
                return self._cut_after(found, number)
        return found

    def _recover(self, found: list[Segment], recovery_point: int) -> list[Segment]:
        for number, segment in enumerate(found):
            ends = _base_after(found, number)
            if ends is not None and ends <= recovery_point and segment.indexes_are_sound():
                continue
            if ends is None or ends > recovery_point:
                # From here on everything is read, and the batches know their epochs better than the file.
                self._epochs.truncate_from_end(segment.base_offset)
            is_whole = self._recover_segment(segment, ends)
            if ends is not None and ends > recovery_point and self._has_gap(segment, ends):
                is_whole = False
            if not is_whole:
                return self._cut_after(found, number)
        return found

    def _has_gap(self, segment: Segment, ends: int) -> bool:
        """Whether batches are missing at its end: a power failure may leave a file as long as it once was, and so with
        nothing torn in it, and yet keep what was written to the next. Compaction leaves such gaps for good."""
        return not self._config.compacts and segment.read_next_offset() < ends

    def _cut_after(self, found: list[Segment], number: int) -> list[Segment]:
        for segment in found[number + 1 :]:
            self._truncated_size_bytes += segment.size_bytes
            self._remove(segment)
        return found[: number + 1]

    def _recover_segment(self, segment: Segment, ends: int | None = None) -> bool:
        """Prove every batch and index it; False when the segment had to be cut. From `ends` on, where the next segment
        begins, there is nothing of it: what stands there had been cut off, and a power failure brought it back."""
        end = segment.size_bytes
        fd = segment.open_file().fd
        segment.reset_indexes()
        interval = self._config.index_interval_bytes
        next_offset = segment.base_offset
        torn = None
        try:
            for position, header, batch in scan_batches(fd, 0, end, self._files):
                base_offset = header.base_offset
                last_offset = base_offset + header.last_offset_delta
                if ends is not None and last_offset >= ends:
                    break
                if base_offset < next_offset or last_offset - segment.base_offset > RELATIVE_OFFSET_MAX:
                    raise TornBatch(position, f"offset {base_offset} comes after {next_offset - 1}")
                next_offset = last_offset + 1
                segment.note(position, len(batch), last_offset, header.max_timestamp, interval)
                if header.partition_leader_epoch > self._epochs.latest_epoch:
                    self._epochs.assign(header.partition_leader_epoch, base_offset)
        except TornBatch as error:
            torn = error
        if segment.size_bytes < end:
            self._truncated_size_bytes += end - segment.size_bytes
            self._files.ftruncate(fd, segment.size_bytes)
        segment.abort_index.clear()
        try:
            segment.persist_indexes(final=True)
        except OSError as error:
            # On a full disk the entries stay in memory, and the next flush tries again.
            if is_broken(error):
                raise
        if self._replay_offset is None:
            self._replay_offset = segment.base_offset
        return torn is None

    def _end_of(self, found: list[Segment], log_start_offset: int) -> tuple[Segments, int]:
        if not found:
            return self._fresh(log_start_offset), log_start_offset
        segments = Segments(found)
        try:
            return segments, segments.active.read_next_offset()
        except TornBatch:
            # The shutdown was called clean, but the end of the file is not whole.
            self._recover_segment(segments.active)
            return segments, segments.active.read_next_offset()

    def _fresh(self, base_offset: int) -> Segments:
        segment = Segment(self._directory, base_offset, created_ms=self._now_ms, files=self._files)
        segment.create()
        return Segments([segment])

    def _remove(self, segment: Segment) -> None:
        segment.release()
        for suffix in SEGMENT_SUFFIXES:
            with contextlib.suppress(FileNotFoundError):
                self._files.unlink(segment.stem + suffix)

    def _load_producers(
        self, names: list[str], segments: Segments, log_start_offset: int, log_end_offset: int
    ) -> ProducerState:
        offsets = [offset_of(name) for name in names if name.endswith(SNAPSHOT_SUFFIX)]
        state = ProducerState(self._directory, [offset for offset in offsets if offset is not None], self._files)
        state.drop_snapshots(log_end_offset + 1)
        state.drop_strays({segment.base_offset for segment in segments})
        replay(state, segments, log_start_offset, log_end_offset, self._replay_offset)
        state.producers.expire(self._now_ms, self._config.producer_id_expiration_ms)
        return state


def _base_after(found: list[Segment], number: int) -> int | None:
    return found[number + 1].base_offset if number + 1 < len(found) else None


def replay(
    state: ProducerState,
    segments: Segments,
    log_start_offset: int,
    log_end_offset: int,
    replay_offset: int | None = None,
) -> None:
    """Bring the producers to the log end: a snapshot (the latest, or one not past `replay_offset`), then the batches.

    The abort index of a segment that is replayed past its last entry is completed on the way.
    """
    state.drop_snapshots(log_end_offset + 1)
    start = state.restore(log_start_offset, log_end_offset if replay_offset is None else replay_offset)
    if start >= log_end_offset:
        state.end_offset = log_end_offset
        return
    for segment in segments.from_offset(start):
        if not segment.size_bytes:
            continue
        position = segment.position_of(max(start, segment.base_offset))
        if position is None:
            continue
        fd = segment.open_file().fd
        indexed = max((aborted.last_offset for aborted in segment.abort_index), default=-1)
        for at, header in scan_headers(fd, position, segment.size_bytes, segment.files):
            if not header.has_producer:
                continue
            body = segment.files.pread(fd, header.size_bytes, at) if header.is_control else b""
            completed = state.apply(header, header.base_offset, body)
            if completed is not None and completed.aborted and completed.last_offset > indexed:
                stable = state.producers.stable_offset_after(completed)
                segment.abort_index.add(
                    AbortedTransaction(completed.producer_id, completed.first_offset, completed.last_offset, stable)
                )
    state.end_offset = log_end_offset

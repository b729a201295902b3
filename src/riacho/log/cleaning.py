"""The work of a compaction pass: build the offset map, filter batches, write `.cleaned` segments. Runs on any thread:
it touches only the plan and files that no one else writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ports import Files
from riacho.log.checkpoints import sync_directory
from riacho.log.cleaned_transactions import CleanedTransactions
from riacho.log.compaction import CleaningPlan, Source, group_sources
from riacho.log.leftovers import CLEANED_SUFFIX
from riacho.log.offset_map import OffsetMap
from riacho.log.scan import TornBatch, scan_batches
from riacho.log.segment import SEGMENT_SUFFIXES, Segment
from riacho.wire.batch import CODEC_MASK, DELETE_HORIZON_BIT, HEADER, HEADER_SIZE_BYTES, BatchHeader, Buffer, seal
from riacho.wire.records import Record, build_batch, iterate_records

_WRITE_SIZE_BYTES = 1 << 20


class CleaningAborted(Exception):
    """The log changed under the pass, or the broker is stopping. Nothing was put in place."""


@dataclass(frozen=True, slots=True)
class CleanedGroup:
    sources: tuple[Source, ...]
    cleaned: Segment


@dataclass(frozen=True, slots=True)
class Cleaned:
    plan: CleaningPlan
    groups: tuple[CleanedGroup, ...]
    # The first offset that the next pass takes for dirty.
    end_offset: int


def clean(plan: CleaningPlan, stopped: Callable[[], bool] = lambda: False) -> Cleaned:
    """Write the `.cleaned` segments of a plan.

    CleaningAborted, OSError, or KafkaError when a batch cannot be read: none of them leaves a file behind.
    """
    offset_map = build_offset_map(plan, stopped)
    end_offset = offset_map.latest_offset + 1
    sources = [source for source in plan.sources if source.base_offset < end_offset]
    transactions = CleanedTransactions(plan.aborted)
    groups: list[CleanedGroup] = []
    try:
        for group in group_sources(sources, plan.config):
            cleaned = Segment(plan.directory, group[0].base_offset, suffix=CLEANED_SUFFIX, files=plan.files)
            groups.append(CleanedGroup(tuple(group), cleaned))
            _clean_group(plan, group, cleaned, offset_map, transactions, stopped)
        sync_directory(plan.directory, plan.files)
    except BaseException:
        for written in groups:
            remove_files(written.cleaned)
        raise
    return Cleaned(plan, tuple(groups), end_offset)


def build_offset_map(plan: CleaningPlan, stopped: Callable[[], bool] = lambda: False) -> OffsetMap:
    """The latest offset of each key in the dirty part; where the memory ends, the pass ends."""
    offset_map = OffsetMap(plan.map_size_bytes_max)
    offset_map.latest_offset = plan.first_dirty_offset - 1
    transactions = CleanedTransactions(plan.aborted)
    for source in plan.sources:
        if source.end_offset <= plan.first_dirty_offset:
            continue
        for header, batch in _batches(source, stopped):
            discarded = transactions.may_discard(header, batch)
            if header.last_offset < plan.first_dirty_offset:
                continue
            if not offset_map:
                # Whatever the budget, a pass takes one batch at least: else it would never get past it.
                offset_map.entries_max = max(offset_map.entries_max, header.record_count)
            if not header.is_control and not discarded and not _note_keys(offset_map, header, batch, plan):
                return offset_map
            offset_map.latest_offset = header.last_offset
        # A gap that an earlier pass left at the end of a segment is clean too.
        offset_map.latest_offset = max(offset_map.latest_offset, source.end_offset - 1)
    return offset_map


def remove_files(segment: Segment) -> None:
    for suffix in SEGMENT_SUFFIXES:
        path = segment.stem + suffix + CLEANED_SUFFIX
        if segment.files.exists(path):
            segment.files.unlink(path)


def _note_keys(offset_map: OffsetMap, header: BatchHeader, batch: memoryview, plan: CleaningPlan) -> bool:
    for record in iterate_records(batch):
        offset = header.base_offset + record.offset_delta
        if record.key is not None and offset >= plan.first_dirty_offset and not offset_map.put(record.key, offset):
            return False
    return True


def _batches(source: Source, stopped: Callable[[], bool]) -> Iterator[tuple[BatchHeader, memoryview]]:
    if stopped():
        raise CleaningAborted("stopped")
    files = source.segment.files
    try:
        fd = files.open(source.path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise CleaningAborted(f"segment {source.base_offset} is gone") from error
    try:
        for _, header, batch in scan_batches(fd, 0, source.size_bytes, files):
            yield header, batch
    except TornBatch as error:
        raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"segment {source.base_offset}: {error}") from error
    finally:
        files.close(fd)


def _clean_group(
    plan: CleaningPlan,
    group: list[Source],
    cleaned: Segment,
    offset_map: OffsetMap,
    transactions: CleanedTransactions,
    stopped: Callable[[], bool],
) -> None:
    remove_files(cleaned)
    transactions.abort_index = cleaned.abort_index
    interval = plan.config.index_interval_bytes
    file = _Writing(plan.files, cleaned.path)
    try:
        for source in group:
            for header, batch in _batches(source, stopped):
                kept = _filter(plan, header, batch, offset_map, transactions)
                if kept is None:
                    continue
                file.write(kept)
                max_timestamp = HEADER.unpack_from(kept)[8]
                cleaned.note(cleaned.size_bytes, len(kept), header.last_offset, max_timestamp, interval)
        file.sync()
    finally:
        file.close()
    cleaned.persist_indexes(final=True)
    # Retention of batches without timestamps goes by the file's.
    modified = plan.files.stat(group[-1].path)
    plan.files.set_times(cleaned.path, modified.st_atime_ns, modified.st_mtime_ns)


class _Writing:
    """A new file, written in large pieces."""

    def __init__(self, files: Files, path: str) -> None:
        self._files = files
        self._fd = files.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
        self._position = 0
        self._held = bytearray()

    def write(self, data: Buffer) -> None:
        self._held += data
        if len(self._held) >= _WRITE_SIZE_BYTES:
            self._write_held()

    def sync(self) -> None:
        self._write_held()
        self._files.fsync(self._fd)

    def close(self) -> None:
        self._files.close(self._fd)

    def _write_held(self) -> None:
        view = memoryview(self._held)
        while view:
            written = self._files.pwrite(self._fd, view, self._position)
            self._position += written
            view = view[written:]
        self._held = bytearray()


def _filter(
    plan: CleaningPlan,
    header: BatchHeader,
    batch: memoryview,
    offset_map: OffsetMap,
    transactions: CleanedTransactions,
) -> bytes | bytearray | memoryview | None:
    """What stays of a batch."""
    discard = marker_of_nothing = transactions.may_discard(header, batch)
    horizon_ms = header.base_timestamp if header.has_delete_horizon else None
    if header.is_control:
        discard = discard and horizon_ms is not None and horizon_ms <= plan.now_ms
    keep_empty = _must_stay(plan, header)
    if not keep_empty and discard:
        return None
    records = [] if discard else list(iterate_records(batch))
    kept = (
        records
        if header.is_control
        else [record for record in records if _stays(plan, header, record, offset_map, horizon_ms)]
    )
    if not kept:
        return _empty(header) if keep_empty else None
    tombstones = any(record.value is None for record in kept)
    new_horizon = horizon_ms is None and (tombstones or (header.is_control and marker_of_nothing))
    if len(kept) == header.record_count and not new_horizon:
        return batch
    return _rebuild(header, kept, plan.now_ms + plan.config.delete_retention_ms if new_horizon else horizon_ms)


def _must_stay(plan: CleaningPlan, header: BatchHeader) -> bool:
    """Whether a batch stays, if only as an empty header."""
    if header.next_offset == plan.first_uncleanable_offset:
        return True
    last = plan.last_records.get(header.producer_id) if header.has_producer else None
    if last is None:
        return False
    if last.last_data_offset >= 0:
        return header.last_offset == last.last_data_offset
    return header.is_control and header.producer_epoch == last.producer_epoch


def _stays(
    plan: CleaningPlan, header: BatchHeader, record: Record, offset_map: OffsetMap, horizon_ms: int | None
) -> bool:
    offset = header.base_offset + record.offset_delta
    if offset > offset_map.latest_offset:
        return True
    if record.key is None or offset < offset_map.get(record.key):
        return False
    return record.value is not None or horizon_ms is None or plan.now_ms < horizon_ms


def _rebuild(header: BatchHeader, records: list[Record], horizon_ms: int | None) -> bytearray:
    return build_batch(
        records,
        base_offset=header.base_offset,
        leader_epoch=header.partition_leader_epoch,
        codec=header.compression,
        base_timestamp=header.base_timestamp,
        timestamp_type=header.timestamp_type,
        max_timestamp=header.max_timestamp if header.timestamp_type else None,
        last_offset_delta=header.last_offset_delta,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        transactional=header.is_transactional,
        control=header.is_control,
        delete_horizon_ms=horizon_ms,
    )


def _empty(header: BatchHeader) -> bytearray:
    """The batch without its records; offsets, producer and sequence stay."""
    emptied = header._replace(
        batch_length=HEADER_SIZE_BYTES - 12,
        # No compression, no delete horizon: there is nothing left to which they could apply.
        attributes=header.attributes & ~(CODEC_MASK | DELETE_HORIZON_BIT),
        base_timestamp=header.max_timestamp,
        record_count=0,
    )
    out = bytearray(HEADER.pack(*emptied))
    seal(out)
    return out

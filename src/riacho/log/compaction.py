"""Compaction: keep, of every key, the record with the greatest offset.

Theory of operation
-------------------
A pass has three steps. `plan_cleaning` (on the loop) picks what may be cleaned: whole segments below the active one,
the last stable offset and `min.compaction.lag.ms`; from the last pass's end (the first dirty offset) on they are dirty.
`clean` (on a worker thread) reads the dirty part into an offset map, then writes the segments from the start of the log
anew as `.cleaned` files, small ones together in one. `commit` (log/cleaner.py, on the loop) puts them in place.

A record stays when no later one has its key. A tombstone (null value) stays for `delete.retention.ms` after the first
pass that met it: that pass writes the time at which it may go into its batch, in the place of the base timestamp
(KIP-534). Records without a key go. Offsets never change, batches keep their offset range, and a batch whose records
all went stays as an empty header when it holds the last sequence of an active producer, or is the last of the pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from riacho.base.ports import Files
from riacho.log.abort_index import AbortedTransaction
from riacho.log.config import LogConfig
from riacho.log.segment import Segment

if TYPE_CHECKING:
    from riacho.log.log import Log

OFFSET_MAP_SIZE_BYTES_MAX = 128 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """A segment as it was when the pass was planned."""

    segment: Segment
    path: str
    base_offset: int
    end_offset: int
    size_bytes: int
    index_entries: int
    time_index_entries: int


@dataclass(frozen=True, slots=True)
class LastRecord:
    """What must stay of an active producer: its last data batch, or else its marker of that epoch."""

    last_data_offset: int
    producer_epoch: int


@dataclass(frozen=True, slots=True)
class CleaningPlan:
    directory: str
    config: LogConfig
    now_ms: int
    sources: tuple[Source, ...]
    first_dirty_offset: int
    # Everything at or above is left alone.
    first_uncleanable_offset: int
    aborted: tuple[AbortedTransaction, ...]
    last_records: dict[int, LastRecord]
    files: Files
    map_size_bytes_max: int = OFFSET_MAP_SIZE_BYTES_MAX


@dataclass(frozen=True, slots=True)
class Cleanable:
    """How dirty a log is."""

    first_dirty_offset: int
    first_uncleanable_offset: int
    clean_size_bytes: int
    dirty_size_bytes: int
    # Dirty records have waited longer than `max.compaction.lag.ms`.
    overdue: bool

    @property
    def ratio(self) -> float:
        total = self.clean_size_bytes + self.dirty_size_bytes
        return self.dirty_size_bytes / total if total else 0.0


def cleanable(log: Log, cleaned_offset: int | None, now_ms: int) -> Cleanable:
    """What of a log may be cleaned, given where the last pass ended."""
    active_base = log.segments.active.base_offset
    first_dirty = log.log_start_offset if cleaned_offset is None else max(cleaned_offset, log.log_start_offset)
    if first_dirty > log.log_end_offset:
        # The log was cut below the checkpoint.
        first_dirty = log.log_start_offset
    limit = max(first_dirty, min(log.last_stable_offset, active_base))
    config = log.config
    earliest: int | None = None
    dirty = clean = 0
    for number, segment in enumerate(log.segments):
        if segment is log.segments.active:
            break
        end_offset = log.segments.end_of(number, log.log_end_offset)
        if end_offset <= first_dirty:
            clean += segment.size_bytes
            continue
        too_young = (
            config.min_compaction_lag_ms > 0 and segment.retention_timestamp > now_ms - config.min_compaction_lag_ms
        )
        if end_offset > limit or too_young:
            # Whole segments only: one that holds an open transaction waits.
            limit = max(first_dirty, segment.base_offset)
            break
        dirty += segment.size_bytes
        if segment.size_bytes and segment.first_timestamp >= 0:
            earliest = segment.first_timestamp if earliest is None else min(earliest, segment.first_timestamp)
    overdue = dirty > 0 and earliest is not None and earliest < now_ms - max(config.max_compaction_lag_ms, 0)
    return Cleanable(first_dirty, limit, clean, dirty, overdue)


def plan_cleaning(
    log: Log, found: Cleanable, now_ms: int, map_size_bytes_max: int = OFFSET_MAP_SIZE_BYTES_MAX
) -> CleaningPlan | None:
    """A pass over what `cleanable` found; None when nothing is dirty."""
    if found.first_uncleanable_offset <= found.first_dirty_offset:
        return None
    sources = []
    for number, segment in enumerate(log.segments):
        end_offset = log.segments.end_of(number, log.log_end_offset)
        if end_offset > found.first_uncleanable_offset or segment is log.segments.active:
            break
        sources.append(
            Source(
                segment,
                segment.path,
                segment.base_offset,
                end_offset,
                segment.size_bytes,
                len(segment.offset_index),
                len(segment.time_index),
            )
        )
    return CleaningPlan(
        log.directory,
        log.config,
        now_ms,
        tuple(sources),
        found.first_dirty_offset,
        found.first_uncleanable_offset,
        tuple(aborted for source in sources for aborted in source.segment.abort_index),
        {known.producer_id: LastRecord(known.last_offset, known.epoch) for known in log.producers()},
        log.files,
        map_size_bytes_max,
    )


def group_sources(sources: list[Source], config: LogConfig) -> list[list[Source]]:
    """Neighbours that fit into one segment together."""
    groups: list[list[Source]] = []
    size = entries = time_entries = 0
    for source in sources:
        fits = (
            bool(groups)
            and size + source.size_bytes <= config.segment_size_bytes_max
            and (entries + source.index_entries) * 8 <= config.index_size_bytes_max
            and (time_entries + source.time_index_entries) * 12 <= config.index_size_bytes_max
            and source.end_offset - 1 - groups[-1][0].base_offset < 1 << 31
        )
        if not fits:
            groups.append([])
            size = entries = time_entries = 0
        groups[-1].append(source)
        size += source.size_bytes
        entries += source.index_entries
        time_entries += source.time_index_entries
    return groups

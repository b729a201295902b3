"""Choosing the log that needs compaction most, and putting a finished pass in place.

Driven by the broker: `next_plan` and `commit` on the loop, `cleaning.clean` between them on a worker thread. One pass
at a time for a log; a log that was cut or deleted meanwhile keeps its own segments, and the pass is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable

from riacho.base.ports import Files
from riacho.log.checkpoints import TopicPartition, sync_directory
from riacho.log.cleaning import Cleaned, CleanedGroup, remove_files
from riacho.log.compaction import OFFSET_MAP_SIZE_BYTES_MAX, Cleanable, CleaningPlan, cleanable, plan_cleaning
from riacho.log.directories import LogDirectories
from riacho.log.leftovers import CLEANED_SUFFIX, SWAP_SUFFIX
from riacho.log.log import Log
from riacho.log.segment import LOG_SUFFIX, SEGMENT_SUFFIXES, Segment


class Cleaner:
    def __init__(self, directories: LogDirectories) -> None:
        self._directories = directories
        self._under_way: set[TopicPartition] = set()
        # Logs with something in them that no pass can read.
        self.uncleanable: set[TopicPartition] = set()

    def next_plan(
        self, now_ms: int, map_size_bytes_max: int = OFFSET_MAP_SIZE_BYTES_MAX
    ) -> tuple[TopicPartition, CleaningPlan] | None:
        """A pass over the filthiest log: past its dirty ratio, or overdue by `max.compaction.lag.ms`."""
        candidates: list[tuple[float, TopicPartition, Log, Cleanable]] = []
        for key, log in self._directories.logs.items():
            if not log.config.compacts or key in self._under_way or key in self.uncleanable:
                continue
            found = cleanable(log, self.cleaned_offset(key), now_ms)
            if found.dirty_size_bytes and (found.overdue or found.ratio > log.config.min_cleanable_dirty_ratio):
                candidates.append((found.ratio, key, log, found))
        for _, key, log, found in sorted(candidates, key=lambda each: each[0], reverse=True):
            plan = plan_cleaning(log, found, now_ms, map_size_bytes_max)
            if plan is not None:
                self._under_way.add(key)
                return key, plan
        return None

    def commit(self, key: TopicPartition, cleaned: Cleaned, now_ms: int) -> bool:
        """Put a finished pass in place; False when the log no longer is what was planned for."""
        self._under_way.discard(key)
        log = self._directories.logs.get(key)
        if log is None or log.directory != cleaned.plan.directory or not commit(log, cleaned, now_ms):
            _discard(cleaned.groups)
            return False
        directory = self._directories.directory_of(*key)
        assert directory is not None
        directory.cleaner_offsets[key] = cleaned.end_offset
        directory.checkpoint_cleaner()
        return True

    def abandon(self, key: TopicPartition, *, uncleanable: bool = False) -> None:
        """The pass failed; the log is looked at again next time, or never again in this process."""
        self._under_way.discard(key)
        if uncleanable:
            self.uncleanable.add(key)

    def cleaned_offset(self, key: TopicPartition) -> int | None:
        directory = self._directories.directory_of(*key)
        return None if directory is None else directory.cleaner_offsets.get(key)


def commit(log: Log, cleaned: Cleaned, now_ms: int) -> bool:
    """Replace the planned segments by the cleaned ones, in an order that a crash cannot break (log/leftovers.py)."""
    current = {id(segment) for segment in log.segments}
    for group in cleaned.groups:
        for source in group.sources:
            if id(source.segment) not in current or source.segment.size_bytes != source.size_bytes:
                return False
    for group in cleaned.groups:
        _swap(log, group, now_ms)
    return True


def _swap(log: Log, group: CleanedGroup, now_ms: int) -> None:
    stem = group.cleaned.stem
    _rename_all(log.files, stem, CLEANED_SUFFIX, SWAP_SUFFIX)
    sync_directory(log.directory, log.files)
    old = [source.segment for source in group.sources]
    for segment in old:
        log.deletions.add(segment.rename_deleted(), now_ms + log.config.file_delete_delay_ms)
        if segment.base_offset != group.cleaned.base_offset:
            log.producer_state.drop_snapshot_of(segment.base_offset)
    _rename_all(log.files, stem, SWAP_SUFFIX, "")
    segment = Segment(
        log.directory,
        group.cleaned.base_offset,
        size_bytes=group.cleaned.size_bytes,
        new=False,
        has_abort_index=len(group.cleaned.abort_index) > 0,
        created_ms=int(log.files.stat(stem + LOG_SUFFIX).st_mtime * 1000),
        files=log.files,
    )
    log.segments.remove(old, [segment])
    sync_directory(log.directory, log.files)


def _rename_all(files: Files, stem: str, old: str, new: str) -> None:
    for suffix in SEGMENT_SUFFIXES:
        if files.exists(stem + suffix + old):
            files.rename(stem + suffix + old, stem + suffix + new)


def _discard(groups: Iterable[CleanedGroup]) -> None:
    for group in groups:
        remove_files(group.cleaned)

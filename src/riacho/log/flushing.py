"""Bringing a log to the disk. Planned on the loop, run on any thread: a gigabyte takes its time."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from riacho.base.ports import Files
from riacho.log.checkpoints import PARTITION_METADATA_FILE, sync_directory, sync_file
from riacho.log.epoch_file import EpochFile, EpochPlan
from riacho.log.failures import is_broken
from riacho.log.open_files import OpenFile
from riacho.log.segment import Segment


@dataclass(frozen=True, slots=True)
class FlushWork:
    """Everything below `end_offset` is on disk once this has run."""

    end_offset: int
    files: tuple[OpenFile, ...]
    paths: tuple[str, ...]
    directory: str
    disk: Files
    epochs: EpochFile
    epoch_plan: EpochPlan | None
    # How often the log had been cut when this was planned.
    cut_count: int = 0
    # Whether the epochs up to there are on disk as well then: below a recovery point nobody looks for them.
    has_epochs: bool = True

    @classmethod
    def of(
        cls, segments: list[Segment], directory: str, end_offset: int, epochs: EpochFile, cut_count: int, disk: Files
    ) -> FlushWork:
        files, paths = [], [f"{directory}/{PARTITION_METADATA_FILE}"]
        for segment in segments:
            _persist_indexes(segment)
            files.append(segment.open_file())
            paths += (segment.offset_index.path, segment.time_index.path, segment.abort_index.path)
        # Last, as it leaves a file behind that `run` must take care of.
        plan, is_known = None, True
        try:
            plan = epochs.plan()
        except OSError as error:
            # The data need no more room to be synced, whatever the disk lacks; the file is for the next flush.
            if is_broken(error):
                raise
            is_known = False
        return cls(end_offset, tuple(files), tuple(paths), directory, disk, epochs, plan, cut_count, is_known)

    def run(self) -> None:
        for file in self.files:
            file.files.fdatasync(file.fd)
        for path in self.paths:
            with contextlib.suppress(FileNotFoundError):
                sync_file(path, self.disk)
        if self.epoch_plan is not None:
            self.epochs.put(self.epoch_plan)
        # A file is not on disk before its name is; the same goes for the directory itself.
        sync_directory(self.directory, self.disk)
        sync_directory(os.path.dirname(self.directory) or ".", self.disk)


def _persist_indexes(segment: Segment) -> None:
    try:
        segment.persist_indexes(final=False)
    except OSError as error:
        # Entries that found no room stay in memory; losing them would cost a scan.
        if is_broken(error):
            raise

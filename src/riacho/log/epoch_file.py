"""The leader epochs of a log, kept in its `leader-epoch-checkpoint`.

The file is replaced with the next flush after they changed, and when the log is closed. Thousands of partitions change
their leader at once when a broker comes or goes, and replacing a file costs far more than the write that began the
epoch. Until then the file may lack epochs, or name some of records that were cut off: recovery believes it only below
the recovery point, which no cut leaves above the end, and learns all later epochs from the batches.

It is replaced in two steps, so that a power failure never leaves an empty one: `plan` writes the new one beside it;
`put`, which may run on another thread, syncs that one and gives it the name.
"""

from __future__ import annotations

import contextlib
from itertools import pairwise
from threading import Lock
from typing import NamedTuple

from riacho.base.ports import Files
from riacho.log.checkpoints import (
    LEADER_EPOCH_FILE,
    CorruptCheckpoint,
    epochs_text,
    read_epochs,
    sync_directory,
    sync_file,
    write_beside,
)
from riacho.log.real_files import REAL_FILES
from riacho.partition.epochs import EpochEntry, LeaderEpochs


class EpochPlan(NamedTuple):
    """The file as it shall be, written to `path` but not synced."""

    number: int
    entries: tuple[EpochEntry, ...]
    path: str


class EpochFile(LeaderEpochs):
    __slots__ = ("_directory", "_files", "_lock", "_on_disk", "_planned", "_put")

    def __init__(self, directory: str, files: Files = REAL_FILES) -> None:
        super().__init__()
        self._files = files
        self._directory = directory
        # No file is no epochs. None: what the file says is not known, or wrong.
        self._on_disk: tuple[EpochEntry, ...] | None = ()
        self._planned = 0
        self._put = 0
        self._lock = Lock()

    def load(self) -> None:
        """Take what the file says; CorruptCheckpoint when it cannot be so."""
        self._on_disk = None
        entries = read_epochs(self._directory, self._files)
        if any(entry.epoch < 0 or entry.start_offset < 0 for entry in entries) or any(
            later.epoch <= entry.epoch or later.start_offset <= entry.start_offset for entry, later in pairwise(entries)
        ):
            raise CorruptCheckpoint(f"{LEADER_EPOCH_FILE}: its epochs do not ascend")
        for entry in entries:
            self.assign(entry.epoch, entry.start_offset)
        self._on_disk = self.entries

    def start_anew(self) -> None:
        """Nothing of it is believed, nor the file: whoever knows better tells, and the file will be replaced."""
        self.clear()
        self._on_disk = None

    def save(self) -> None:
        """Bring the file up to date, on disk, now."""
        plan = self.plan()
        if plan is not None:
            self.put(plan)
            sync_directory(self._directory, self._files)

    def plan(self) -> EpochPlan | None:
        """What the file lacks anything of, written beside it."""
        entries = self.entries
        if entries == self._on_disk:
            return None
        self._planned += 1
        plan = EpochPlan(self._planned, entries, f"{self._directory}/{LEADER_EPOCH_FILE}.{self._planned}.tmp")
        try:
            write_beside(plan.path, epochs_text(entries), sync=False, files=self._files)
        except OSError:
            self.drop(plan)
            raise
        return plan

    def put(self, plan: EpochPlan, *, sync: bool = True) -> None:
        """Give it the name, unless a later one has it; whoever calls syncs the directory. Without `sync` the caller has
        synced the file too."""
        with self._lock:
            if plan.number < self._put:
                self.drop(plan)
                return
            if sync:
                sync_file(plan.path, self._files)
            self._files.rename(plan.path, f"{self._directory}/{LEADER_EPOCH_FILE}")
            self._put = plan.number
            self._on_disk = plan.entries

    def drop(self, plan: EpochPlan) -> None:
        with contextlib.suppress(OSError):
            self._files.unlink(plan.path)

"""The leader epochs of a log, kept in its `leader-epoch-checkpoint`.

The file is replaced with the next flush after an epoch began, and when the log is closed: recovery learns the epochs of
unflushed batches from the batches. Thousands of partitions change their leader at once when a broker comes or goes,
and replacing a file costs far more than the write that began the epoch. What the log lost is taken out at once, so that
the file never names it; that is not synced, and a write that fails waits for the next flush.
"""

from __future__ import annotations

from riacho.log.checkpoints import read_epochs, write_epochs
from riacho.partition.epochs import EpochEntry, LeaderEpochs


class EpochFile(LeaderEpochs):
    __slots__ = ("_directory", "_on_disk", "unsaved")

    def __init__(self, directory: str) -> None:
        super().__init__()
        self._directory = directory
        self._on_disk: tuple[EpochEntry, ...] | None = None
        self.unsaved = False

    def load(self) -> None:
        """Take what the file says; CorruptCheckpoint when it cannot be read."""
        for entry in read_epochs(self._directory):
            super().assign(entry.epoch, entry.start_offset)
        self._on_disk = self.entries

    def assign(self, epoch: int, start_offset: int) -> bool:
        if not super().assign(epoch, start_offset):
            return False
        last = self._on_disk[-1] if self._on_disk else None
        if last is not None and (last.epoch > epoch or last.start_offset >= start_offset):
            # The file names what this one took the place of, and would be believed.
            return self._saved(True)
        self.unsaved = True
        return True

    def truncate_from_end(self, offset: int) -> bool:
        return self._saved(super().truncate_from_end(offset))

    def truncate_from_start(self, offset: int) -> bool:
        return self._saved(super().truncate_from_start(offset))

    def clear(self) -> None:
        super().clear()
        self._saved(True)

    def save_if_needed(self, log_end_offset: int | None = None) -> None:
        """Write the file if it lacks anything; of a log that is closed at `log_end_offset`, not the epochs that began
        there and wrote nothing."""
        if not self.unsaved:
            return
        entries = self.entries
        if log_end_offset is not None:
            entries = tuple(entry for entry in entries if entry.start_offset < log_end_offset)
        if entries != self._on_disk:
            write_epochs(self._directory, entries, sync=False)
            self._on_disk = entries
        self.unsaved = False

    def _saved(self, changed: bool) -> bool:
        if changed:
            self.unsaved = True
            try:
                self.save_if_needed()
            except OSError:
                # `unsaved` stays: the next flush tries again.
                return changed
        return changed

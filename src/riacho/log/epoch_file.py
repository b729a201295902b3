"""The leader epochs of a log, kept in its `leader-epoch-checkpoint`.

The file is replaced at every change but not synced, and a write that fails waits for the next flush: recovery learns
the epochs of unflushed batches from the batches.
"""

from __future__ import annotations

from riacho.log.checkpoints import read_epochs, write_epochs
from riacho.partition.epochs import LeaderEpochs


class EpochFile(LeaderEpochs):
    __slots__ = ("_directory", "unsaved")

    def __init__(self, directory: str) -> None:
        super().__init__()
        self._directory = directory
        self.unsaved = False

    def load(self) -> None:
        """Take what the file says; CorruptCheckpoint when it cannot be read."""
        for entry in read_epochs(self._directory):
            super().assign(entry.epoch, entry.start_offset)

    def assign(self, epoch: int, start_offset: int) -> bool:
        return self._saved(super().assign(epoch, start_offset))

    def begin(self, epoch: int, start_offset: int) -> None:
        """A leader epoch starts that has written nothing yet. It goes to disk with the next flush: without records it
        is worth nothing after a crash, and with some, recovery finds it in their batches."""
        if super().assign(epoch, start_offset):
            self.unsaved = True

    def truncate_from_end(self, offset: int) -> bool:
        return self._saved(super().truncate_from_end(offset))

    def truncate_from_start(self, offset: int) -> bool:
        return self._saved(super().truncate_from_start(offset))

    def clear(self) -> None:
        super().clear()
        self._saved(True)

    def save_if_needed(self) -> None:
        if self.unsaved:
            write_epochs(self._directory, self.entries, sync=False)
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

"""The metadata log as the core sees it: read only. Every write is an effect."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class SnapshotId(NamedTuple):
    """A snapshot holds all that was committed before `end_offset`; `epoch` is that of the last record it covers."""

    end_offset: int
    epoch: int


class LogView(Protocol):
    @property
    def end_offset(self) -> int: ...

    @property
    def start_offset(self) -> int: ...

    @property
    def latest_epoch(self) -> int:
        """The epoch of the last record, or of the snapshot that the log starts from; 0 when there is neither."""
        ...

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """The greatest epoch in the log that is not above the asked one, and where it ends; (-1, -1) below the first.

        The snapshot that the log starts from counts as an epoch that ends at `start_offset`, so that a follower which
        stands exactly there is not sent the snapshot again.
        """
        ...

    def epoch_of(self, offset: int) -> int: ...

    def latest_snapshot(self) -> SnapshotId | None: ...

    @property
    def has_free_space(self) -> bool:
        """Whether there is room on the disk for more than what is kept back for votes and for following."""
        ...

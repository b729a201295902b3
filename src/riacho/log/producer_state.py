"""The producers of one log together with their snapshot files.

`producers` is what the batches up to `end_offset` made of it. `restore` and `apply` are how a log is loaded; `apply` is
also the live path.
"""

from __future__ import annotations

import contextlib

from riacho.base.ports import Files
from riacho.log.markers import read_marker
from riacho.log.producer_snapshot import CorruptSnapshot, read_snapshot, remove_snapshot, write_snapshot
from riacho.log.real_files import REAL_FILES
from riacho.partition.producers import CompletedTransaction, Producers
from riacho.wire.batch import BatchHeader, Buffer


class ProducerState:
    __slots__ = ("_directory", "_files", "end_offset", "producers", "snapshot_offsets")

    def __init__(self, directory: str, snapshot_offsets: list[int] | None = None, files: Files = REAL_FILES) -> None:
        self._files = files
        self._directory = directory
        self.producers = Producers()
        self.snapshot_offsets = sorted(snapshot_offsets or [])
        self.end_offset = 0

    def apply(self, header: BatchHeader, base_offset: int, batch: Buffer) -> CompletedTransaction | None:
        """A batch with a producer id stands in the log at `base_offset`; the transaction that it ended."""
        if not header.is_control:
            self.producers.append_data(header, base_offset)
            return None
        marker = read_marker(batch)
        if marker is None:
            return None
        return self.producers.append_marker(
            header,
            base_offset + header.last_offset_delta,
            aborted=marker.aborted,
            coordinator_epoch=marker.coordinator_epoch,
        )

    def restore(self, log_start_offset: int, replay_offset: int) -> int:
        """Start over from the latest readable snapshot at or below `replay_offset`; where replaying must begin."""
        for offset in sorted((offset for offset in self.snapshot_offsets if offset <= replay_offset), reverse=True):
            try:
                producers = read_snapshot(self._directory, offset, self._files)
            except (CorruptSnapshot, OSError):
                self._forget(offset)
                continue
            self.producers.restore(producers)
            self.end_offset = offset
            return max(offset, log_start_offset)
        self.producers.clear()
        self.end_offset = log_start_offset
        return log_start_offset

    def take_snapshot(self, offset: int, *, sync: bool = False) -> None:
        """Write the state as of `offset`, the log end, unless that is on disk already."""
        latest = self.snapshot_offsets[-1] if self.snapshot_offsets else 0
        if offset > latest:
            write_snapshot(self._directory, offset, self.producers, sync=sync, files=self._files)
            self.snapshot_offsets.append(offset)
        self.end_offset = offset

    def drop_snapshots(self, from_offset: int) -> None:
        """Snapshots at or past an offset that the log no longer reaches."""
        for offset in [offset for offset in self.snapshot_offsets if offset >= from_offset]:
            self._forget(offset)

    def drop_snapshot_of(self, base_offset: int) -> None:
        """The segment that starts there is gone. The latest stays: it may be all that is left of a producer."""
        if base_offset in self.snapshot_offsets[:-1]:
            self._forget(base_offset)

    def drop_strays(self, base_offsets: set[int]) -> None:
        """Those that belong to no segment, as a clean close leaves them; the latest stays."""
        for offset in [offset for offset in self.snapshot_offsets[:-1] if offset not in base_offsets]:
            self._forget(offset)

    def _forget(self, offset: int) -> None:
        self.snapshot_offsets.remove(offset)
        with contextlib.suppress(OSError):
            remove_snapshot(self._directory, offset, self._files)

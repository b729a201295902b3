"""The producers of one log together with their snapshot files.

`producers` is what the batches up to `end_offset` made of it. `restore` and `apply` are how a log is loaded; `apply` is
also the live path, after `check`.

A snapshot holds a producer's last batch only, yet a client may repeat any of its last five after a clean restart whose
answers it missed. Its other batches are looked up in the log once, when a batch is about to be refused.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.base.ports import Files
from riacho.log.markers import read_marker
from riacho.log.producer_snapshot import CorruptSnapshot, read_snapshot, remove_snapshot, write_snapshot
from riacho.log.real_files import REAL_FILES
from riacho.log.scan import scan_headers
from riacho.partition.producers import BATCHES_KEPT, CompletedTransaction, ProducerBatch, Producers
from riacho.wire.batch import BatchHeader, Buffer

if TYPE_CHECKING:
    from riacho.log.segments import Segments

# How much of the log's end is searched: what a client has in flight was written shortly before the restart.
_SEARCH_SIZE_BYTES = 4 << 20


class ProducerState:
    __slots__ = ("_directory", "_files", "end_offset", "producers", "snapshot_offsets")

    def __init__(self, directory: str, snapshot_offsets: list[int] | None = None, files: Files = REAL_FILES) -> None:
        self._files = files
        self._directory = directory
        self.producers = Producers()
        self.snapshot_offsets = sorted(snapshot_offsets or [])
        self.end_offset = 0

    def check(
        self, batch: Buffer, header: BatchHeader, segments: Segments, log_end_offset: int
    ) -> ProducerBatch | None:
        """The batch that this one repeats; KafkaError when its producer may not send it now."""
        producers = self.producers
        if header.is_control:
            marker = read_marker(batch)
            if marker is not None:
                producers.check_marker(header.producer_id, marker.coordinator_epoch)
        try:
            return producers.check(header)
        except KafkaError:
            if not self._refill_window(header.producer_id, segments, log_end_offset):
                raise
            return producers.check(header)

    def _refill_window(self, producer_id: int, segments: Segments, log_end_offset: int) -> bool:
        """Whether there was anything to look up."""
        producer = self.producers.get(producer_id)
        if producer is None or not producer.window_is_partial:
            return False
        producer.window_is_partial = False
        first_known = producer.batches[0].first_offset if producer.batches else log_end_offset
        found: list[ProducerBatch] = []
        left = _SEARCH_SIZE_BYTES
        for segment in reversed(list(segments)):
            if left <= 0 or len(found) + len(producer.batches) >= BATCHES_KEPT:
                break
            start = segment.offset_index.position_before(segment.size_bytes - left)
            here = [
                ProducerBatch(header.last_sequence, header.last_offset, header.last_offset_delta, header.max_timestamp)
                for _, header in scan_headers(segment.open_file().fd, start, segment.size_bytes, segment.files)
                if header.producer_id == producer_id
                and header.producer_epoch == producer.epoch
                and not header.is_control
                and header.last_offset < first_known
            ]
            found = here + found
            left -= segment.size_bytes
        producer.batches = (found + producer.batches)[-BATCHES_KEPT:]
        return True

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

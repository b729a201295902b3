"""A metadata log and its snapshots in memory, of real batches: what a node of the simulated quorum keeps on disk."""

from __future__ import annotations

import json
from typing import NamedTuple

from riacho.raft.control_records import build_control_batch, kraft_version_record, voters_in, voters_record
from riacho.raft.log_view import SnapshotId
from riacho.raft.voter_history import VotersAt
from riacho.raft.voters import VoterSet
from riacho.wire.batch import iterate_headers
from riacho.wire.records import Record, build_batch

# Enough padding that a snapshot takes several chunks.
SNAPSHOT_PADDING = 300


class Batch(NamedTuple):
    base_offset: int
    next_offset: int
    epoch: int
    crc: int
    data: bytes


class Snapshot(NamedTuple):
    snapshot_id: SnapshotId
    # What the batches before its end were, as the checker sums them up.
    digest: int
    voters: VotersAt | None
    data: bytes


def data_batch(value: str, base_offset: int, epoch: int) -> bytes:
    return bytes(
        build_batch([Record(0, 0, None, value.encode())], base_timestamp=0, base_offset=base_offset, leader_epoch=epoch)
    )


def digest(before: int, batch: Batch) -> int:
    return hash((before, batch.base_offset, batch.epoch, batch.crc))


class MemoryLog:
    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.snapshot: Snapshot | None = None
        self.start_offset = 0
        self.start_epoch = 0
        self.start_digest = 0
        self.partial = bytearray()
        self.has_free_space = True

    # LogView

    @property
    def end_offset(self) -> int:
        return self.batches[-1].next_offset if self.batches else self.start_offset

    @property
    def latest_epoch(self) -> int:
        return self.batches[-1].epoch if self.batches else self.start_epoch

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        for batch in reversed(self.batches):
            if batch.epoch <= epoch:
                return batch.epoch, batch.next_offset
        if self.start_offset and self.start_epoch <= epoch:
            return self.start_epoch, self.start_offset
        return -1, -1

    def epoch_of(self, offset: int) -> int:
        found = [batch.epoch for batch in self.batches if batch.base_offset <= offset < batch.next_offset]
        return found[0] if found else self.start_epoch

    def latest_snapshot(self) -> SnapshotId | None:
        return self.snapshot.snapshot_id if self.snapshot else None

    # Writing

    def append(self, records: bytes | bytearray | memoryview) -> list[Batch]:
        added = []
        for position, header in iterate_headers(records):
            assert header.base_offset == self.end_offset, f"{header.base_offset} appended at {self.end_offset}"
            assert header.partition_leader_epoch >= self.latest_epoch
            data = bytes(memoryview(records)[position : position + header.size_bytes])
            batch = Batch(header.base_offset, header.next_offset, header.partition_leader_epoch, header.crc, data)
            self.batches.append(batch)
            added.append(batch)
        return added

    def truncate(self, offset: int) -> None:
        assert offset >= self.start_offset
        while self.batches and self.batches[-1].base_offset >= offset:
            self.batches.pop()
        assert self.end_offset == offset, f"truncated to {self.end_offset}, not to {offset}"

    def read(self, offset: int, size_bytes_max: int) -> bytes:
        found = b""
        for batch in self._from(offset):
            if found and len(found) + len(batch.data) > size_bytes_max:
                break
            found += batch.data
        return found

    def _from(self, offset: int) -> list[Batch]:
        index = len(self.batches)
        while index and self.batches[index - 1].base_offset >= offset:
            index -= 1
        return self.batches[index:]

    def between(self, start: int, end: int) -> list[Batch]:
        return [batch for batch in self._from(start) if batch.next_offset <= end]

    # Snapshots

    def write_snapshot(self, end_offset: int, voters: VotersAt, is_cutting: bool) -> None:
        """Of all before the end of a committed batch; perhaps the log is cut there."""
        covered = [batch for batch in self.batches if batch.next_offset <= end_offset]
        if not covered or covered[-1].next_offset != end_offset:
            return
        total = self.start_digest
        for batch in covered:
            total = digest(total, batch)
        snapshot_id = SnapshotId(end_offset, covered[-1].epoch)
        self.snapshot = _encode_snapshot(snapshot_id, total, voters)
        if is_cutting:
            self.batches = self.batches[len(covered) :]
            self.start_offset, self.start_epoch, self.start_digest = end_offset, snapshot_id.epoch, total

    def store_chunk(self, position: int, data: bytes | bytearray | memoryview) -> None:
        if position == 0:
            self.partial = bytearray()
        assert len(self.partial) == position
        self.partial += data

    def finish_snapshot(self, snapshot_id: SnapshotId) -> None:
        self.snapshot = _decode_snapshot(bytes(self.partial))
        assert self.snapshot.snapshot_id == snapshot_id
        self.batches = []
        self.start_offset, self.start_epoch = snapshot_id
        self.start_digest = self.snapshot.digest
        self.partial = bytearray()

    def voter_history(self) -> tuple[VotersAt, ...]:
        """Every voter set in the latest snapshot and in the log behind it."""
        found: list[VotersAt] = []
        start = 0
        if self.snapshot is not None and self.snapshot.voters is not None:
            found.append(self.snapshot.voters)
            start = self.snapshot.snapshot_id.end_offset
        for batch in self._from(start):
            before = found[-1] if found else VotersAt(-1, VoterSet(), 0)
            found += voters_in(batch.data, before)
        return tuple(found)


def _encode_snapshot(snapshot_id: SnapshotId, total: int, voters: VotersAt) -> Snapshot:
    head = json.dumps([*snapshot_id, total, voters.offset, voters.kraft_version]).encode()
    body = bytes(
        build_control_batch(
            [kraft_version_record(voters.kraft_version), voters_record(voters.voters)],
            base_offset=0,
            leader_epoch=snapshot_id.epoch,
            timestamp_ms=0,
        )
    )
    data = len(head).to_bytes(2, "big") + head + body + bytes(SNAPSHOT_PADDING)
    return _decode_snapshot(data)


def _decode_snapshot(data: bytes) -> Snapshot:
    size = int.from_bytes(data[:2], "big")
    end_offset, epoch, total, offset, _ = json.loads(data[2 : 2 + size])
    found = voters_in(data[2 + size : -SNAPSHOT_PADDING], VotersAt(-1, VoterSet(), 0))[-1]
    # A static set that no record brought is the configuration's business, not the snapshot's.
    voters = found._replace(offset=offset) if offset >= 0 else None
    return Snapshot(SnapshotId(end_offset, epoch), total, voters, data)

"""The cluster's metadata on disk: the log `__cluster_metadata-0`, its snapshots, and the quorum's state.

What the raft core reads of its log (`raft.log_view.LogView`) and what its driver writes. A batch counts when it is
synced to disk; one that cannot be synced is cut off again, so that what was refused does not come back with the next
start.

Files are Kafka's, so its tools read them: batches of framed records, `<end offset>-<epoch>.checkpoint` snapshots with
header and footer, `quorum-state` as JSON: version 0 with the voters of a fixed quorum, version 1 where they are in the
log (KIP-853).
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import METADATA_TOPIC_ID, ZERO_UUID, uuid_from_text, uuid_text
from riacho.base.ports import Files
from riacho.log.checkpoints import read_small_file, replace_file, sync_directory, sync_file
from riacho.log.config import NEVER_MS, LogConfig
from riacho.log.failures import is_full
from riacho.log.log import Log
from riacho.log.placed import append_placed
from riacho.log.real_files import REAL_FILES
from riacho.log.reserved_file import ReservedFile
from riacho.log.segment import Segment
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.snapshot import build_snapshot, parse_snapshot_name, read_snapshot, snapshot_name
from riacho.partition.epochs import NO_EPOCH, NO_OFFSET
from riacho.raft.core import EPOCH_LAST
from riacho.raft.log_view import SnapshotId
from riacho.raft.quorum_state import QuorumState
from riacho.wire.batch import BatchHeader, Buffer, iterate_headers, read_header
from riacho.wire.schema import Message

DIRECTORY = "__cluster_metadata-0"
_QUORUM_STATE = "quorum-state"
_PARTIAL_SUFFIX = ".part"
_READ_SIZE_BYTES = 1 << 20
# Thousands of records.
_RESERVE_SIZE_BYTES = 1 << 19
# An older snapshot stays beside the newest, in case that one cannot be read.
_SNAPSHOTS_KEPT = 2


class MetadataLog:
    def __init__(
        self, path: str, segment_size_bytes: int, segment_ms: int, now_ms: int, files: Files = REAL_FILES
    ) -> None:
        self._files = files
        self.path = os.path.join(path, DIRECTORY)
        self.size_bytes_since_snapshot = 0
        self.last_snapshot_ms = now_ms
        config = LogConfig(
            segment_size_bytes_max=segment_size_bytes,
            segment_ms=segment_ms,
            cleanup_policy=frozenset(),
            flush_messages=NEVER_MS,
            # Nobody reads a segment that a snapshot took the place of.
            file_delete_delay_ms=0,
        )
        self._log = Log.open(
            self.path, config, topic_id=METADATA_TOPIC_ID, now_ms=now_ms, clean_shutdown=False, files=files
        )
        # Where the log ends for everybody: what is behind it was not synced, and could not be cut off yet.
        self._cut_due: int | None = None
        # A write failed in a way that does not pass.
        self.is_broken = False
        self._log.on_broken = self._broke
        self._snapshots = [SnapshotId(*found) for found in self._snapshots_on_disk()]
        self._settle_start()
        self._state_file = ReservedFile(os.path.join(self.path, _QUORUM_STATE), files)
        self._state_file.reserve()
        # The segment whose blocks are taken beyond its end, and up to where.
        self._reserved: tuple[Segment, int] | None = None
        self._is_full = False
        self._reserve()

    def _broke(self, _reason: str) -> None:
        self.is_broken = True

    def _settle_start(self) -> None:
        """A log that ends before the newest snapshot was lost behind it: it goes on where the snapshot ends. So does
        one of an earlier leader, that a crash kept when the snapshot was to take its place."""
        newest = self.latest_snapshot()
        if newest is None:
            return
        is_other = 0 <= self._log.latest_epoch < newest.epoch
        if is_other or self.end_offset < newest.end_offset:
            self._log.truncate_fully_and_start_at(newest.end_offset)

    # What the core reads

    @property
    def end_offset(self) -> int:
        return self._log.log_end_offset if self._cut_due is None else self._cut_due

    @property
    def start_offset(self) -> int:
        return self._log.log_start_offset

    @property
    def latest_epoch(self) -> int:
        """Of the last record, or of the snapshot that the log starts from."""
        if self._log.latest_epoch >= 0:
            return self._log.latest_epoch
        newest = self.latest_snapshot()
        return newest.epoch if newest is not None else 0

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        entries = self._log.epochs.entries
        if entries and epoch >= entries[-1].epoch:
            return entries[-1].epoch, self.end_offset
        if entries and epoch >= entries[0].epoch:
            return self._log.end_offset_for_epoch(epoch)
        # What was before the log start is in the snapshot: its end is all that is known of those epochs. Of an epoch
        # below its own nothing is known, and whoever ends in one may have what was never committed.
        below = [snapshot for snapshot in self._snapshots if snapshot.epoch <= epoch]
        return (below[-1].epoch, below[-1].end_offset) if below else (NO_EPOCH, NO_OFFSET)

    def epoch_of(self, offset: int) -> int:
        epoch = self._log.epoch_for_offset(offset)
        if epoch >= 0:
            return epoch
        found = [snapshot.epoch for snapshot in self._snapshots if snapshot.end_offset > offset]
        return found[0] if found else 0

    def latest_snapshot(self) -> SnapshotId | None:
        return self._snapshots[-1] if self._snapshots else None

    @property
    def has_free_space(self) -> bool:
        self._reserve()
        return not self._is_full

    # What the driver reads

    def read(self, offset: int, size_bytes_max: int) -> bytes:
        """Batches from `offset` on, for a follower; the last may be cut."""
        found = self._log.read(offset, size_bytes_max, end_offset=self.end_offset, at_least_one=True)
        return b"" if found is None else found.read()

    def batches(self, offset: int, end_offset: int) -> Iterator[tuple[bytes, int, BatchHeader]]:
        """(bytes, position, header) of each batch in the range."""
        while offset < end_offset:
            found = self._log.read(offset, _READ_SIZE_BYTES, end_offset=end_offset, at_least_one=True)
            assert found is not None, f"no batch at {offset}"
            data = found.read()
            for position, header in iterate_headers(data):
                if header.last_offset < offset or position + header.size_bytes > len(data):
                    continue
                offset = header.last_offset + 1
                yield data, position, header
                if offset >= end_offset:
                    return

    def load_snapshot(self, image: MetadataImage) -> MetadataImage:
        """The image of the newest snapshot that can be read, or `image` where there is none."""
        for snapshot in reversed(self._snapshots):
            try:
                return image.apply(read_snapshot(self.snapshot_bytes(snapshot)), snapshot.end_offset)
            except KafkaError:
                # Unfinished or damaged: an older one and more of the log give the same.
                continue
        return image

    def snapshot_bytes(self, snapshot: SnapshotId) -> bytes:
        return read_small_file(self._snapshot_path(snapshot), self._files)

    def snapshot_chunk(self, snapshot: SnapshotId, position: int, size_bytes_max: int) -> tuple[bytes, int]:
        """(bytes, size of the whole); KafkaError SNAPSHOT_NOT_FOUND when it is gone."""
        try:
            fd = self._files.open(self._snapshot_path(snapshot), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError as error:
            raise KafkaError(ErrorCode.SNAPSHOT_NOT_FOUND) from error
        try:
            return self._files.pread(fd, size_bytes_max, position), self._files.fstat(fd).st_size
        finally:
            self._files.close(fd)

    # Writing

    def append(self, batch: bytearray, epoch: int, now_ms: int) -> int:
        """Take a batch as the leader of `epoch` and sync it; the offset after it."""
        with self._whole_or_not(now_ms):
            self._log.append(batch, read_header(batch), epoch, now_ms)
            self._log.flush(now_ms)
        self.size_bytes_since_snapshot += len(batch)
        return self.end_offset

    def append_fetched(self, records: Buffer, now_ms: int) -> int:
        """Take batches as the leader placed them and sync them; the offset after them."""
        with self._whole_or_not(now_ms):
            taken = append_placed(self._log, records, now_ms)
            if taken:
                self._log.flush(now_ms)
                self.size_bytes_since_snapshot += taken
        return self.end_offset

    @contextmanager
    def _whole_or_not(self, now_ms: int) -> Iterator[None]:
        self._cut(now_ms)
        before = self.end_offset
        try:
            yield
        except KafkaError:
            self._reserved = None
            if self.end_offset > before:
                self._cut_due = before
                self._cut(now_ms)
            raise
        self._reserve()

    def _cut(self, now_ms: int) -> None:
        """What was not taken. Nobody may read it: the same offset may be given to something else. Where it cannot be
        cut off, as for want of a descriptor, the next write begins with that."""
        if self._cut_due is not None:
            self._log.truncate_to(self._cut_due, now_ms)
            self._cut_due = None

    def _reserve(self) -> None:
        """Take blocks for the changes to come: while the disk is full, a quorum must be able to elect a leader and to
        agree on who is in sync."""
        segment = self._log.segments.active
        if self._reserved is not None:
            of, until = self._reserved
            if of is segment and until - segment.size_bytes >= _RESERVE_SIZE_BYTES // 2:
                return
        try:
            self._files.reserve(segment.open_file().fd, segment.size_bytes, _RESERVE_SIZE_BYTES)
            self._reserved = segment, segment.size_bytes + _RESERVE_SIZE_BYTES
            self._is_full = False
        except OSError as error:
            # Some file systems have no way to take blocks beforehand.
            self._is_full = is_full(error)

    def truncate_to(self, offset: int, now_ms: int) -> None:
        self._reserved = None
        self._cut(now_ms)
        self._log.truncate_to(offset, now_ms)

    # Snapshots

    def write_snapshot(
        self, image: MetadataImage, controls: Sequence[tuple[int, Message]], last_timestamp_ms: int, now_ms: int
    ) -> SnapshotId:
        """Put a committed image on disk whole; then what only older snapshots need may go."""
        snapshot = SnapshotId(image.end_offset, self.epoch_of(image.end_offset - 1))
        data = b"".join(build_snapshot(image, snapshot.epoch, last_timestamp_ms, now_ms, controls))
        replace_file(self._snapshot_path(snapshot), data, files=self._files)
        self._snapshot_is_there(snapshot, now_ms)
        # Segments go whole, so the log goes on in a new one.
        self._log.roll(now_ms)
        self._drop_what_snapshots_hold(now_ms)
        return snapshot

    def store_chunk(self, snapshot: SnapshotId, position: int, data: Buffer) -> None:
        """A piece of the leader's snapshot, beside the finished ones until it is whole."""
        path = self._snapshot_path(snapshot) + _PARTIAL_SUFFIX
        fd = self._files.open(path, os.O_WRONLY | os.O_CLOEXEC | (0 if position else os.O_CREAT | os.O_TRUNC))
        try:
            if self._files.pwrite(fd, data, position) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._files.ftruncate(fd, position + len(data))
        finally:
            self._files.close(fd)

    def finish_snapshot(self, snapshot: SnapshotId, now_ms: int) -> None:
        """The fetched snapshot is whole: it takes the place of everything in the log."""
        path = self._snapshot_path(snapshot)
        if self._files.exists(path + _PARTIAL_SUFFIX):
            read_snapshot(read_small_file(path + _PARTIAL_SUFFIX, self._files))
            sync_file(path + _PARTIAL_SUFFIX, self._files)
            self._files.rename(path + _PARTIAL_SUFFIX, path)
        sync_directory(self.path, self._files)
        self._reserved = None
        self._log.truncate_fully_and_start_at(snapshot.end_offset, now_ms)
        self._cut_due = None
        self._snapshot_is_there(snapshot, now_ms)
        for older in self._snapshots[:-1]:
            self._forget_snapshot(older)

    def _snapshot_is_there(self, snapshot: SnapshotId, now_ms: int) -> None:
        if snapshot not in self._snapshots:
            self._snapshots = sorted([*self._snapshots, snapshot])
        self.size_bytes_since_snapshot = 0
        self.last_snapshot_ms = now_ms

    def _drop_what_snapshots_hold(self, now_ms: int) -> None:
        for older in self._snapshots[:-_SNAPSHOTS_KEPT]:
            self._forget_snapshot(older)
        if len(self._snapshots) >= _SNAPSHOTS_KEPT:
            oldest = self._snapshots[0].end_offset
            self._log.high_watermark = oldest
            self._log.delete_records(oldest, now_ms)
            self._log.enforce_retention(now_ms)

    def _forget_snapshot(self, snapshot: SnapshotId) -> None:
        self._snapshots.remove(snapshot)
        with suppress(FileNotFoundError):
            self._files.unlink(self._snapshot_path(snapshot))

    def _snapshot_path(self, snapshot: SnapshotId) -> str:
        return os.path.join(self.path, snapshot_name(snapshot.end_offset, snapshot.epoch))

    def _snapshots_on_disk(self) -> list[tuple[int, int]]:
        return sorted(found for name in self._files.listdir(self.path) if (found := parse_snapshot_name(name)))

    def close(self) -> None:
        self._log.close(clean=True)

    # Quorum state

    def load_state(self) -> QuorumState | None:
        try:
            found = dict(json.loads(read_small_file(os.path.join(self.path, _QUORUM_STATE), self._files)))
            voted_directory = found.get("votedDirectoryId")
            if not 0 <= int(found["leaderEpoch"]) <= EPOCH_LAST:
                raise ValueError(f"there is no epoch {found['leaderEpoch']}")
            return QuorumState(
                leader_id=int(found["leaderId"]),
                leader_epoch=int(found["leaderEpoch"]),
                voted_id=int(found["votedId"]),
                voted_directory_id=uuid_from_text(voted_directory) if voted_directory else ZERO_UUID,
            )
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"{_QUORUM_STATE} cannot be read: {error}") from error

    def save_state(self, state: QuorumState, voter_ids: Sequence[int], kraft_version: int) -> None:
        """Synced before anything that it promises leaves this node."""
        found: dict[str, object]
        if kraft_version > 0:
            found = {
                "leaderId": state.leader_id,
                "leaderEpoch": state.leader_epoch,
                "votedId": state.voted_id,
                "votedDirectoryId": uuid_text(state.voted_directory_id),
                "data_version": 1,
            }
        else:
            found = {
                "clusterId": "",
                "leaderId": state.leader_id,
                "leaderEpoch": state.leader_epoch,
                "votedId": state.voted_id,
                "appliedOffset": 0,
                "currentVoters": [{"voterId": voter_id} for voter_id in voter_ids],
                "data_version": 0,
            }
        self._state_file.replace(json.dumps(found, separators=(",", ":")).encode())

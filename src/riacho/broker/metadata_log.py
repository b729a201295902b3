"""The cluster's metadata on disk: the log `__cluster_metadata-0`, its snapshots, and who leads the quorum.

The quorum has one voter, this node, which leads from its start on in an epoch of its own: `quorum-state` is written
before the first record of the epoch, as a vote would be. A batch is committed when it is synced to disk; one that
cannot be synced is cut off again, so that what was refused does not come back with the next start.

Files are Kafka's, so its tools read them: batches of framed records, `<end offset>-<epoch>.checkpoint` snapshots with
header and footer, `quorum-state` as JSON in version 0 (a fixed quorum, kraft.version 0).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import METADATA_TOPIC_ID
from riacho.log.checkpoints import replace_file, sync_directory
from riacho.log.config import NEVER_MS, LogConfig
from riacho.log.log import Log
from riacho.metadata.image import MetadataImage
from riacho.metadata.records import MetadataRecord
from riacho.metadata.snapshot import (
    build_snapshot,
    leader_change_batch,
    parse_snapshot_name,
    read_snapshot,
    record_batch,
    records_of,
    snapshot_name,
)
from riacho.wire.batch import iterate_headers, read_header

DIRECTORY = "__cluster_metadata-0"
_QUORUM_STATE = "quorum-state"
_READ_SIZE_BYTES = 1 << 20
# An older snapshot stays beside the newest, in case that one cannot be read.
_SNAPSHOTS_KEPT = 2


class MetadataLog:
    def __init__(self, path: str, node_id: int, segment_size_bytes: int, segment_ms: int, now_ms: int) -> None:
        self.path = os.path.join(path, DIRECTORY)
        self.node_id = node_id
        self.epoch = 0
        self.size_bytes_since_snapshot = 0
        self.last_snapshot_ms = now_ms
        self.last_timestamp_ms = 0
        config = LogConfig(
            segment_size_bytes_max=segment_size_bytes,
            segment_ms=segment_ms,
            cleanup_policy=frozenset(),
            flush_messages=NEVER_MS,
            # Nobody reads a segment that a snapshot took the place of.
            file_delete_delay_ms=0,
        )
        self._log = Log.open(
            self.path, config, topic_id=METADATA_TOPIC_ID, now_ms=now_ms, clean_shutdown=False, recovery_point=0
        )

    @property
    def end_offset(self) -> int:
        return self._log.log_end_offset

    @property
    def start_offset(self) -> int:
        return self._log.log_start_offset

    # Starting

    def replay(self, image: MetadataImage) -> MetadataImage:
        """The newest snapshot that can be read, then the log from its end on."""
        image = self._load_snapshot(image)
        start = max(image.end_offset, self.start_offset)
        if start > image.end_offset:
            problem = f"the metadata log starts at {start}, no snapshot reaches beyond {image.end_offset}"
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, problem)
        if self.end_offset < start:
            # The log was lost behind the snapshot, which holds all that was in it.
            self._log.truncate_fully_and_start_at(start)
        for data, position, end_offset in self._batches(start):
            image = image.apply(records_of(data, position), end_offset)
        self._log.high_watermark = self.end_offset
        return image

    def begin_epoch(self, now_ms: int) -> None:
        """Lead, in an epoch above all that this log or its quorum state has seen."""
        self.epoch = max(self._stored_epoch(), self._log.latest_epoch, 0) + 1
        self._write_quorum_state()
        self._append(leader_change_batch(self.node_id, [self.node_id], self.epoch, now_ms), now_ms)

    def _load_snapshot(self, empty: MetadataImage) -> MetadataImage:
        for end_offset, epoch in reversed(self._snapshots()):
            try:
                with open(os.path.join(self.path, snapshot_name(end_offset, epoch)), "rb") as file:
                    return empty.apply(read_snapshot(file.read()), end_offset)
            except KafkaError:
                # Unfinished or damaged: an older one and more of the log give the same.
                continue
        return empty

    def _batches(self, offset: int) -> Iterator[tuple[bytes, int, int]]:
        """(bytes, position, offset after the batch) of each batch from `offset` on."""
        while offset < self.end_offset:
            found = self._log.read(offset, _READ_SIZE_BYTES, end_offset=self.end_offset, at_least_one=True)
            assert found is not None, f"no batch at {offset}"
            data = found.read()
            for position, header in iterate_headers(data):
                if header.last_offset < offset or position + header.size_bytes > len(data):
                    continue
                self.size_bytes_since_snapshot += header.size_bytes
                self.last_timestamp_ms = header.max_timestamp
                offset = header.last_offset + 1
                yield data, position, offset

    # Writing

    def append(self, records: Sequence[MetadataRecord], now_ms: int) -> int:
        """Commit the records as one batch, so all or none; the offset after it."""
        self._append(record_batch(records, 0, self.epoch, now_ms), now_ms)
        return self.end_offset

    def _append(self, batch: bytearray, now_ms: int) -> None:
        before = self.end_offset
        try:
            self._log.append(batch, read_header(batch), self.epoch, now_ms)
            self._log.flush(now_ms)
        except KafkaError:
            if self.end_offset > before:
                self._log.truncate_to(before, now_ms)
            raise
        self._log.high_watermark = self.end_offset
        self.size_bytes_since_snapshot += len(batch)
        self.last_timestamp_ms = now_ms

    def write_snapshot(self, image: MetadataImage, now_ms: int) -> None:
        """Put the image on disk whole; then what only older snapshots need may go."""
        name = snapshot_name(image.end_offset, self.epoch)
        data = b"".join(build_snapshot(image, self.epoch, self.last_timestamp_ms, now_ms))
        replace_file(os.path.join(self.path, name), data)
        self.size_bytes_since_snapshot = 0
        self.last_snapshot_ms = now_ms
        snapshots = self._snapshots()
        for end_offset, epoch in snapshots[:-_SNAPSHOTS_KEPT]:
            os.unlink(os.path.join(self.path, snapshot_name(end_offset, epoch)))
        # Segments go whole, so the log goes on in a new one.
        self._log.roll(now_ms)
        if len(snapshots) >= _SNAPSHOTS_KEPT:
            self._log.delete_records(snapshots[-_SNAPSHOTS_KEPT][0], now_ms)
            self._log.enforce_retention(now_ms)

    def close(self) -> None:
        self._log.close(clean=True)

    def _snapshots(self) -> list[tuple[int, int]]:
        return sorted(found for name in os.listdir(self.path) if (found := parse_snapshot_name(name)))

    # Quorum state

    def _stored_epoch(self) -> int:
        try:
            with open(os.path.join(self.path, _QUORUM_STATE), encoding="utf-8") as file:
                return int(json.load(file)["leaderEpoch"])
        except FileNotFoundError:
            return 0
        except (ValueError, KeyError, TypeError) as error:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"{_QUORUM_STATE} cannot be read: {error}") from error

    def _write_quorum_state(self) -> None:
        state = {
            "clusterId": "",
            "leaderId": self.node_id,
            "leaderEpoch": self.epoch,
            "votedId": -1,
            "appliedOffset": 0,
            "currentVoters": [{"voterId": self.node_id}],
            "data_version": 0,
        }
        replace_file(os.path.join(self.path, _QUORUM_STATE), json.dumps(state, separators=(",", ":")).encode())
        sync_directory(self.path)

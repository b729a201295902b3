"""One of a broker's `log.dirs`: its lock, its identity, its checkpoints, and whether it was left in order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ports import Files
from riacho.log.checkpoints import (
    CLEANER_OFFSET_FILE,
    HIGH_WATERMARK_FILE,
    LOG_START_OFFSET_FILE,
    RECOVERY_POINT_FILE,
    CorruptCheckpoint,
    TopicPartition,
    read_offsets,
    read_small_file,
    sync_directory,
    write_beside,
    write_offsets,
)
from riacho.log.failures import is_broken
from riacho.log.log import Log
from riacho.log.meta_properties import MetaProperties, read_meta_properties, write_meta_properties
from riacho.log.real_files import REAL_FILES

_LOWERED_COUNT_MAX = 32
LOCK_FILE = ".lock"
CLEAN_SHUTDOWN_FILE = ".kafka_cleanshutdown"


class LogDirectory:
    def __init__(self, path: str, meta: MetaProperties, lock_fd: int, files: Files = REAL_FILES) -> None:
        self.files = files
        self.path = path
        self.meta = meta
        self._lock_fd = lock_fd
        self.clean_shutdown = files.exists(f"{path}/{CLEAN_SHUTDOWN_FILE}")
        # The epoch under which the broker stopped in order; -1 when it did not, or did not say (KIP-966).
        self.previous_broker_epoch = _epoch_at_stop(f"{path}/{CLEAN_SHUTDOWN_FILE}", files)
        self.recovery_points = self._offsets(RECOVERY_POINT_FILE)
        # What the file says by now, and how often it was rewritten for a log that was cut since the last checkpoint.
        self._points_on_disk = dict(self.recovery_points)
        self._lowered_count = 0
        self.log_start_offsets = self._offsets(LOG_START_OFFSET_FILE)
        self.high_watermarks = self._offsets(HIGH_WATERMARK_FILE)
        self.cleaner_offsets = self._offsets(CLEANER_OFFSET_FILE)
        # A crash while the logs are being opened must not pass for a clean shutdown.
        with suppress(FileNotFoundError):
            files.unlink(f"{path}/{CLEAN_SHUTDOWN_FILE}")
            # A power failure must not bring it back.
            sync_directory(path, files)

    @classmethod
    def open(
        cls,
        path: str,
        node_id: int,
        cluster_id: str,
        new_directory_id: Callable[[], bytes],
        files: Files = REAL_FILES,
    ) -> LogDirectory:
        """Lock it, and format it when it is new. KafkaError when it is in use or another broker's."""
        files.makedirs(path)
        lock_fd = _lock(path, files)
        try:
            meta = read_meta_properties(path, files)
            if meta is None:
                meta = MetaProperties(node_id, cluster_id, new_directory_id())
                write_meta_properties(path, meta, files)
            if (meta.node_id, meta.cluster_id) != (node_id, cluster_id):
                raise ValueError(
                    f"it is of node {meta.node_id}, cluster {meta.cluster_id}; this is node {node_id}, {cluster_id}"
                )
            return cls(path, meta, lock_fd, files)
        except ValueError as error:
            files.close(lock_fd)
            raise KafkaError(ErrorCode.INCONSISTENT_CLUSTER_ID, f"log directory {path}: {error}") from error
        except OSError:
            files.close(lock_fd)
            raise

    def checkpoint(self, logs: Mapping[TopicPartition, Log]) -> None:
        """Write down how far each log is surely on disk, and where it starts."""
        self._write_recovery_points({key: log.recovery_point for key, log in logs.items()})
        self._lowered_count = 0
        # A start at a segment's base needs no note: the files say it.
        starts = {
            key: log.log_start_offset
            for key, log in logs.items()
            if log.log_start_offset > log.segments.first.base_offset
        }
        write_offsets(f"{self.path}/{LOG_START_OFFSET_FILE}", starts, files=self.files)

    def lower_recovery_point(self, key: TopicPartition, offset: int) -> None:
        """A log is about to be cut at `offset`: what it gets from there on is not what was synced.

        Each time the whole file is written, which is no way to cut thousands of logs: after some of them it says
        nothing of any, until the next checkpoint.
        """
        if self._points_on_disk.get(key, 0) <= offset:
            return
        self._lowered_count += 1
        try:
            if self._lowered_count > _LOWERED_COUNT_MAX:
                self._write_recovery_points({})
            else:
                self._write_recovery_points({**self._points_on_disk, key: offset})
        except OSError as error:
            if is_broken(error):
                raise
            # A full disk: no file at all says the same as an empty one.
            self._points_on_disk = {}
            self.files.unlink(f"{self.path}/{RECOVERY_POINT_FILE}")
            sync_directory(self.path, self.files)

    def _write_recovery_points(self, points: dict[TopicPartition, int]) -> None:
        write_offsets(f"{self.path}/{RECOVERY_POINT_FILE}", points, files=self.files)
        self._points_on_disk = points

    def checkpoint_high_watermarks(self, logs: Mapping[TopicPartition, Log]) -> None:
        watermarks = {key: log.high_watermark for key, log in logs.items()}
        write_offsets(f"{self.path}/{HIGH_WATERMARK_FILE}", watermarks, sync=False, files=self.files)

    def checkpoint_cleaner(self, gone: Iterable[TopicPartition] = ()) -> None:
        for key in gone:
            self.cleaner_offsets.pop(key, None)
        write_offsets(f"{self.path}/{CLEANER_OFFSET_FILE}", self.cleaner_offsets, files=self.files)

    def mark_clean_shutdown(self, broker_epoch: int) -> None:
        text = json.dumps({"version": 0, "brokerEpoch": broker_epoch})
        write_beside(f"{self.path}/{CLEAN_SHUTDOWN_FILE}", text.encode(), sync=True, files=self.files)
        sync_directory(self.path, self.files)

    def unlock(self) -> None:
        self.files.close(self._lock_fd)

    def _offsets(self, name: str) -> dict[TopicPartition, int]:
        try:
            return read_offsets(f"{self.path}/{name}", self.files)
        except CorruptCheckpoint:
            # Without it more is scanned than need be, nothing else.
            if name == RECOVERY_POINT_FILE:
                self.clean_shutdown = False
            return {}


def _epoch_at_stop(path: str, files: Files) -> int:
    try:
        return int(json.loads(read_small_file(path, files))["brokerEpoch"])
    except (OSError, ValueError, KeyError, TypeError):
        return -1


def _lock(path: str, files: Files) -> int:
    try:
        return files.lock(f"{path}/{LOCK_FILE}")
    except BlockingIOError as error:
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"log directory {path} is in use by another broker") from error

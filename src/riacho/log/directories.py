"""The `log.dirs` of a broker and every partition's log in them.

A directory that cannot be used is set aside with its reason; the broker lives on with the others (JBOD). A deleted
partition's directory is renamed at once, so that the name is free, and removed later.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.checkpoints import TopicPartition
from riacho.log.config import LogConfig
from riacho.log.directory import LogDirectory
from riacho.log.flushing import sync_filesystem
from riacho.log.log import Log

DELETE_SUFFIX = "-delete"
_OTHER_SUFFIXES = ("-future", "-stray")
# The metadata log lives beside the partitions but belongs to the quorum.
METADATA_TOPIC = "__cluster_metadata"
_NAME_LENGTH_MAX = 255


def parse_partition_name(name: str) -> TopicPartition | None:
    topic, dash, number = name.rpartition("-")
    return (topic, int(number)) if dash and topic and number.isascii() and number.isdigit() else None


class LogDirectories:
    def __init__(
        self, paths: Sequence[str], *, node_id: int, cluster_id: str, new_directory_id: Callable[[], bytes]
    ) -> None:
        self.directories: list[LogDirectory] = []
        # Path to reason.
        self.offline: dict[str, str] = {}
        self.logs: dict[TopicPartition, Log] = {}
        self._home: dict[TopicPartition, LogDirectory] = {}
        self._doomed: list[tuple[int, str]] = []
        self._new_id = new_directory_id
        for path in paths:
            try:
                self.directories.append(LogDirectory.open(os.path.abspath(path), node_id, cluster_id, new_directory_id))
            except OSError as error:
                self.offline[path] = os.strerror(error.errno or 0)
        # Partitions by directory.
        self._counts = {directory.path: 0 for directory in self.directories}
        if not self.directories:
            reasons = "; ".join(f"{path}: {reason}" for path, reason in self.offline.items())
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"no log directory can be used: {reasons}")

    def open_all(self, config_for: Callable[[str], LogConfig], now_ms: int) -> dict[TopicPartition, Log]:
        """Open every partition found; `config_for` gives a topic's configuration."""
        for directory in self.directories:
            for entry in os.scandir(directory.path):
                if entry.name.endswith(DELETE_SUFFIX):
                    self._doomed.append((now_ms, entry.path))
                    continue
                key = None if entry.name.endswith(_OTHER_SUFFIXES) else parse_partition_name(entry.name)
                if key is None or key[0] == METADATA_TOPIC or not entry.is_dir():
                    continue
                if key in self.logs:
                    raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"{entry.name} is in two log directories")
                self._add(key, directory, self._open(directory, key, None, config_for(key[0]), now_ms))
        return self.logs

    def create(
        self,
        topic: str,
        partition: int,
        topic_id: bytes,
        config: LogConfig,
        now_ms: int,
        directory_id: bytes | None = None,
    ) -> Log:
        """The partition's log, made in the named directory or in the one with the fewest partitions."""
        key = (topic, partition)
        if key in self.logs:
            return self.logs[key]
        directory = self._choose(directory_id)
        directory.recovery_points.pop(key, None)
        directory.log_start_offsets.pop(key, None)
        directory.high_watermarks.pop(key, None)
        log = self._open(directory, key, topic_id, config, now_ms)
        self._add(key, directory, log)
        return log

    def directory_of(self, topic: str, partition: int) -> LogDirectory | None:
        return self._home.get((topic, partition))

    def delete(self, topic: str, partition: int, now_ms: int) -> None:
        """Take a partition out of service; its files are removed after `file.delete.delay.ms`."""
        key = (topic, partition)
        log = self.logs.pop(key, None)
        directory = self._home.pop(key, None)
        if log is None or directory is None:
            return
        self._counts[directory.path] -= 1
        log.close(clean=False)
        suffix = f"-{partition}.{self._new_id().hex()}{DELETE_SUFFIX}"
        doomed = f"{directory.path}/{topic[: _NAME_LENGTH_MAX - len(suffix)]}{suffix}"
        os.rename(log.directory, doomed)
        self._doomed.append((now_ms + log.config.file_delete_delay_ms, doomed))
        for offsets in (directory.recovery_points, directory.log_start_offsets, directory.high_watermarks):
            offsets.pop(key, None)
        if key in directory.cleaner_offsets:
            directory.checkpoint_cleaner([key])

    def run_deletions(self, now_ms: int) -> int:
        """Remove the directories whose time has come; how many went."""
        due = [path for at_ms, path in self._doomed if at_ms <= now_ms]
        self._doomed = [(at_ms, path) for at_ms, path in self._doomed if at_ms > now_ms]
        for path in due:
            shutil.rmtree(path, ignore_errors=True)
        return len(due)

    def logs_in(self, directory: LogDirectory) -> dict[TopicPartition, Log]:
        return {key: log for key, log in self.logs.items() if self._home[key] is directory}

    def checkpoint(self) -> None:
        """Recovery points and log starts, for a faster and truer restart."""
        for directory in self.directories:
            directory.checkpoint(self.logs_in(directory))

    def checkpoint_high_watermarks(self) -> None:
        for directory in self.directories:
            directory.checkpoint_high_watermarks(self.logs_in(directory))

    def close(self, *, clean: bool, broker_epoch: int = -1) -> None:
        """Close every log. The mark of a clean shutdown is left where all of a directory's logs closed cleanly."""
        for directory in self.directories:
            logs = self.logs_in(directory)
            all_clean = clean
            unsynced = any(log.recovery_point < log.log_end_offset for log in logs.values())
            for log in logs.values():
                try:
                    log.close(clean=clean, sync=False)
                except KafkaError:
                    all_clean = False
            if all_clean:
                if unsynced:
                    sync_filesystem(directory.path)
                directory.checkpoint(logs)
                directory.checkpoint_high_watermarks(logs)
                directory.mark_clean_shutdown(broker_epoch)
            directory.unlock()
        self.logs = {}
        self._home = {}

    def _open(
        self, directory: LogDirectory, key: TopicPartition, topic_id: bytes | None, config: LogConfig, now_ms: int
    ) -> Log:
        log = Log.open(
            f"{directory.path}/{key[0]}-{key[1]}",
            config,
            topic_id=topic_id,
            now_ms=now_ms,
            clean_shutdown=directory.clean_shutdown,
            recovery_point=directory.recovery_points.get(key, 0),
            log_start_offset=directory.log_start_offsets.get(key, 0),
        )
        log.high_watermark = directory.high_watermarks.get(key, 0)
        return log

    def _add(self, key: TopicPartition, directory: LogDirectory, log: Log) -> None:
        self.logs[key] = log
        self._home[key] = directory
        self._counts[directory.path] += 1

    def _choose(self, directory_id: bytes | None) -> LogDirectory:
        for directory in self.directories:
            if directory.meta.directory_id == directory_id:
                return directory
        return min(self.directories, key=lambda directory: self._counts[directory.path])

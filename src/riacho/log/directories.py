"""The `log.dirs` of a broker and every partition's log in them.

A directory that cannot be used is set aside with its reason, at the start or when it breaks (`take_offline`); the
broker lives on with the others (JBOD, KIP-112). A deleted partition's directory is renamed at once, so that the name is
free, and removed later.
"""

# Long because: each way in or out of service, a move too, changes the same maps of logs and directories.
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ports import Files
from riacho.log.checkpoints import TopicPartition, write_topic_id
from riacho.log.config import LogConfig
from riacho.log.directory import LogDirectory
from riacho.log.failures import is_broken, reason_of, storage_error
from riacho.log.log import Log
from riacho.log.partition_names import (
    DELETE_SUFFIX,
    FUTURE_SUFFIX,
    directory_name,
    future_partition,
    partition_of,
    set_aside,
)
from riacho.log.real_files import REAL_FILES

# The metadata log lives beside the partitions but belongs to the quorum.
METADATA_TOPIC = "__cluster_metadata"


class OfflineDirectory(NamedTuple):
    """A directory that broke while it was in use."""

    path: str
    directory_id: bytes
    reason: str
    # The partitions that were in it.
    partitions: list[TopicPartition]
    # No other is left.
    is_last: bool


class LogDirectories:
    def __init__(
        self,
        paths: Sequence[str],
        *,
        node_id: int,
        cluster_id: str,
        new_directory_id: Callable[[], bytes],
        files: Files = REAL_FILES,
    ) -> None:
        self._files = files
        self.directories: list[LogDirectory] = []
        # Path to reason.
        self.offline: dict[str, str] = {}
        self.logs: dict[TopicPartition, Log] = {}
        self._home: dict[TopicPartition, LogDirectory] = {}
        self._doomed: list[tuple[int, str]] = []
        self._new_id = new_directory_id
        # Told of every directory that breaks, in the midst of the read or write that found out: not the place to do
        # much, but to have it done in the next turn.
        self.on_offline: list[Callable[[OfflineDirectory], None]] = []
        # Told of the partition, where a write is refused for want of room; as little a place to do much.
        self.on_full: list[Callable[[str, int], None]] = []
        self._offline_ids: list[bytes] = []
        # Logs that are being filled, to take the place of those of the same partitions.
        self.futures: dict[TopicPartition, Log] = {}
        # Where replicas that are not here yet should be made (KIP-113), and moves that a stop cut short.
        self.preferred: dict[TopicPartition, str] = {}
        self.interrupted: dict[TopicPartition, str] = {}
        for path in paths:
            try:
                self.directories.append(
                    LogDirectory.open(os.path.abspath(path), node_id, cluster_id, new_directory_id, files)
                )
            except OSError as error:
                self.offline[path] = os.strerror(error.errno or 0)
        # Partitions by directory.
        self._counts = {directory.path: 0 for directory in self.directories}
        if not self.directories:
            reasons = "; ".join(f"{path}: {reason}" for path, reason in self.offline.items())
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"no log directory can be used: {reasons}")

    def open_all(self, config_for: Callable[[str], LogConfig], now_ms: int) -> dict[TopicPartition, Log]:
        """Open every partition found; `config_for` gives a topic's configuration."""
        for _ in self.open_each(config_for, now_ms):
            pass
        return self.logs

    def open_each(self, config_for: Callable[[str], LogConfig], now_ms: int) -> Iterator[TopicPartition]:
        """`open_all`, one after the other."""
        for directory in self.directories:
            for name in self._files.directories_in(directory.path):
                if name.endswith((DELETE_SUFFIX, FUTURE_SUFFIX)):
                    self._doomed.append((now_ms, f"{directory.path}/{name}"))
                    moving = future_partition(name)
                    if moving is not None:
                        self.interrupted[moving] = directory.path
                    continue
                key = partition_of(name)
                if key is None or key[0] == METADATA_TOPIC:
                    continue
                log = self._open(directory, key, None, config_for(key[0]), now_ms)
                if key not in self.logs or self._outdoes_twin(key, directory, log, now_ms):
                    self._add(key, directory, log)
                yield key

    def _outdoes_twin(self, key: TopicPartition, directory: LogDirectory, log: Log, now_ms: int) -> bool:
        """A crash between the two renames that end a move leaves both copies, of which the new one may have more. The
        other goes."""
        if None not in (ids := {log.topic_id, self.logs[key].topic_id}) and len(ids) > 1:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"{key[0]}-{key[1]} is in two log directories")
        if log.log_end_offset >= self.logs[key].log_end_offset:
            self.delete(*key, now_ms)
            return True
        log.close(clean=False)
        self._retire(key, directory, log, now_ms)
        return False

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
        if (known := self.logs.get(key)) is not None:
            if known.topic_id is None:
                self._adopt(known, topic_id)
            return known
        directory = self._choose(directory_id, self.preferred.pop(key, None))
        with suppress(OSError):
            # Of a partition of that name before; what cannot be written now is not read before the next start.
            directory.lower_recovery_point(key, 0)
        directory.recovery_points.pop(key, None)
        directory.log_start_offsets.pop(key, None)
        directory.high_watermarks.pop(key, None)
        try:
            log = self._open(directory, key, topic_id, config, now_ms)
        except KafkaError as error:
            if isinstance(error.__cause__, OSError) and is_broken(error.__cause__):
                self.take_offline(directory.path, error.detail or "")
            raise
        self._add(key, directory, log)
        return log

    def _adopt(self, log: Log, topic_id: bytes) -> None:
        """Nothing there says whose it is, as after a power failure soon after it was made; it is this topic's."""
        try:
            write_topic_id(log.directory, topic_id, self._files)
        except OSError as error:
            raise log.failed("adopt", error) from error
        log.topic_id = topic_id

    def previous_broker_epoch(self) -> int:
        """The epoch under which this broker stopped in order, if all directories agree on it; else -1."""
        epochs = {directory.previous_broker_epoch for directory in self.directories}
        return epochs.pop() if len(epochs) == 1 and not self.offline else -1

    def directory_of(self, topic: str, partition: int) -> LogDirectory | None:
        return self._home.get((topic, partition))

    def id_of(self, topic: str, partition: int) -> bytes | None:
        """The directory id under which the cluster knows where this replica is (KIP-858)."""
        directory = self._home.get((topic, partition))
        return None if directory is None else directory.meta.directory_id

    def offline_ids(self) -> list[bytes]:
        """Of the directories that broke since the start: what a heartbeat reports."""
        return list(self._offline_ids)

    def take_offline(self, path: str, reason: str) -> None:
        """Out of service, with everything in it. Its lock is kept: nobody else should take it for sound."""
        directory = next((each for each in self.directories if each.path == path), None)
        if directory is None:
            return
        partitions = [key for key, home in self._home.items() if home is directory]
        self.directories.remove(directory)
        self.offline[path] = reason
        self._offline_ids.append(directory.meta.directory_id)
        del self._counts[path]
        for key in partitions:
            del self._home[key]
            for segment in self.logs.pop(key).segments:
                segment.release()
        for key in [key for key, future in self.futures.items() if os.path.dirname(future.directory) == path]:
            for segment in self.futures.pop(key).segments:
                segment.release()
        offline = OfflineDirectory(path, directory.meta.directory_id, reason, partitions, not self.directories)
        for listener in self.on_offline:
            listener(offline)

    def delete(self, topic: str, partition: int, now_ms: int) -> None:
        """Take a partition out of service; its files are removed after `file.delete.delay.ms`."""
        key = (topic, partition)
        log = self.logs.pop(key, None)
        directory = self._home.pop(key, None)
        if log is None or directory is None:
            return
        self._counts[directory.path] -= 1
        log.close(clean=False)
        self._retire(key, directory, log, now_ms)

    def _retire(self, key: TopicPartition, directory: LogDirectory, log: Log, now_ms: int) -> None:
        """Rename a closed log's directory and have it removed in due time."""
        topic, partition = key
        doomed = f"{directory.path}/{set_aside(topic, partition, self._new_id(), DELETE_SUFFIX)}"
        for offsets in (directory.recovery_points, directory.log_start_offsets, directory.high_watermarks):
            offsets.pop(key, None)
        try:
            self._files.rename(log.directory, doomed)
            self._doomed.append((now_ms + log.config.file_delete_delay_ms, doomed))
            if key in directory.cleaner_offsets:
                directory.checkpoint_cleaner([key])
        except OSError as error:
            # The others must go on; what is left here the next start takes for a deletion that was cut short.
            if is_broken(error):
                self.take_offline(directory.path, f"cannot delete {topic}-{partition}: {reason_of(error)}")

    # Moving a replica to another directory (KIP-113)

    def at(self, path: str) -> LogDirectory:
        """The directory of that path; KafkaError when there is none, or it is out of service."""
        if path in self.offline:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"{path} is out of service")
        for directory in self.directories:
            if directory.path == path:
                return directory
        raise KafkaError(ErrorCode.LOG_DIR_NOT_FOUND, f"{path} is no log directory of this broker")

    def create_future(self, topic: str, partition: int, path: str, now_ms: int) -> Log:
        """An empty log beside the others of that directory, to be filled and then put in the old one's place."""
        current = self.logs[topic, partition]
        name = set_aside(topic, partition, self._new_id(), FUTURE_SUFFIX)
        future = Log.open(
            f"{self.at(path).path}/{name}",
            current.config,
            topic_id=current.topic_id,
            now_ms=now_ms,
            clean_shutdown=True,
            log_start_offset=current.log_start_offset,
            files=self._files,
        )
        self.futures[topic, partition] = future
        future.on_broken = lambda reason: self.take_offline(path, reason)
        return future

    def discard_future(self, topic: str, partition: int, now_ms: int) -> None:
        future = self.futures.pop((topic, partition), None)
        if future is None:
            return
        future.close(clean=False)
        self._doomed.append((now_ms, future.directory))

    def replace(self, topic: str, partition: int, now_ms: int) -> Log:
        """The future log, which has all that the current one has, takes its place: as a new log, the old one goes."""
        key = (topic, partition)
        future = self.futures.pop(key)
        current, directory = self.logs[key], self.at(os.path.dirname(future.directory))
        future.close(clean=True)
        try:
            self._files.rename(future.directory, f"{directory.path}/{directory_name(topic, partition)}")
        except OSError as error:
            raise storage_error("move", current.directory, error) from error
        directory.recovery_points[key] = current.log_end_offset
        directory.log_start_offsets[key] = current.log_start_offset
        directory.high_watermarks[key] = current.high_watermark
        was_clean, directory.clean_shutdown = directory.clean_shutdown, True
        try:
            log = self._open(directory, key, current.topic_id, current.config, now_ms)
        finally:
            directory.clean_shutdown = was_clean
        self.delete(topic, partition, now_ms)
        self._add(key, directory, log)
        return log

    def run_deletions(self, now_ms: int) -> int:
        """Remove the directories whose time has come; how many went."""
        due = [path for at_ms, path in self._doomed if at_ms <= now_ms]
        self._doomed = [(at_ms, path) for at_ms, path in self._doomed if at_ms > now_ms]
        for path in due:
            self._files.rmtree(path)
        return len(due)

    def logs_in(self, directory: LogDirectory) -> dict[TopicPartition, Log]:
        return {key: log for key, log in self.logs.items() if self._home[key] is directory}

    def checkpoint(self) -> None:
        """Recovery points and log starts, for a faster and truer restart."""
        self._for_each(lambda directory: directory.checkpoint(self.logs_in(directory)))

    def checkpoint_high_watermarks(self) -> None:
        self._for_each(lambda directory: directory.checkpoint_high_watermarks(self.logs_in(directory)))

    def _for_each(self, write: Callable[[LogDirectory], None]) -> None:
        """One directory's trouble is not the others'; what is not a broken disk is raised in the end."""
        trouble: KafkaError | None = None
        for directory in tuple(self.directories):
            try:
                write(directory)
            except OSError as error:
                found = storage_error("checkpoint", directory.path, error)
                if is_broken(error):
                    self.take_offline(directory.path, found.detail or "")
                else:
                    trouble = found
        if trouble is not None:
            raise trouble

    def close(self, *, clean: bool, broker_epoch: int = -1) -> None:
        """Close every log. The mark of a clean shutdown is left where all of a directory's logs closed cleanly."""
        trouble: KafkaError | None = None
        for directory in tuple(self.directories):
            try:
                self._close(directory, clean, broker_epoch)
            except OSError as error:
                trouble = storage_error("close", directory.path, error)
            finally:
                directory.unlock()
        self.logs = {}
        self._home = {}
        if trouble is not None:
            raise trouble

    def _close(self, directory: LogDirectory, clean: bool, broker_epoch: int) -> None:
        logs = self.logs_in(directory)
        is_unsynced = any(log.recovery_point < log.log_end_offset for log in logs.values())
        for log in logs.values():
            # The broker stops: nobody needs an event of a disk that fails now.
            log.on_broken = log.on_full = None
            try:
                log.close(clean=clean, sync=False)
            except KafkaError:
                clean = False
        if clean:
            plans = [(log.epochs, plan) for log in logs.values() if (plan := log.epochs.plan()) is not None]
            if plans or is_unsynced:
                self._files.sync_all(directory.path)
            for epochs, plan in plans:
                epochs.put(plan, sync=False)
            if plans:
                # Their names too.
                self._files.sync_all(directory.path)
            directory.checkpoint(logs)
            directory.checkpoint_high_watermarks(logs)
            directory.mark_clean_shutdown(broker_epoch)

    def _open(
        self, directory: LogDirectory, key: TopicPartition, topic_id: bytes | None, config: LogConfig, now_ms: int
    ) -> Log:
        log = Log.open(
            f"{directory.path}/{directory_name(*key)}",
            config,
            topic_id=topic_id,
            now_ms=now_ms,
            clean_shutdown=directory.clean_shutdown,
            recovery_point=directory.recovery_points.get(key, 0),
            log_start_offset=directory.log_start_offsets.get(key, 0),
            files=self._files,
        )
        log.high_watermark = directory.high_watermarks.get(key, 0)
        return log

    def _add(self, key: TopicPartition, directory: LogDirectory, log: Log) -> None:
        self.logs[key] = log
        self._home[key] = directory
        log.on_broken = lambda reason: self.take_offline(directory.path, reason)
        log.on_full = lambda: self._notify_full(*key)
        log.on_cut = lambda offset: directory.lower_recovery_point(key, offset)
        self._counts[directory.path] += 1

    def _notify_full(self, topic: str, partition: int) -> None:
        for notify in self.on_full:
            notify(topic, partition)

    def _choose(self, directory_id: bytes | None, path: str | None = None) -> LogDirectory:
        for directory in self.directories:
            if directory.meta.directory_id == directory_id or directory.path == path:
                return directory
        if not self.directories:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "no log directory is left")
        return min(self.directories, key=lambda directory: self._counts[directory.path])

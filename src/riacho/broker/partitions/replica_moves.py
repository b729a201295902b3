"""Moving replicas between the log directories of this broker (KIP-113).

A future log in the target directory is filled from the current one, a piece at a time between other work, and follows
it as a follower follows its leader: where the current log was cut meanwhile, so is the future one. In the turn of the
loop in which it has everything it takes the other's place. One replica moves at a time; the others wait. A move that a
stop cut short begins anew with the next start.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quotas.replication_quota import ReplicationQuota
from riacho.log.placed import append_placed
from riacho.partition.follower import common_end

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.logs import Logs
    from riacho.broker.partitions.directory_assignments import DirectoryAssignments
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.log.directories import LogDirectories
    from riacho.log.log import Log

_PIECE_SIZE_BYTES = 1 << 20
_THROTTLE_S = 0.1
_RATE = "replica.alter.log.dirs.io.max.bytes.per.second"

Key = tuple[str, int]


@dataclass(slots=True)
class Move:
    hosted: HostedPartition
    path: str
    future: Log


class ReplicaMoves:
    def __init__(
        self,
        directories: LogDirectories,
        replicas: Replicas,
        assignments: DirectoryAssignments,
        metadata: MetadataCache,
        clock: Clock,
        logs: Logs,
    ) -> None:
        values = metadata.values
        self._directories = directories
        self._replicas = replicas
        self._assignments = assignments
        self._metadata = metadata
        self._clock = clock
        self._logs = logs
        self._task: asyncio.Task[None] | None = None
        self._quota = ReplicationQuota(
            values.integer("alter.log.dirs.replication.quota.window.num"),
            values.integer("alter.log.dirs.replication.quota.window.size.seconds") * 1000,
        )
        # All that is in here is throttled.
        self._quota.throttle("", None)
        self.under_way: dict[Key, Move] = {}

    def start(self) -> None:
        """Take up what the last stop cut short."""
        for (topic, index), path in self._directories.interrupted.items():
            try:
                self.move(topic, index, path)
            except KafkaError as error:
                self._logs.error.info("move is not taken up partition=%s-%d reason=%s", topic, index, error)

    def move(self, topic: str, index: int, path: str) -> None:
        """Have the replica in that directory; KafkaError when that cannot be."""
        directories, key = self._directories, (topic, index)
        target = directories.at(path)
        try:
            hosted = self._replicas.find(topic, index)
        except KafkaError as error:
            if error.code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
                # Not here yet: when it comes, it should come there.
                directories.preferred[key] = path
                raise KafkaError(ErrorCode.REPLICA_NOT_AVAILABLE, f"{topic}-{index} is not on this broker") from error
            raise
        known = self.under_way.get(key)
        if known is not None:
            if known.path == path:
                return
            self._abandon(key)
        if directories.directory_of(topic, index) is target:
            return
        future = directories.create_future(topic, index, path, self._clock.now_ms())
        self.under_way[key] = Move(hosted, path, future)
        self._logs.error.info("replica moves partition=%s-%d from=%s to=%s", *key, hosted.log.directory, path)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for move in self.under_way.values():
            move.future.close(clean=False)
        self.under_way = {}

    def _abandon(self, key: Key) -> None:
        del self.under_way[key]
        self._directories.discard_future(*key, self._clock.now_ms())

    # --- copying

    async def _run(self) -> None:
        try:
            while self.under_way:
                key, move = next(iter(self.under_way.items()))
                try:
                    await self._copy(key, move)
                except (KafkaError, OSError) as error:
                    self._logs.error.error("move failed partition=%s-%d reason=%s", *key, error)
                    if self.under_way.get(key) is move:
                        self._abandon(key)
        finally:
            self._task = None

    async def _copy(self, key: Key, move: Move) -> None:
        while self.under_way.get(key) is move:
            if self._directories.logs.get(key) is not move.hosted.log:
                # The partition was deleted, or its directory broke.
                self._abandon(key)
                return
            agree(move.future, move.hosted.log, self._clock.now_ms())
            if move.future.log_end_offset >= move.hosted.log.log_end_offset:
                self._finish(key, move)
                return
            self._copy_piece(move)
            await asyncio.sleep(0)
            await self._respect_quota()

    def _copy_piece(self, move: Move) -> None:
        source, future = move.hosted.log, move.future
        end_offset = source.log_end_offset
        found = source.read(future.log_end_offset, _PIECE_SIZE_BYTES, end_offset=end_offset, at_least_one=True)
        if found is None:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"nothing is at {future.log_end_offset}")
        now_ms = self._clock.now_ms()
        self._quota.record(append_placed(future, found.read(), now_ms), self._clock.monotonic_ms())

    async def _respect_quota(self) -> None:
        self._quota.rate = self._metadata.values.integer(_RATE)
        while self._quota.is_exceeded(self._clock.monotonic_ms()):
            await asyncio.sleep(_THROTTLE_S)

    def _finish(self, key: Key, move: Move) -> None:
        del self.under_way[key]
        move.hosted.log = self._directories.replace(*key, self._clock.now_ms())
        self._assignments.hosted(move.hosted)
        self._logs.error.info("replica moved partition=%s-%d to=%s", *key, move.path)


def agree(future: Log, source: Log, now_ms: int) -> None:
    """Cut from the future log what the current one does not have, or has let go of."""
    while future.latest_epoch >= 0:
        epoch, end_offset = source.end_offset_for_epoch(future.latest_epoch)
        if epoch == future.latest_epoch and end_offset >= future.log_end_offset:
            break
        if epoch < 0:
            epoch, end_offset = max(source.latest_epoch, 0), source.log_end_offset
        future.truncate_to(common_end(future, epoch, end_offset), now_ms)
    if not source.log_start_offset <= future.log_end_offset <= source.log_end_offset:
        future.truncate_fully_and_start_at(source.log_start_offset, now_ms)
    future.move_log_start(source.log_start_offset)

"""The share coordinator of this broker: the stored state of share-partitions, in `__share_group_state` (KIP-932).

A share-partition belongs to one partition of that topic, by the hash of `group:topic id:partition`; the leader of that
partition serves it. The topic is not compacted. From time to time each shard writes a snapshot of all it has, and what
lies before is deleted.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, ParamSpec

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.operation import Operation
from riacho.broker.coordinators.coordinator_runtime import CoordinatorRuntime
from riacho.broker.requests.later import settled
from riacho.metadata.image.topic_names import SHARE_GROUP_STATE
from riacho.shares.state_records import ShareKey, StoredState
from riacho.shares.state_shard import DELETE, INITIALIZE, READ, READ_SUMMARY, WRITE, StateShard

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.coordinators.loaded_shard import LoadedShard
    from riacho.broker.partitions.auto_topics import AutoTopics
    from riacho.broker.partitions.replicas import Replicas

P = ParamSpec("P")

_logger = logging.getLogger("riacho.shares")
# A log with fewer needless records than this is left as it is.
_NEEDLESS_RECORDS_MIN = 1_000
_SNAPSHOTS_PER_BATCH = 50


class ShareCoordinator(CoordinatorRuntime[StateShard]):
    # Only brokers ask here. They go on asking until somebody has had the topic made.
    without_topic = ErrorCode.COORDINATOR_NOT_AVAILABLE

    def __init__(
        self,
        replicas: Replicas,
        clock: Clock,
        topics: AutoTopics,
        *,
        updates_per_snapshot: int,
        commit_timeout_ms: int,
    ) -> None:
        """`commit_timeout_ms` is `share.coordinator.write.timeout.ms`."""
        super().__init__(
            SHARE_GROUP_STATE,
            replicas,
            clock,
            topics,
            topics.ensure_share_state_topic,
            lambda: StateShard(updates_per_snapshot, self._partition_exists),
            commit_timeout_ms,
        )
        self._replicas = replicas

    # Requests. KafkaError when they are refused.

    async def initialize(self, key: ShareKey, state_epoch: int, start_offset: int) -> None:
        await self._asked(INITIALIZE, key, state_epoch, start_offset)

    async def read(self, key: ShareKey, leader_epoch: int) -> StoredState:
        return _found(await self._asked(READ, key, leader_epoch))

    async def write(self, key: ShareKey, change: StoredState) -> None:
        await self._asked(WRITE, key, change)

    async def delete(self, key: ShareKey) -> None:
        await self._asked(DELETE, key)

    async def read_summary(self, key: ShareKey) -> StoredState:
        return _found(await self._asked(READ_SUMMARY, key))

    # Chores

    async def prune(self) -> None:
        """Write snapshots and delete what they make needless, where that is worth it."""
        for loaded in list(self._shards.loaded.values()):
            try:
                await self._prune(loaded)
            except KafkaError as error:
                _logger.warning("share state not pruned partition=%d error=%s", loaded.partition, error)

    # Within

    async def _prune(self, loaded: LoadedShard[StateShard]) -> None:
        hosted = self._replicas.find(SHARE_GROUP_STATE, loaded.partition)
        log, shard = hosted.log, loaded.shard
        end_offset = log.log_end_offset
        if end_offset - log.log_start_offset < _NEEDLESS_RECORDS_MIN + 2 * len(shard.states):
            return
        keys = list(shard.states)
        for start in range(0, len(keys), _SNAPSHOTS_PER_BATCH):
            portion = keys[start : start + _SNAPSHOTS_PER_BATCH]
            self._replicas.check_writable(SHARE_GROUP_STATE, loaded.partition)
            loaded.run(lambda shard, now_ms, portion=portion: shard.snapshot(portion, now_ms))  # type: ignore[misc]
            await asyncio.sleep(0)
            if loaded.is_closed:
                return
        await self._replicas.committed(SHARE_GROUP_STATE, loaded.partition, log.log_end_offset - 1)
        hosted.check_leader()
        log.delete_records(min(end_offset, log.high_watermark))
        hosted.log_start_moved()

    async def _asked(
        self,
        operation: Operation[StateShard, ShareKey, P, StoredState | KafkaError | None],
        key: ShareKey,
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> StoredState | None:
        """What is stored, where that was asked for."""
        outcome = await settled(self._shard_of(operation.key(key)).ask(operation, key, *args, **kwargs))
        if isinstance(outcome, KafkaError):
            raise outcome
        return outcome

    def _partition_exists(self, topic_id: bytes, partition: int) -> bool:
        topic = self._metadata.image.topics_by_id.get(topic_id)
        return topic is not None and 0 <= partition < len(topic.partitions)


def _found(stored: StoredState | None) -> StoredState:
    assert stored is not None, "a question for state is answered with some"
    return stored

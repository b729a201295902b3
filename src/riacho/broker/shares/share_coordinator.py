"""The share coordinator of this broker: the stored state of share-partitions, in `__share_group_state` (KIP-932).

A share-partition belongs to one partition of that topic, by the hash of `group:topic id:partition`; the leader of that
partition serves it. The topic is not compacted. From time to time each shard writes a snapshot of all it has, and what
lies before is deleted.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import partition_for, uuid_from_text, uuid_text
from riacho.broker.coordinators.coordinator_shards import CoordinatorShards
from riacho.broker.requests.later import Outcome, settled
from riacho.metadata.image.topic_names import SHARE_GROUP_STATE
from riacho.shares.state_records import ShareKey, StoredState
from riacho.shares.state_shard import StateShard

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.coordinators.loaded_shard import Decide, LoadedShard
    from riacho.broker.partitions.auto_topics import AutoTopics
    from riacho.broker.partitions.replicas import Replicas
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.image.topics import Topic

_logger = logging.getLogger("riacho.shares")
# A log with fewer needless records than this is left as it is.
_NEEDLESS_RECORDS_MIN = 1_000
_SNAPSHOTS_PER_BATCH = 50


class ShareCoordinator:
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
        self._replicas = replicas
        self._clock = clock
        self._topics = topics
        # Records must carry the time of day, and it must not go backwards.
        self._epoch_ms = clock.now_ms() - clock.monotonic_ms()
        self._shards = CoordinatorShards(
            SHARE_GROUP_STATE,
            replicas,
            lambda: StateShard(updates_per_snapshot, self._partition_exists),
            self._now_ms,
            commit_timeout_ms,
        )

    # Which broker coordinates

    async def coordinator_of(self, key: ShareKey) -> int:
        """The broker that keeps this share-partition's state; the first question creates the topic."""
        if SHARE_GROUP_STATE not in self._topics.image.topics:
            await self._topics.ensure_share_state_topic()
        topic = self._topic()
        leader = topic.partitions[_partition_of(key, topic)].leader
        if leader < 0:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "the share state partition has no leader")
        return leader

    # Requests. KafkaError when they are refused.

    async def initialize(self, key: ShareKey, state_epoch: int, start_offset: int) -> None:
        await self._ask(
            key, lambda shard, ticket, now_ms: shard.initialize(key, state_epoch, start_offset, ticket, now_ms)
        )

    async def read(self, key: ShareKey, leader_epoch: int) -> StoredState:
        return _found(await self._ask(key, lambda shard, ticket, now_ms: shard.read(key, leader_epoch, ticket, now_ms)))

    async def write(self, key: ShareKey, change: StoredState) -> None:
        await self._ask(key, lambda shard, ticket, now_ms: shard.write(key, change, ticket, now_ms))

    async def delete(self, key: ShareKey) -> None:
        await self._ask(key, lambda shard, ticket, now_ms: shard.delete(key, ticket))

    async def read_summary(self, key: ShareKey) -> StoredState:
        return _found(await self._ask(key, lambda shard, ticket, now_ms: shard.read_summary(key, ticket), writes=False))

    # Chores and leadership

    def start(self) -> None:
        self._shards.image_changed(None, self._topics.image)

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """To be told after the replicas."""
        self._shards.image_changed(old, new)

    async def prune(self) -> None:
        """Write snapshots and delete what they make needless, where that is worth it."""
        for loaded in list(self._shards.loaded.values()):
            try:
                await self._prune(loaded)
            except KafkaError as error:
                _logger.warning("share state not pruned partition=%d error=%s", loaded.partition, error)

    def close(self) -> None:
        self._shards.close()

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

    async def _ask(self, key: ShareKey, decide: Decide[StateShard], writes: bool = True) -> StoredState | None:
        """What is stored, where that was asked for."""
        loaded = self._shards.get(_partition_of(key, self._topic()))
        asked: Outcome[StoredState | KafkaError | None] = loaded.ask(
            decide, key, lambda _, code: KafkaError(code), writes
        )
        outcome = await settled(asked)
        if isinstance(outcome, KafkaError):
            raise outcome
        return outcome

    def _topic(self) -> Topic:
        topic = self._topics.image.topics.get(SHARE_GROUP_STATE)
        if topic is None:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "the share state topic is not there yet")
        return topic

    def _partition_exists(self, topic_id: bytes, partition: int) -> bool:
        topic = self._topics.image.topics_by_id.get(topic_id)
        return topic is not None and 0 <= partition < len(topic.partitions)

    def _now_ms(self) -> int:
        return self._epoch_ms + self._clock.monotonic_ms()


def _found(stored: StoredState | None) -> StoredState:
    assert stored is not None, "a question for state is answered with some"
    return stored


def key_text(key: ShareKey) -> str:
    return f"{key.group_id}:{uuid_text(key.topic_id)}:{key.partition}"


def key_from_text(text: str) -> ShareKey:
    """As FindCoordinator carries it; the group id itself may hold colons. KafkaError when it is none."""
    try:
        group_id, topic_id, partition = text.rsplit(":", 2)
        key = ShareKey(group_id, uuid_from_text(topic_id), int(partition))
    except ValueError as error:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"{text!r} is no share-partition") from error
    if not group_id or key.partition < 0:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"{text!r} is no share-partition")
    return key


def _partition_of(key: ShareKey, topic: Topic) -> int:
    return partition_for(key_text(key), len(topic.partitions))

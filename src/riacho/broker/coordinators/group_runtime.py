"""The group coordinator of this broker: the shards of the offsets topic's partitions that it leads.

A group belongs to the partition that its id hashes to, and is served by that partition's leader. Which shards there
are and how they come to be is `coordinator_shards.py`'s; how one is driven, `loaded_shard.py`'s.

Every request method gives the response, or a promise of it when others must come first (JoinGroup, SyncGroup) or the
commit is not there yet. It never raises a KafkaError: what is wrong stands in the response.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeVar

from riacho.base.coordination import Caller, CoordinatorDecision, Reply
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import partition_for
from riacho.broker.coordinators.consumer_regexes import RegexResolver
from riacho.broker.coordinators.coordinator_shards import CoordinatorShards
from riacho.broker.coordinators.group_settings import group_settings
from riacho.broker.coordinators.loaded_shard import CoordinatorLog, Decide, LoadedShard, Refuse
from riacho.broker.coordinators.topics_view import ImageTopics, changes_between, deleted_topics
from riacho.broker.requests.later import Outcome, settled
from riacho.groups import refusals
from riacho.groups.config import GroupConfig
from riacho.groups.consumer.regex_watch import ResolveRegexes
from riacho.groups.offsets.txn_commit import txn_commit_refused
from riacho.groups.shard import GroupShard
from riacho.metadata.image.topic_names import CONSUMER_OFFSETS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from riacho.base.ports import Clock
    from riacho.groups.consumer.regex_watch import MayDescribe
    from riacho.groups.share.groups import ShareGroups
    from riacho.groups.topics_view import TopicChanges, TopicsView
    from riacho.groups.turn import Turn
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.image.topics import Topic
    from riacho.wire.messages.consumer_group_describe_response import DescribedGroup as DescribedConsumerGroup
    from riacho.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
    from riacho.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
    from riacho.wire.messages.describe_groups_response import DescribedGroup
    from riacho.wire.messages.heartbeat_request import HeartbeatRequest
    from riacho.wire.messages.heartbeat_response import HeartbeatResponse
    from riacho.wire.messages.join_group_request import JoinGroupRequest
    from riacho.wire.messages.join_group_response import JoinGroupResponse
    from riacho.wire.messages.leave_group_request import LeaveGroupRequest
    from riacho.wire.messages.leave_group_response import LeaveGroupResponse
    from riacho.wire.messages.list_groups_request import ListGroupsRequest
    from riacho.wire.messages.list_groups_response import ListedGroup
    from riacho.wire.messages.offset_commit_request import OffsetCommitRequest
    from riacho.wire.messages.offset_commit_response import OffsetCommitResponse
    from riacho.wire.messages.offset_delete_request import OffsetDeleteRequest
    from riacho.wire.messages.offset_delete_response import OffsetDeleteResponse
    from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup
    from riacho.wire.messages.offset_fetch_response import OffsetFetchResponseGroup
    from riacho.wire.messages.sync_group_request import SyncGroupRequest
    from riacho.wire.messages.sync_group_response import SyncGroupResponse
    from riacho.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest
    from riacho.wire.messages.txn_offset_commit_response import TxnOffsetCommitResponse

R = TypeVar("R")
T = TypeVar("T")

_logger = logging.getLogger("riacho.groups")
# Hashing an id as Java does costs some microseconds, and the same groups come again and again.
_partition_for = lru_cache(maxsize=16_384)(partition_for)


class MetadataView(Protocol):
    @property
    def image(self) -> MetadataImage: ...

    def offsets_topic_ready(self) -> bool: ...

    async def ensure_offsets_topic(self) -> None: ...


class GroupRuntime:
    def __init__(
        self,
        config: GroupConfig,
        replicas: CoordinatorLog,
        clock: Clock,
        metadata: MetadataView,
        new_member_suffix: Callable[[], str] = lambda: str(uuid.uuid4()),
        *,
        commit_timeout_ms: int = 5_000,
        regex_executor: Executor | None = None,
    ) -> None:
        """`commit_timeout_ms` is `offsets.commit.timeout.ms`. Patterns are matched by `regex_executor`, if there is
        one, or in the loop."""
        self._clock = clock
        self._metadata = metadata
        self._replicas = replicas
        # Sessions must not end because somebody set the clock; records must carry the time of day.
        self._epoch_ms = clock.now_ms() - clock.monotonic_ms()
        self._shards = CoordinatorShards(
            CONSUMER_OFFSETS,
            replicas,
            lambda: GroupShard(config, new_member_suffix, self._topics, self._settings_of),
            self._now_ms,
            commit_timeout_ms,
            self._perform,
            GroupShard.forget_topics,
        )
        self._regexes = RegexResolver(regex_executor, self._regexes_resolved)
        # Told what a decision wants done, when its records are committed.
        self.on_effect: Callable[[object], None] = lambda effect: None

    @property
    def parked_count(self) -> int:
        return sum(loaded.parked_count for loaded in self._shards.loaded.values())

    def loaded_shards(self) -> list[GroupShard]:
        return [loaded.shard for loaded in self._shards.loaded.values()]

    @property
    def loaded_partitions(self) -> list[int]:
        return sorted(self._shards.loaded)

    # Which broker coordinates

    async def coordinator_of(self, group_id: str) -> int:
        """The broker that serves this group; the first question creates the offsets topic."""
        if not self._metadata.offsets_topic_ready():
            await self._metadata.ensure_offsets_topic()
        topic = self._offsets_topic()
        leader = topic.partitions[_partition_for(group_id, len(topic.partitions))].leader
        if leader < 0:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "the offsets partition has no leader")
        return leader

    async def offsets_partition_of(self, group_id: str) -> int:
        """Where the group's offsets are, whoever leads it."""
        if not self._metadata.offsets_topic_ready():
            await self._metadata.ensure_offsets_topic()
        return _partition_for(group_id, len(self._offsets_topic().partitions))

    def led_partition_of(self, group_id: str) -> int:
        """The same, loaded here; KafkaError when another broker serves the group."""
        return self._shard_of(group_id).partition

    def loaded_shard(self, partition: int) -> LoadedShard[GroupShard]:
        """KafkaError when another broker leads it, or while it is loaded."""
        return self._shards.get(partition)

    # Requests

    def join(self, request: JoinGroupRequest, version: int, caller: Caller) -> Outcome[JoinGroupResponse]:
        return self._ask(
            request.group_id,
            lambda shard, ticket, now_ms: shard.join(request, version, caller, ticket, now_ms),
            request,
            refusals.join_refused,
        )

    def sync(self, request: SyncGroupRequest) -> Outcome[SyncGroupResponse]:
        return self._ask(
            request.group_id,
            lambda shard, ticket, now_ms: shard.sync(request, ticket, now_ms),
            request,
            refusals.sync_refused,
        )

    def heartbeat(self, request: HeartbeatRequest) -> Outcome[HeartbeatResponse]:
        return self._ask(
            request.group_id,
            lambda shard, ticket, now_ms: shard.heartbeat(request, ticket, now_ms),
            request,
            refusals.heartbeat_refused,
            writes=False,
        )

    def leave(self, request: LeaveGroupRequest, version: int) -> Outcome[LeaveGroupResponse]:
        return self._ask(
            request.group_id,
            lambda shard, ticket, now_ms: shard.leave(request, version, ticket, now_ms),
            request,
            refusals.leave_refused,
        )

    def commit_offsets(self, request: OffsetCommitRequest, version: int) -> Outcome[OffsetCommitResponse]:
        """Every topic carries its name: the handler has resolved topic ids and left out what does not exist."""
        return self._ask(
            request.group_id,
            lambda shard, ticket, now_ms: shard.commit_offsets(request, version, ticket, now_ms),
            request,
            refusals.commit_refused,
        )

    def commit_transactional_offsets(self, request: TxnOffsetCommitRequest) -> Outcome[TxnOffsetCommitResponse]:
        """They count when the transaction does: `LoadedShard.transaction_ended`."""
        return self._ask(
            request.group_id,
            lambda shard, ticket, now_ms: shard.commit_transactional_offsets(request, ticket, now_ms),
            request,
            txn_commit_refused,
        )

    def consumer_heartbeat(
        self, request: ConsumerGroupHeartbeatRequest, version: int, caller: Caller, may_describe: MayDescribe
    ) -> Outcome[ConsumerGroupHeartbeatResponse]:
        return self._ask(
            request.group_id,
            lambda shard, ticket, now_ms: shard.consumer_heartbeat(
                request, version, caller, may_describe, ticket, now_ms
            ),
            request,
            refusals.consumer_heartbeat_refused,
        )

    def delete_offsets(self, request: OffsetDeleteRequest) -> Outcome[OffsetDeleteResponse]:
        return self._ask(
            request.group_id,
            lambda shard, ticket, now_ms: shard.delete_offsets(request, ticket, now_ms),
            request,
            refusals.offset_delete_refused,
        )

    async def delete_group(self, group_id: str) -> ErrorCode:
        return await settled(
            self._ask(
                group_id,
                lambda shard, ticket, now_ms: shard.delete_group(group_id, ticket, now_ms),
                group_id,
                refusals.delete_group_refused,
            )
        )

    async def fetch_offsets(
        self, request: OffsetFetchRequestGroup, *, require_stable: bool
    ) -> OffsetFetchResponseGroup:
        return await settled(
            self._read(
                request.group_id,
                lambda shard: shard.fetch_offsets(request, require_stable=require_stable),
                request,
                refusals.fetch_refused,
            )
        )

    async def describe(self, group_id: str, version: int) -> DescribedGroup:
        return await settled(
            self._read(group_id, lambda shard: shard.describe(group_id, version), group_id, refusals.describe_refused)
        )

    def ask_share(
        self,
        group_id: str,
        decide: Callable[[ShareGroups, int, Turn], None],
        refuse: Callable[[ErrorCode], T],
        *,
        writes: bool = True,
    ) -> Outcome[T]:
        """A request to the share groups of the group's shard."""
        return self._ask(
            group_id,
            lambda shard, ticket, now_ms: shard.ask_share(lambda share, turn: decide(share, ticket, turn), now_ms),
            None,
            lambda _, code: refuse(code),
            writes,
        )

    async def describe_consumer_group(self, group_id: str) -> DescribedConsumerGroup:
        return await settled(
            self._read(
                group_id,
                lambda shard: shard.describe_consumer_group(group_id),
                group_id,
                refusals.describe_consumer_group_refused,
            )
        )

    def list_groups(self, request: ListGroupsRequest) -> list[ListedGroup]:
        """KafkaError COORDINATOR_LOAD_IN_PROGRESS while not all groups are known yet."""
        listed = [group for loaded in self._led() for group in loaded.shard.list_groups(request)]
        if self._shards.loading:
            raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, "groups are being loaded")
        return listed

    # Chores and leadership

    def start(self) -> None:
        """Load in the background what is led here."""
        self._shards.image_changed(None, self._metadata.image)

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """To be told after the replicas: leadership of offsets partitions may have come or gone, topics too."""
        self._shards.image_changed(old, new)
        if new.topics is old.topics:
            return
        self._topics_changed(changes_between(old, new))
        deleted = deleted_topics(old, new)
        if deleted:
            self.forget_topics(deleted)

    async def expire_offsets(self) -> None:
        for loaded in self._led():
            try:
                # A chore can wait; a shard whose append is refused is lost, with all who wait in it.
                self._replicas.check_writable(CONSUMER_OFFSETS, loaded.partition)
            except KafkaError:
                continue
            self._run(loaded, lambda shard, now_ms: shard.expire_offsets(now_ms))
            await asyncio.sleep(0)

    def forget_topics(self, topics: Iterable[str]) -> None:
        """These topics have been deleted."""
        gone = list(topics)
        for loaded in self._led():
            self._run(loaded, lambda shard, now_ms: shard.forget_topics(gone, now_ms))
        self._shards.topics_deleted(gone)

    def unload(self, partition: int) -> None:
        """This broker no longer leads the partition: clients must look for the new coordinator."""
        self._shards.unload(partition)

    def close(self) -> None:
        self._regexes.close()
        self._shards.close()

    # Within

    def _perform(self, effect: object) -> None:
        if isinstance(effect, ResolveRegexes):
            self._regexes.resolve(effect, self._topics())
        else:
            self.on_effect(effect)

    def _regexes_resolved(self, group_id: str, matched: Mapping[str, frozenset[str]] | None, version: int) -> None:
        try:
            loaded = self._shard_of(group_id)
        except KafkaError:
            # The group is another broker's by now, which will ask for itself.
            return
        self._run(loaded, lambda shard, now_ms: shard.regexes_resolved(group_id, matched, version, now_ms))

    def _topics(self) -> TopicsView:
        return ImageTopics(self._metadata.image)

    def _settings_of(self, group_id: str) -> Mapping[str, str]:
        return group_settings(self._metadata.image, group_id)

    def _topics_changed(self, changes: TopicChanges) -> None:
        """Whoever is not loaded finds the topics as they are when it is."""
        for loaded in list(self._shards.loaded.values()):
            self._run(loaded, lambda shard, now_ms: shard.topics_changed(changes, now_ms))

    def _ask(
        self, group_id: str, decide: Decide[GroupShard], request: R, refuse: Refuse[R, T], writes: bool = True
    ) -> Outcome[T]:
        try:
            return self._shard_of(group_id).ask(decide, request, refuse, writes)
        except KafkaError as error:
            return refuse(request, error.code)

    def _read(self, group_id: str, read: Callable[[GroupShard], T], request: R, refuse: Refuse[R, T]) -> Outcome[T]:
        return self._ask(
            group_id,
            lambda shard, ticket, _: CoordinatorDecision(reply=[Reply(ticket, read(shard))]),
            request,
            refuse,
            writes=False,
        )

    def _run(self, loaded: LoadedShard[GroupShard], decide: Callable[[GroupShard, int], CoordinatorDecision]) -> None:
        try:
            loaded.run(decide)
        except KafkaError as error:
            # The shard has been dropped and everyone told; the next round finds it loaded again.
            _logger.warning("group chore failed partition=%d error=%s", loaded.partition, error)

    def _shard_of(self, group_id: str) -> LoadedShard[GroupShard]:
        topic = self._metadata.image.topics.get(CONSUMER_OFFSETS)
        if topic is None or not self._metadata.offsets_topic_ready():
            # Whoever asks for the coordinator has the topic made; who did not ask learns that it must.
            raise KafkaError(ErrorCode.NOT_COORDINATOR, "the offsets topic is not there yet")
        return self._shards.get(_partition_for(group_id, len(topic.partitions)))

    def _offsets_topic(self) -> Topic:
        topic = self._metadata.image.topics.get(CONSUMER_OFFSETS)
        if topic is None:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "the offsets topic is not there yet")
        return topic

    def _led(self) -> Iterator[LoadedShard[GroupShard]]:
        topic = self._metadata.image.topics.get(CONSUMER_OFFSETS)
        return self._shards.led(0 if topic is None else len(topic.partitions))

    def _now_ms(self) -> int:
        return self._epoch_ms + self._clock.monotonic_ms()

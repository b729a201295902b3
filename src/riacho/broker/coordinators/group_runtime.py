"""The group coordinator of this broker: the shards of the offsets topic's partitions that it leads.

What every coordinator does is `coordinator_runtime.py`'s. Beyond that, groups follow the topics, have their offsets
expired, and have patterns matched against all topics by a worker.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from riacho.base.errors import KafkaError
from riacho.broker.access.metadata_view import ImageView
from riacho.broker.coordinators.consumer_regexes import RegexResolver
from riacho.broker.coordinators.coordinator_runtime import CoordinatorRuntime
from riacho.broker.coordinators.group_settings import group_settings
from riacho.broker.coordinators.loaded_shard import CoordinatorLog
from riacho.broker.coordinators.topics_view import ImageTopics, changes_between, deleted_topics
from riacho.groups.config import GroupConfig
from riacho.groups.consumer.regex_watch import ResolveRegexes
from riacho.groups.shard import GroupShard
from riacho.groups.share.heartbeat import StateToCreate
from riacho.metadata.image.topic_names import CONSUMER_OFFSETS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from riacho.base.ports import Clock
    from riacho.groups.topics_view import TopicChanges, TopicsView
    from riacho.metadata.image.image import MetadataImage
    from riacho.wire.messages.list_groups_request import ListGroupsRequest
    from riacho.wire.messages.list_groups_response import ListedGroup


class OffsetsTopic(ImageView, Protocol):
    async def ensure_offsets_topic(self) -> None: ...


class GroupRuntime(CoordinatorRuntime[GroupShard]):
    def __init__(
        self,
        config: GroupConfig,
        replicas: CoordinatorLog,
        clock: Clock,
        metadata: OffsetsTopic,
        new_member_suffix: Callable[[], str] = lambda: str(uuid.uuid4()),
        *,
        create_share_state: Callable[[StateToCreate], None],
        commit_timeout_ms: int = 5_000,
        regex_executor: Executor | None = None,
    ) -> None:
        """`create_share_state` has the share coordinator begin with partitions of a share group, in the background.
        `commit_timeout_ms` is `offsets.commit.timeout.ms`. Patterns are matched by `regex_executor`, if there is
        one, or in the loop."""
        super().__init__(
            CONSUMER_OFFSETS,
            replicas,
            clock,
            metadata,
            metadata.ensure_offsets_topic,
            lambda: GroupShard(config, new_member_suffix, self._topics, self._settings_of),
            commit_timeout_ms,
            GroupShard.forget_topics,
        )
        self._regexes = RegexResolver(regex_executor, self._regexes_resolved)
        self._create_share_state = create_share_state

    def list_groups(self, request: ListGroupsRequest) -> list[ListedGroup]:
        """KafkaError COORDINATOR_LOAD_IN_PROGRESS while not all groups are known yet."""
        return self._collect(lambda shard: shard.list_groups(request))

    # Chores and leadership

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Called after the replicas' own listener: leadership of offsets partitions may have come or gone, topics
        too."""
        super().image_changed(old, new)
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
                self._log.check_writable(CONSUMER_OFFSETS, loaded.partition)
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

    def close(self) -> None:
        self._regexes.close()
        super().close()

    # Within

    def _perform(self, effect: object) -> None:
        match effect:
            case ResolveRegexes():
                self._regexes.resolve(effect, self._topics())
            case StateToCreate():
                self._create_share_state(effect)
            case _:
                raise AssertionError(f"no group wants {effect!r}")

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

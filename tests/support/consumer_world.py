"""A group shard with topics under it, for the consumer protocol (KIP-848)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riacho.groups.config import GroupConfig
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.regex_watch import ResolveRegexes
from riacho.groups.consumer.topic_regex import matching_topics
from riacho.groups.operations import CONSUMER_GROUP_HEARTBEAT
from riacho.groups.shard import GroupShard
from riacho.groups.topics_view import FixedTopics, TopicChanges
from riacho.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest, TopicPartitions
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup, OffsetFetchRequestTopics
from support.group_world import CALLER, GROUP, GroupWorld

Owned = Mapping[str, set[int]]


def topic_id(name: str) -> bytes:
    return name.encode().ljust(16, b"\0")


class ConsumerWorld(GroupWorld):
    def __init__(self, config: GroupConfig | None = None, **topics: int) -> None:
        self.topics = FixedTopics({name: (topic_id(name), count) for name, count in topics.items()}, version=1)
        self.settings: dict[str, str] = {}
        # The partition counts that the last plan of a classic leader was made on.
        self.planned_on: dict[str, int] = {}
        super().__init__(config)

    @property
    def consumer_group(self) -> ConsumerGroup:
        group = self.shard.groups[GROUP]
        assert isinstance(group, ConsumerGroup)
        return group

    def set_topics(self, **topics: int) -> None:
        """From now on these are all topics there are."""
        before = {name: self.topics.partition_count(name) for name in self.topics.names()}
        changed = {name for name in before.keys() | topics.keys() if before.get(name) != topics.get(name)}
        self.topics = FixedTopics(
            {name: (topic_id(name), count) for name, count in topics.items()}, version=self.topics.version + 1
        )
        changes = TopicChanges(frozenset(changed), has_created=bool(topics.keys() - before.keys()))
        self.run(self.shard.topics_changed(changes, self.now_ms))

    def beat(
        self,
        member_id: str,
        epoch: int = 0,
        *,
        topics: list[str] | None = None,
        regex: str | None = None,
        owned: Owned | None = None,
        instance_id: str | None = None,
        rebalance_timeout_ms: int | None = None,
        assignor: str | None = None,
        rack_id: str | None = None,
        group_id: str = GROUP,
        version: int = 1,
    ) -> Any:
        """The response. A member that joins says all that it must."""
        if epoch == 0:
            owned = {} if owned is None else owned
            rebalance_timeout_ms = 60_000 if rebalance_timeout_ms is None else rebalance_timeout_ms
            topics = [] if topics is None and regex is None else topics
        partitions = None
        if owned is not None:
            partitions = [
                TopicPartitions(topic_id=topic_id(name), partitions=sorted(indexes)) for name, indexes in owned.items()
            ]
        request = ConsumerGroupHeartbeatRequest(
            group_id=group_id,
            member_id=member_id,
            member_epoch=epoch,
            instance_id=instance_id,
            rack_id=rack_id,
            rebalance_timeout_ms=-1 if rebalance_timeout_ms is None else rebalance_timeout_ms,
            subscribed_topic_names=topics,
            subscribed_topic_regex=regex,
            server_assignor=assignor,
            topic_partitions=partitions,
        )
        request_id = self._ask()
        self.run(self.decide(CONSUMER_GROUP_HEARTBEAT, request_id, request, version, CALLER, None))
        return self.answers[request_id]

    def resolve_regexes(self) -> int:
        """Do what heartbeats asked for; how many times they did."""
        asked = [effect for effect in self.effects if isinstance(effect, ResolveRegexes)]
        self.effects.clear()
        for effect in asked:
            matched = matching_topics(effect.regexes, self.topics.names(), effect.may_describe)
            version = self.topics.version
            self.run(self.shard.regexes_resolved(effect.group_id, matched, version, self.now_ms))
        return len(asked)

    def fetch_as(self, member_id: str | None, epoch: int, asked: dict[str, list[int]]) -> Any:
        request = OffsetFetchRequestGroup(
            group_id=GROUP,
            member_id=member_id,
            member_epoch=epoch,
            topics=[OffsetFetchRequestTopics(name=name, partition_indexes=indexes) for name, indexes in asked.items()],
        )
        return self.shard.fetch_offsets(request, require_stable=False)

    def _new_shard(self) -> GroupShard:
        return GroupShard(
            self.config, lambda: f"id{next(self._suffixes)}", lambda: self.topics, lambda _: self.settings
        )


def assigned(response: Any) -> dict[str, set[int]] | None:
    """By topic name; None when the response says nothing of it."""
    if response.assignment is None:
        return None
    return {
        topic.topic_id.rstrip(b"\0").decode(): set(topic.partitions) for topic in response.assignment.topic_partitions
    }


def held_by(group: ConsumerGroup) -> dict[tuple[str, int], str]:
    """Who holds each partition, as the members' records have it; asserts that nobody shares one."""
    holders: dict[tuple[str, int], str] = {}
    for member in group.members.values():
        for partitions in (member.assigned, member.pending_revocation):
            for topic, epochs in partitions.items():
                for index in epochs:
                    where = (topic.rstrip(b"\0").decode(), index)
                    assert where not in holders, f"{where} is held by {holders[where]} and {member.member_id}"
                    holders[where] = member.member_id
    owners = {
        (topic.rstrip(b"\0").decode(), index): member_id
        for topic, by_index in group.owners.items()
        for index, member_id in by_index.items()
    }
    assert owners == holders
    return holders

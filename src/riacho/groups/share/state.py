"""Which share-partitions of a group have their state at the share coordinator: the group's own book of it.

A subscribed partition is *initializing* from the moment the coordinator sets out to create its state, *initialized*
once the share coordinator has it (only then is it assigned to members), and its topic is *deleting* from the moment
its state is to go until it is gone. The book is one record of the offsets topic (ShareGroupStatePartitionMetadata), so
after a fail-over the new coordinator knows what was left half done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple


class TopicShare(NamedTuple):
    name: str
    partitions: frozenset[int]


TopicShares = Mapping[bytes, TopicShare]


@dataclass(frozen=True, slots=True)
class ShareState:
    initializing: TopicShares = field(default_factory=dict)
    initialized: TopicShares = field(default_factory=dict)
    deleting: Mapping[bytes, str] = field(default_factory=dict)

    @property
    def topic_ids(self) -> set[bytes]:
        return {*self.initializing, *self.initialized, *self.deleting}

    @property
    def all_shares(self) -> dict[bytes, TopicShare]:
        """All that may have state, finished or not."""
        return merged(self.initialized, self.initializing)

    def missing(self, topic_id: bytes, partition_count: int, *, in_flight: bool) -> frozenset[int]:
        """Partitions of a subscribed topic that still need their state; those asked for only when not `in_flight`."""
        there = partitions_of(self.initialized, topic_id)
        if in_flight:
            there |= partitions_of(self.initializing, topic_id)
        return frozenset(range(partition_count)) - there

    def begun(self, shares: TopicShares) -> ShareState:
        """A topic that is wanted again is no longer on its way out."""
        deleting = {topic_id: name for topic_id, name in self.deleting.items() if topic_id not in shares}
        return replace(self, initializing=merged(self.initializing, shares), deleting=deleting)

    def done(self, shares: TopicShares) -> ShareState:
        return replace(
            self, initializing=_without(self.initializing, shares), initialized=merged(self.initialized, shares)
        )

    def given_up(self, shares: TopicShares) -> ShareState:
        """Could not be created; the next heartbeat will ask again."""
        return replace(self, initializing=_without(self.initializing, shares))

    def to_delete(self, names: Mapping[bytes, str]) -> ShareState:
        """The state of these topics is to go."""
        return ShareState(
            {topic_id: share for topic_id, share in self.initializing.items() if topic_id not in names},
            {topic_id: share for topic_id, share in self.initialized.items() if topic_id not in names},
            {**self.deleting, **names},
        )

    def deleted(self, topic_ids: Iterable[bytes]) -> ShareState:
        gone = set(topic_ids)
        return replace(self, deleting={t: name for t, name in self.deleting.items() if t not in gone})

    def without(self, topic_ids: Collection[bytes]) -> ShareState:
        """These topics are no more, and their state goes with them."""
        return ShareState(
            {topic_id: share for topic_id, share in self.initializing.items() if topic_id not in topic_ids},
            {topic_id: share for topic_id, share in self.initialized.items() if topic_id not in topic_ids},
            {topic_id: name for topic_id, name in self.deleting.items() if topic_id not in topic_ids},
        )


def partitions_of(shares: TopicShares, topic_id: bytes) -> frozenset[int]:
    share = shares.get(topic_id)
    return frozenset() if share is None else share.partitions


def merged(first: TopicShares, second: TopicShares) -> dict[bytes, TopicShare]:
    both = dict(first)
    for topic_id, share in second.items():
        both[topic_id] = TopicShare(share.name, partitions_of(first, topic_id) | share.partitions)
    return both


def _without(shares: TopicShares, gone: TopicShares) -> dict[bytes, TopicShare]:
    left = {
        topic_id: TopicShare(share.name, share.partitions - partitions_of(gone, topic_id))
        for topic_id, share in shares.items()
    }
    return {topic_id: share for topic_id, share in left.items() if share.partitions}

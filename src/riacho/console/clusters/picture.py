"""A cluster as it was seen at one moment. Lists are answered from it, so no page of one asks a broker anything.

It is made whole by a look (`look.py`) and never changed. What is not known is None, which is not 0. A topic or a group
that is as it was is the same object in the next picture: of ten thousand that stand still there is one copy, and the
collector of garbage has nothing new to look through.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from riacho.client.offsets import TopicPartition
from riacho.console.clusters.volumes import Directory

T = TypeVar("T")


class BrokerFacts(NamedTuple):
    id: int
    host: str
    port: int
    rack: str | None
    is_fenced: bool
    leaders: int
    replicas: int
    in_sync: int
    # What Kafka keeps, and the room on its volumes, which others' files may take too.
    disk_used_bytes: int | None = None
    disk_total_bytes: int | None = None
    disk_free_bytes: int | None = None
    directories: tuple[Directory, ...] = ()
    # When these were read, which takes large brokers some time and is not done at every look; None: never.
    disks_as_of_ms: int | None = None


class PartitionFacts(NamedTuple):
    partition: int
    # None: it has none.
    leader: int | None
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]
    offline_replicas: tuple[int, ...]
    first_offset: int | None = None
    next_offset: int | None = None
    # Of its leader's replica.
    size_bytes: int | None = None


class TopicConsumer(NamedTuple):
    group: str
    lag: int | None


class TopicFacts(NamedTuple):
    name: str
    topic_id: bytes
    is_internal: bool
    partitions: tuple[PartitionFacts, ...]
    replication: int
    under_replicated: int
    offline: int
    under_min_isr: int | None
    messages: int | None = None
    size_bytes: int | None = None
    cleanup_policy: str | None = None
    retention_ms: int | None = None
    consumers: tuple[TopicConsumer, ...] = ()
    lag: int | None = None


class Heard(NamedTuple):
    """What a group's coordinator told last, before it went away."""

    at_ms: int
    state: str
    members: int | None
    topics: Mapping[str, int | None]
    lag: int | None


class GroupFacts(NamedTuple):
    id: str
    # consumer, classic, share, streams
    type: str
    state: str
    # What a classic group is for ("consumer", "connect"), or the assignor of another.
    protocol: str | None
    coordinator: int
    members: int | None = None
    # Of each topic that it has committed to, or stands in.
    topics: Mapping[str, int | None] = {}
    lag: int | None = None
    # None: its coordinator is there.
    heard: Heard | None = None


class VoterFacts(NamedTuple):
    id: int
    lag: int | None
    ms_behind: int | None


class QuorumFacts(NamedTuple):
    leader: int
    epoch: int
    voters: tuple[VoterFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    as_of_ms: int
    cluster_id: str
    brokers: Mapping[int, BrokerFacts]
    topics: Mapping[str, TopicFacts] = field(repr=False)
    groups: Mapping[str, GroupFacts] = field(repr=False)
    quorum: QuorumFacts | None = None
    kafka_version: str | None = None
    is_riacho: bool = False
    # Sentences about parts that could not be looked at.
    gaps: tuple[str, ...] = ()

    def partitions_of(self, topics: Iterable[str]) -> dict[TopicPartition, PartitionFacts]:
        """Of those topics that are there, to look many up in: a topic may have thousands."""
        known = (self.topics[name] for name in set(topics) & self.topics.keys())
        return {(topic.name, each.partition): each for topic in known for each in topic.partitions}


class Patch(NamedTuple):
    """Topics and groups that were looked at by themselves; None: they are gone."""

    topics: Mapping[str, TopicFacts | None] = {}
    groups: Mapping[str, GroupFacts | None] = {}

    def on(self, picture: Picture) -> Picture:
        return replace(picture, topics=_with(picture.topics, self.topics), groups=_with(picture.groups, self.groups))


def as_before(made: T, before: Mapping[str, T], name: str) -> T:
    """The one of before where it is equal."""
    known = before.get(name)
    return made if known is None or known != made else known


def _with(facts: Mapping[str, T], changed: Mapping[str, T | None]) -> Mapping[str, T]:
    """In the order of their names."""
    if not changed:
        return facts
    kept = {name: each for name, each in {**facts, **changed}.items() if each is not None}
    return kept if changed.keys() <= facts.keys() else dict(sorted(kept.items()))

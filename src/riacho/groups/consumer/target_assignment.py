"""The target assignment of a group: what every member is meant to have, computed by an assignor (KIP-848).

For any kind of group whose coordinator assigns. Who the members are and what they subscribe to comes in; the caller
turns what has changed into its own records.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from riacho.groups.assignors.assignor import Assignment, Assignor, GroupSpec, MemberSpec
from riacho.groups.assignors.range import RangeAssignor
from riacho.groups.assignors.uniform import UniformAssignor
from riacho.groups.topics_view import TopicsView

ASSIGNORS: Mapping[str, Assignor] = {assignor.name: assignor for assignor in (UniformAssignor(), RangeAssignor())}


class Subscriber(NamedTuple):
    """`target` is what the member is meant to have so far."""

    topic_names: frozenset[str]
    target: Mapping[bytes, frozenset[int]]
    instance_id: str | None = None
    rack_id: str | None = None


def may_assign(last_timestamp_ms: int, interval_ms: int, now_ms: int) -> bool:
    """Not more often than the interval: a burst of changes then needs one assignment, not one each (KIP-1263)."""
    return not last_timestamp_ms or not interval_ms or now_ms >= last_timestamp_ms + interval_ms


def assign(assignor: Assignor, subscribers: Mapping[str, Subscriber], topics: TopicsView) -> Assignment:
    return assignor.assign(group_spec(subscribers, topics))


def group_spec(subscribers: Mapping[str, Subscriber], topics: TopicsView) -> GroupSpec:
    # Most members of a group subscribe to the same topics: each set is looked up once.
    ids_by_names: dict[frozenset[str], frozenset[bytes]] = {}
    counts: dict[bytes, int] = {}
    members: dict[str, MemberSpec] = {}
    for member_id, subscriber in subscribers.items():
        topic_ids = ids_by_names.get(subscriber.topic_names)
        if topic_ids is None:
            topic_ids = ids_by_names[subscriber.topic_names] = topic_ids_of(subscriber.topic_names, topics)
            for name in subscriber.topic_names:
                topic_id = topics.topic_id(name)
                if topic_id is not None:
                    counts[topic_id] = topics.partition_count(name)
        members[member_id] = MemberSpec(topic_ids, subscriber.target, subscriber.instance_id, subscriber.rack_id)
    return GroupSpec(members, counts)


def topic_ids_of(names: Set[str], topics: TopicsView) -> frozenset[bytes]:
    """Of those topics that exist."""
    return frozenset(topic_id for topic_id in (topics.topic_id(name) for name in names) if topic_id is not None)


def changed_targets(
    before: Mapping[str, Mapping[bytes, Set[int]]], assignment: Assignment
) -> dict[str, dict[bytes, frozenset[int]]]:
    """The members whose target is another now, or who had none."""
    changed = {}
    for member_id, partitions in assignment.items():
        frozen = {topic_id: frozenset(indexes) for topic_id, indexes in partitions.items() if indexes}
        if before.get(member_id) != frozen:
            changed[member_id] = frozen
    return changed

"""What classic consumers wrap into JoinGroup and SyncGroup: their subscription, and their assignment.

A classic group's coordinator need not look inside. One that serves classic members in a consumer group must: it reads
their subscriptions and writes their assignments itself (KIP-848).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

from riacho.base.errors import ErrorCode, KafkaError
from riacho.groups.topics_view import TopicsView
from riacho.wire.codec import decode, encode
from riacho.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from riacho.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from riacho.wire.primitives import WireError

_VERSION = struct.Struct(">h")
_VERSION_MAX = 3


def read_subscription(metadata: bytes) -> ConsumerProtocolSubscription:
    """WireError when it is malformed."""
    return decode(ConsumerProtocolSubscription, _readable(metadata), metadata, _VERSION.size)


def read_assignment(assignment: bytes) -> ConsumerProtocolAssignment:
    """WireError when it is malformed."""
    return decode(ConsumerProtocolAssignment, _readable(assignment), assignment, _VERSION.size)


def joined_subscription(metadata: bytes) -> ConsumerProtocolSubscription:
    """Of a member that wants to join a consumer group."""
    try:
        return read_subscription(metadata)
    except WireError as error:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "malformed embedded consumer protocol") from error


def owned_partitions(subscription: ConsumerProtocolSubscription, topics: TopicsView) -> dict[bytes, set[int]]:
    """What the member says it holds, by topic id; topics that are gone do not count."""
    owned: dict[bytes, set[int]] = {}
    for topic in subscription.owned_partitions:
        topic_id = topics.topic_id(topic.topic)
        if topic_id is not None:
            owned.setdefault(topic_id, set()).update(topic.partitions)
    return owned


def assigned_partitions(assignment: ConsumerProtocolAssignment, topics: TopicsView) -> dict[bytes, frozenset[int]]:
    assigned: dict[bytes, frozenset[int]] = {}
    for topic in assignment.assigned_partitions:
        topic_id = topics.topic_id(topic.topic)
        if topic_id is not None:
            assigned[topic_id] = frozenset(topic.partitions)
    return assigned


def write_assignment(partitions: Mapping[bytes, Iterable[int]], topics: TopicsView, like: bytes) -> bytes:
    """In the version in which the member wrote its subscription, `like`."""
    version = _readable(like)
    named = ((topics.name_of(topic_id), indexes) for topic_id, indexes in sorted(partitions.items()))
    assignment = ConsumerProtocolAssignment(
        assigned_partitions=[
            TopicPartition(topic=name, partitions=sorted(indexes)) for name, indexes in named if name is not None
        ]
    )
    return _VERSION.pack(version) + bytes(encode(assignment, version))


def _readable(data: bytes) -> int:
    """Versions not yet invented start with what the newest known one has."""
    if len(data) < _VERSION.size:
        raise WireError("no version")
    version: int = _VERSION.unpack_from(data)[0]
    if version < 0:
        raise WireError(f"version {version}")
    return min(version, _VERSION_MAX)

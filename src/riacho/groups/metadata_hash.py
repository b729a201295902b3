"""One number for all that a group's assignment depends on in the cluster's metadata (KIP-1101).

A group stores it with its epoch. When it comes out different, topics that the group subscribes to have come, gone,
grown or moved to other racks, and the group needs another assignment. The number is the one that Kafka computes, so a
group does not rebalance only because another broker looks after it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from riacho.groups.topics_view import TopicsView
from riacho.groups.xxh3 import xxh3_64

# The way of computing it; a new way would be another number here.
_MAGIC = b"\0"
_INT = struct.Struct("<i")
_LONG = struct.Struct("<q")
_ULONG = struct.Struct("<Q")
_SIGN = 1 << 63

NO_TOPICS_HASH = 0


class TopicHashes:
    """The hash of each topic, kept until the topic is said to have changed."""

    def __init__(self) -> None:
        self._hashes: dict[str, int] = {}

    def forget(self, names: Iterable[str]) -> None:
        for name in names:
            self._hashes.pop(name, None)

    def of_group(self, topic_names: Iterable[str], topics: TopicsView) -> int:
        """Signed, as it is stored; topics that do not exist do not count."""
        known = sorted(name for name in topic_names if topics.topic_id(name) is not None)
        if not known:
            return NO_TOPICS_HASH
        digest = xxh3_64(b"".join(_ULONG.pack(self._of_topic(name, topics)) for name in known))
        return digest - (1 << 64) if digest & _SIGN else digest

    def _of_topic(self, name: str, topics: TopicsView) -> int:
        found = self._hashes.get(name)
        if found is None:
            self._hashes[name] = found = topic_hash(name, topics)
        return found


def topic_hash(name: str, topics: TopicsView) -> int:
    topic_id = topics.topic_id(name)
    assert topic_id is not None
    most, least = struct.unpack(">qq", topic_id)
    count = topics.partition_count(name)
    out = bytearray(_MAGIC + _LONG.pack(most) + _LONG.pack(least) + _string(name) + _INT.pack(count))
    for partition in range(count):
        out += _INT.pack(partition)
        for rack in sorted(topics.racks(name, partition)):
            out += _INT.pack(_length(rack)) + _string(rack)
    return xxh3_64(bytes(out))


def _length(text: str) -> int:
    """In Java's characters."""
    return len(text.encode("utf-16-le")) // 2


def _string(text: str) -> bytes:
    return text.encode("utf-16-le") + _INT.pack(_length(text))

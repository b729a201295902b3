"""Moves that somebody has written, of topics with many partitions: each is found without going through the others."""

from __future__ import annotations

from collections.abc import Iterator

from riacho.console.clusters.picture import BrokerFacts, PartitionFacts, Picture, TopicFacts
from riacho.console.clusters.written_moves import Move, written_moves

_PARTITIONS = 100


class Counted(tuple[PartitionFacts, ...]):
    """How often it is gone through."""

    times = 0

    def __iter__(self) -> Iterator[PartitionFacts]:
        type(self).times += 1
        return super().__iter__()


def test_a_topic_is_gone_through_once() -> None:
    partitions = Counted(PartitionFacts(each, 1, (1,), (1,), (), size_bytes=each) for each in range(_PARTITIONS))
    brokers = {node: BrokerFacts(node, "h", 9092, None, False, 0, 0, 0) for node in (1, 2)}
    topics = {"t": TopicFacts("t", b"", False, partitions, 1, 0, 0, 0)}
    moves = [Move("t", each, [2]) for each in range(_PARTITIONS)]
    found = written_moves(Picture(as_of_ms=0, cluster_id="c", brokers=brokers, topics=topics, groups={}), moves)
    assert [(each.partition, each.replicas, each.size_bytes) for each in found] == [
        (each, (1,), each) for each in range(_PARTITIONS)
    ]
    assert Counted.times == 1

"""Throttles of moves that were started here: set before a move begins, taken away once it has ended (KIP-73).

Brokers keep a throttle for good, and one that is forgotten slows every follower that falls behind later. Those of moves
that this console has started are looked after at every look; what another tool has set, or a console that ended
meanwhile, is seen on the brokers and taken away when somebody asks for it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.configs import describe_configs
from riacho.client.offsets import TopicPartition
from riacho.client.reassignments import list_reassignments
from riacho.client.replication_throttles import (
    FOLLOWER_RATE,
    FOLLOWER_REPLICAS,
    LEADER_RATE,
    LEADER_REPLICAS,
    brokers_of,
    clear_rates,
    clear_topics,
    throttle_moves,
    transfers,
)
from riacho.metadata.image.config_resource import ResourceType

T = TypeVar("T")
_log = logging.getLogger("riacho.console")
_RATES = (LEADER_RATE, FOLLOWER_RATE)
_REPLICAS = (LEADER_REPLICAS, FOLLOWER_REPLICAS)


class BrokerThrottle(msgspec.Struct):
    """None where that side of it has none."""

    broker: int
    leader_bytes_per_s: int | None
    follower_bytes_per_s: int | None


class MoveThrottles:
    """Of one cluster. What is asked of Kafka is asked in the caller's thread."""

    def __init__(self) -> None:
        # Partitions on the move, and brokers that have a rate because of them.
        self._partitions: set[TopicPartition] = set()
        self._brokers: set[int] = set()
        self._changing = threading.Lock()

    @property
    def are_kept(self) -> bool:
        return bool(self._partitions or self._brokers)

    def begin(
        self,
        cluster: Cluster,
        targets: Mapping[TopicPartition, Sequence[int]],
        current: Mapping[TopicPartition, Sequence[int]],
        bytes_per_s: int,
        start: Callable[[], T],
    ) -> T:
        """`start` begins the moves: after the throttle, since what has begun without one is not held back, and before
        anybody looks whether they have ended. What moves already goes by the same rate. KafkaError."""
        with self._changing:
            moving = transfers(list_reassignments(cluster), targets, current)
            self._partitions |= set(moving)
            self._brokers |= set(brokers_of(moving))
            throttle_moves(cluster, moving, bytes_per_s)
            return start()

    def settle(self, cluster: Cluster) -> bool:
        """Takes away what no move needs any more; whether that was something. KafkaError: it is tried again later."""
        with self._changing:
            moving = set(list_reassignments(cluster))
            ended = self._partitions - moving
            topics = {topic for topic, _ in ended} - {topic for topic, _ in moving}
            for topic in sorted(topics):
                _clear_topic(cluster, topic)
            self._partitions = {each for each in self._partitions if each[0] not in topics}
            if moving or not self._brokers:
                return bool(topics)
            clear_rates(cluster, sorted(self._brokers))
            _log.info("throttle of moves taken away brokers=%s", sorted(self._brokers))
            self._brokers.clear()
            return True

    def clear(self, cluster: Cluster, topics: Sequence[str]) -> None:
        """Of all brokers, and of those of these topics that have one, whoever has set it. KafkaError."""
        with self._changing:
            clear_rates(cluster, sorted(cluster.retry(cluster.live_brokers)))
            told = describe_configs(cluster, ResourceType.TOPIC, topics, keys=_REPLICAS, skip_refused=True)
            clear_topics(cluster, sorted(name for name, configs in told.items() if any(each.value for each in configs)))
            self._partitions.clear()
            self._brokers.clear()


def throttles_now(cluster: Cluster) -> list[BrokerThrottle]:
    """Of brokers that have one, whoever has set it."""
    nodes = sorted(cluster.retry(cluster.live_brokers))
    told = describe_configs(cluster, ResourceType.BROKER, map(str, nodes), keys=_RATES, skip_refused=True)
    found = []
    for node in nodes:
        rates = {each.name: _rate(each.value) for each in told.get(str(node), [])}
        if any(rate is not None for rate in rates.values()):
            found.append(BrokerThrottle(node, rates.get(LEADER_RATE), rates.get(FOLLOWER_RATE)))
    return found


def _clear_topic(cluster: Cluster, topic: str) -> None:
    try:
        clear_topics(cluster, [topic])
    except KafkaError as error:
        # Its throttle went with it.
        if error.code is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise


def _rate(text: str | None) -> int | None:
    """What nobody has set is the largest number that there is."""
    rate = int(text) if text is not None and text.isdecimal() else None
    return None if rate is None or rate >= (1 << 63) - 1 else rate

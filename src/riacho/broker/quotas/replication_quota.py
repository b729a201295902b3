"""Throttles on copying between brokers (KIP-73): a rate, and the replicas that it holds for.

Theory of operation. Bytes of throttled replicas are counted in `replication.quota.window.num` windows of
`replication.quota.window.size.seconds`; the rate is their sum over the time that the kept windows span, at least one
whole window. While it is above the limit, a leader leaves throttled partitions out of its answers and a follower does
not ask for them; everything else goes on. Replicas in sync are exempt, whatever the lists say: a throttle slows a move
down, it must not stop writes with acks=all. A throttle of traffic between log directories works alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.metadata.image.config_resource import ResourceType

if TYPE_CHECKING:
    from riacho.broker.access.metadata_view import MetadataView
    from riacho.metadata.image.image import MetadataImage

UNLIMITED = (1 << 63) - 1
_ALL = "*"

# The partitions of a topic that are throttled; None for all of them.
Throttled = frozenset[int] | None


class ReplicationQuota:
    def __init__(self, window_count: int, window_ms: int, rate: int = UNLIMITED) -> None:
        self.rate = rate
        self._window_count = window_count
        self._window_ms = window_ms
        # [start of the window, bytes in it], oldest first.
        self._windows: deque[list[int]] = deque()
        self._throttled: dict[str, Throttled] = {}

    # What is throttled

    def throttle(self, topic: str, throttled: Throttled) -> None:
        if throttled is not None and not throttled:
            self._throttled.pop(topic, None)
        else:
            self._throttled[topic] = throttled

    def forget(self, topic: str) -> None:
        self._throttled.pop(topic, None)

    def is_throttled(self, topic: str, index: int) -> bool:
        if topic not in self._throttled:
            return False
        indexes = self._throttled[topic]
        return indexes is None or index in indexes

    # How much has passed

    def record(self, size_bytes: int, now_ms: int) -> None:
        windows = self._windows
        if windows and now_ms - windows[-1][0] < self._window_ms:
            windows[-1][1] += size_bytes
            return
        windows.append([now_ms, size_bytes])
        self._drop_old(now_ms)

    def measured(self, now_ms: int) -> float:
        """Bytes per second over the kept windows."""
        self._drop_old(now_ms)
        if not self._windows:
            return 0.0
        elapsed_ms = max(now_ms - self._windows[0][0], self._window_ms)
        return sum(size_bytes for _, size_bytes in self._windows) * 1000 / elapsed_ms

    def is_exceeded(self, now_ms: int) -> bool:
        return self.rate < UNLIMITED and bool(self._throttled) and self.measured(now_ms) > self.rate

    def _drop_old(self, now_ms: int) -> None:
        horizon_ms = now_ms - self._window_count * self._window_ms
        while self._windows and self._windows[0][0] < horizon_ms:
            self._windows.popleft()


def throttled_partitions(replicas: Iterable[str], broker_id: int) -> Throttled:
    """Of `*` or `partition:broker` pairs, the partitions that concern this broker."""
    indexes: set[int] = set()
    for pair in replicas:
        if pair == _ALL:
            return None
        index, _, broker = pair.partition(":")
        if broker and int(broker) == broker_id:
            indexes.add(int(index))
    return frozenset(indexes)


class ReplicationQuotas:
    """What this broker sends as a leader and takes as a follower, under the settings of the cluster."""

    def __init__(self, node_id: int, metadata: MetadataView) -> None:
        self._node_id = node_id
        self._metadata = metadata
        count = metadata.values.integer("replication.quota.window.num")
        window_ms = metadata.values.integer("replication.quota.window.size.seconds") * 1000
        self.leader = ReplicationQuota(count, window_ms)
        self.follower = ReplicationQuota(count, window_ms)
        self._apply_rates()
        for topic in metadata.image.topics:
            self._apply_topic(topic)

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Subscribe this to the metadata."""
        if new.configs is not old.configs:
            self._apply_rates()
            resources = old.configs.keys() | new.configs.keys()
            for resource_type, name in resources:
                if resource_type == ResourceType.TOPIC and old.configs.get((resource_type, name)) != new.configs.get(
                    (resource_type, name)
                ):
                    self._apply_topic(name)

    def _apply_rates(self) -> None:
        values = self._metadata.values
        self.leader.rate = values.integer("leader.replication.throttled.rate")
        self.follower.rate = values.integer("follower.replication.throttled.rate")

    def _apply_topic(self, topic: str) -> None:
        overrides = self._metadata.image.overrides(ResourceType.TOPIC, topic)
        leaders = overrides.get("leader.replication.throttled.replicas", "")
        followers = overrides.get("follower.replication.throttled.replicas", "")
        for listed, quota in ((leaders, self.leader), (followers, self.follower)):
            replicas = [pair.strip() for pair in listed.split(",") if pair.strip()]
            quota.throttle(topic, throttled_partitions(replicas, self._node_id))

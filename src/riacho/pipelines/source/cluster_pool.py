"""The pool of connections of a worker process, for its next tasks, with the leaders of the partitions that it read.

Spark uses its Python workers again, so a micro-batch of a few records need not spend more on connecting than on
reading. A task takes a cluster out and brings it back only if it ended well: no two tasks ever share one, a fetch that
was given up leaves none behind, and a forked process finds nothing of its parent's. What was not used for a minute is
closed; Spark ends a worker that has nothing to do after about as long.

A connection may have died meanwhile, and a leader may have moved: the fetcher then asks anew, at once.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from riacho.client.cluster import Cluster
from riacho.client.offsets import TopicPartition
from riacho.client.settings import ClientSettings

IDLE_MAX = 4
AGE_S_MAX = 60.0
LEADERS_MAX = 1_000

Key = tuple[tuple[str, str], ...]


class Leader(NamedTuple):
    topic_id: bytes
    node_id: int


class PooledCluster:
    """A cluster, and leaders that were right when they were last asked."""

    def __init__(self, settings: ClientSettings) -> None:
        self.cluster = Cluster(settings)
        self.leaders: dict[TopicPartition, Leader] = {}

    def learn(self, partition: TopicPartition, leader: Leader) -> None:
        if len(self.leaders) >= LEADERS_MAX:
            self.leaders.clear()
        self.leaders[partition] = leader

    def close(self) -> None:
        self.leaders.clear()
        self.cluster.close()


class ClusterPool:
    def __init__(self, clock: Callable[[], float] = time.monotonic, process_id: Callable[[], int] = os.getpid) -> None:
        self._clock = clock
        self._process_id = process_id
        self._owner = process_id()
        self._lock = threading.Lock()
        # The one used last stands last.
        self._idle: list[tuple[Key, float, PooledCluster]] = []

    @contextmanager
    def borrowed(self, options: Mapping[str, str], settings: ClientSettings) -> Iterator[PooledCluster]:
        """`options` are those of the read, by which its client settings are known again."""
        key = tuple(sorted((name, value) for name, value in options.items() if name.lower().startswith("kafka.")))
        pooled = self._acquire(key) or PooledCluster(settings)
        try:
            yield pooled
        except BaseException:
            pooled.close()
            raise
        self._release(key, pooled)

    def _acquire(self, key: Key) -> PooledCluster | None:
        with self._lock:
            if self._process_id() != self._owner:
                # The parent's, whose connections stay open when our copies of them go.
                self._owner = self._process_id()
                self._idle = []
            self._close_old(self._clock())
            for index in reversed(range(len(self._idle))):
                if self._idle[index][0] == key:
                    return self._idle.pop(index)[2]
            return None

    def _release(self, key: Key, pooled: PooledCluster) -> None:
        with self._lock:
            now = self._clock()
            self._close_old(now)
            self._idle.append((key, now, pooled))
            while len(self._idle) > IDLE_MAX:
                self._idle.pop(0)[2].close()

    def _close_old(self, now: float) -> None:
        while self._idle and now - self._idle[0][1] > AGE_S_MAX:
            self._idle.pop(0)[2].close()


cluster_pool = ClusterPool()

"""What a worker process keeps from one task to the next: its connections, and who leads the partitions that it read.

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

KEPT_MAX = 4
AGE_S_MAX = 60.0
LEADERS_MAX = 1_000

Key = tuple[tuple[str, str], ...]


class Leader(NamedTuple):
    topic_id: bytes
    node_id: int


class KeptCluster:
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


class KeptClusters:
    def __init__(self, clock: Callable[[], float] = time.monotonic, process_id: Callable[[], int] = os.getpid) -> None:
        self._clock = clock
        self._process_id = process_id
        self._owner = process_id()
        self._lock = threading.Lock()
        # The one used last stands last.
        self._kept: list[tuple[Key, float, KeptCluster]] = []

    @contextmanager
    def borrowed(self, options: Mapping[str, str], settings: ClientSettings) -> Iterator[KeptCluster]:
        """`options` are those of the read, by which its client settings are known again."""
        key = tuple(sorted((name, value) for name, value in options.items() if name.lower().startswith("kafka.")))
        kept = self._take(key) or KeptCluster(settings)
        try:
            yield kept
        except BaseException:
            kept.close()
            raise
        self._bring_back(key, kept)

    def _take(self, key: Key) -> KeptCluster | None:
        with self._lock:
            if self._process_id() != self._owner:
                # The parent's, whose connections stay open when our copies of them go.
                self._owner = self._process_id()
                self._kept = []
            self._close_old(self._clock())
            for index in reversed(range(len(self._kept))):
                if self._kept[index][0] == key:
                    return self._kept.pop(index)[2]
            return None

    def _bring_back(self, key: Key, kept: KeptCluster) -> None:
        with self._lock:
            now = self._clock()
            self._close_old(now)
            self._kept.append((key, now, kept))
            while len(self._kept) > KEPT_MAX:
                self._kept.pop(0)[2].close()

    def _close_old(self, now: float) -> None:
        while self._kept and now - self._kept[0][1] > AGE_S_MAX:
            self._kept.pop(0)[2].close()


kept_clusters = KeptClusters()

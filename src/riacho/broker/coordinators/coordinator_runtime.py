"""What the coordinators of groups, of transactions and of share-partitions have in common.

A coordinator keeps its state in an internal topic, a shard of it in each partition. A key, such as a group's id,
belongs to the partition that it hashes to, and is served by the broker that leads that. Which shards there are and how
they come to be is `coordinator_shards.py`'s; how one is driven, `loaded_shard.py`'s.

What is asked is an `Operation`. Asking gives the response, or a promise of it when others must come first (JoinGroup,
SyncGroup) or the commit is not there yet. It never raises a KafkaError: what is wrong stands in the response.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

from riacho.base.coordination import CoordinatorDecision, CoordinatorShard
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import partition_for
from riacho.base.operation import Operation
from riacho.broker.coordinators.coordinator_shards import CoordinatorShards
from riacho.broker.coordinators.loaded_shard import CoordinatorLog, LoadedShard
from riacho.broker.requests.later import Outcome

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.access.metadata_view import ImageView
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.image.topics import Topic

S = TypeVar("S", bound=CoordinatorShard)
Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")

_logger = logging.getLogger("riacho.coordinators")
# Hashing an id as Java does costs some microseconds, and the same ones come again and again.
_partition_for = lru_cache(maxsize=16_384)(partition_for)


class CoordinatorRuntime(Generic[S]):
    # The error of a request while there is no topic. Whoever asks for the coordinator has the topic made; who did not
    # ask learns that it must.
    without_topic = ErrorCode.NOT_COORDINATOR

    def __init__(
        self,
        topic: str,
        log: CoordinatorLog,
        clock: Clock,
        metadata: ImageView,
        create_topic: Callable[[], Awaitable[None]],
        new_shard: Callable[[], S],
        commit_timeout_ms: int,
        forget_topics: Callable[[S, Iterable[str], int], CoordinatorDecision] | None = None,
    ) -> None:
        """`forget_topics` is what a shard decides about deleted topics, where it has to do with topics at all."""
        self.topic = topic
        self._log = log
        self._clock = clock
        self._metadata = metadata
        self._create_topic = create_topic
        # Nothing must time out because somebody set the clock; records must carry the time of day.
        self._epoch_ms = clock.now_ms() - clock.monotonic_ms()
        self._shards = CoordinatorShards(
            topic, log, new_shard, self._now_ms, commit_timeout_ms, self._perform, forget_topics
        )

    # Which broker coordinates

    async def coordinator_of(self, key: str) -> int:
        """The broker that serves this key; the first question creates the topic."""
        await self._ensure_topic()
        return self.coordinator_node(key)

    def coordinator_node(self, key: str) -> int:
        """The same, where no topic means that there is nothing to serve either."""
        topic = self._topic(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        partition = _partition_for(key, len(topic.partitions))
        leader = topic.partitions[partition].leader
        if leader < 0:
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, f"{self.topic}-{partition} has no leader")
        return leader

    async def partition_of(self, key: str) -> int:
        """Where the key's records are, whoever leads it; creates the topic like `coordinator_of`."""
        await self._ensure_topic()
        return _partition_for(key, len(self._topic(ErrorCode.COORDINATOR_NOT_AVAILABLE).partitions))

    def led_partition_of(self, key: str) -> int:
        """The same, loaded here; KafkaError when another broker serves the key."""
        return self._shard_of(key).partition

    # Requests

    def ask(self, operation: Operation[S, Q, P, T], request: Q, /, *args: P.args, **kwargs: P.kwargs) -> Outcome[T]:
        try:
            return self._shard_of(operation.key(request)).ask(operation, request, *args, **kwargs)
        except KafkaError as error:
            return operation.refused(request, error.code)

    # Shards

    @property
    def parked_count(self) -> int:
        return sum(loaded.parked_count for loaded in self._shards.loaded.values())

    @property
    def loaded_partitions(self) -> list[int]:
        return sorted(self._shards.loaded)

    def loaded_shards(self) -> list[S]:
        return [loaded.shard for loaded in self._shards.loaded.values()]

    def loaded_shard(self, partition: int) -> LoadedShard[S]:
        """KafkaError when another broker leads it, or while it is loaded."""
        return self._shards.get(partition)

    # Leadership

    def start(self) -> None:
        """Load in the background what is led here."""
        self._shards.image_changed(None, self._metadata.image)

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Called after the replicas' own listener: leadership of the topic's partitions may have come or gone."""
        self._shards.image_changed(old, new)

    def unload(self, partition: int) -> None:
        """This broker no longer leads the partition: clients must look for the new coordinator."""
        self._shards.unload(partition)

    def close(self) -> None:
        self._shards.close()

    # For coordinators

    def _perform(self, effect: object) -> None:
        """What a decision wants done, now that its records are committed."""

    def _run(self, loaded: LoadedShard[S], decide: Callable[[S, int], CoordinatorDecision]) -> None:
        """A chore. When it fails, the shard is dropped and its waiting requests fail; the next round finds it loaded
        again."""
        try:
            loaded.run(decide)
        except KafkaError as error:
            _logger.warning("coordinator chore failed partition=%s-%d error=%s", self.topic, loaded.partition, error)

    def _led(self) -> Iterator[LoadedShard[S]]:
        """The shards led here, loaded for this if need be; not those on their way."""
        topic = self._metadata.image.topics.get(self.topic)
        return self._shards.led(0 if topic is None else len(topic.partitions))

    def _collect(self, read: Callable[[S], Iterable[T]]) -> list[T]:
        """Out of all shards; KafkaError COORDINATOR_LOAD_IN_PROGRESS while not all are known yet."""
        found = [each for loaded in self._led() for each in read(loaded.shard)]
        if self._shards.loading:
            raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, f"{self.topic} is being loaded")
        return found

    def _shard_of(self, key: str) -> LoadedShard[S]:
        return self._shards.get(self._partition_of(key))

    def _partition_of(self, key: str) -> int:
        return _partition_for(key, len(self._topic(self.without_topic).partitions))

    def _now_ms(self) -> int:
        return self._epoch_ms + self._clock.monotonic_ms()

    async def _ensure_topic(self) -> None:
        if self.topic not in self._metadata.image.topics:
            await self._create_topic()

    def _topic(self, missing: ErrorCode) -> Topic:
        topic = self._metadata.image.topics.get(self.topic)
        if topic is None:
            raise KafkaError(missing, f"{self.topic} is not there yet")
        return topic

"""The shards of a coordinator's topic whose partitions this broker leads: loaded, loading, or not yet asked for.

A shard is loaded soon after its partition is led here, one after the other in the background; a request that comes
before loads it at once. A short log is applied on the spot. A longer one goes on in steps, between which the loop
turns; clients get COORDINATOR_LOAD_IN_PROGRESS meanwhile and retry. When the leadership goes, the shard goes,
and requests that wait in it get NOT_COORDINATOR.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from riacho.base.coordination import CoordinatorDecision, CoordinatorShard, coordinator_error
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.coordinators.coordinator_loading import ShardLoading
from riacho.broker.coordinators.loaded_shard import CoordinatorLog, LoadedShard

if TYPE_CHECKING:
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.image.topics import Topic

S = TypeVar("S", bound=CoordinatorShard)

_logger = logging.getLogger("riacho.coordinators")
# Steps of loading that a request may wait for.
_STEPS_AT_ONCE = 8
# A partition just led may not have its files yet: it is tried again after this pause, so many times.
_EAGER_PAUSE_S = 0.2
_EAGER_TRIES = 25
# From then on it is tried this often: what was decided before, and who is silent, waits for nobody's request.
_EAGER_PAUSE_MAX_S = 5.0


class CoordinatorShards(Generic[S]):
    def __init__(
        self,
        topic: str,
        log: CoordinatorLog,
        new_shard: Callable[[], S],
        now_ms: Callable[[], int],
        commit_timeout_ms: int,
        on_effect: Callable[[object], None] | None = None,
        forget_topics: Callable[[S, Iterable[str], int], CoordinatorDecision] | None = None,
    ) -> None:
        """`forget_topics` is what a shard decides about deleted topics, where it has to do with topics at all."""
        self._forget_topics = forget_topics
        self._on_effect = on_effect
        self.topic = topic
        self._log = log
        self._new_shard = new_shard
        self._now_ms = now_ms
        self._node_id = log.node_id
        self._commit_timeout_ms = commit_timeout_ms
        self._loaded: dict[int, LoadedShard[S]] = {}
        self._loading: dict[int, ShardLoading[S]] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._eager: asyncio.Task[None] | None = None
        self._to_load: set[int] = set()
        self._is_closed = False

    @property
    def loaded(self) -> dict[int, LoadedShard[S]]:
        return self._loaded

    @property
    def loading(self) -> list[int]:
        return sorted(self._loading)

    def get(self, partition: int) -> LoadedShard[S]:
        """KafkaError NOT_COORDINATOR when another broker leads it, COORDINATOR_LOAD_IN_PROGRESS while it loads."""
        found = self._loaded.get(partition)
        return found if found is not None else self._load(partition)

    def led(self, count: int) -> Iterator[LoadedShard[S]]:
        """Of so many partitions, the shards of those led here, loaded for this if need be; not those on their way."""
        for partition in range(count):
            try:
                yield self.get(partition)
            except KafkaError:
                # Another broker leads it, or it is on its way.
                continue

    # Leadership

    def image_changed(self, old: MetadataImage | None, new: MetadataImage) -> None:
        """Let go of what others lead now, and load in the background what is newly led here."""
        before, after = (self._topic_in(image) for image in (old, new))
        if after is None or before is None or after.id != before.id:
            for partition in {*self._loaded, *self._loading, *self._to_load}:
                self.unload(partition)
            before = None
        if after is None or after is before:
            return
        for partition, state in enumerate(after.partitions):
            is_led = state.leader == self._node_id
            was_led = (
                before is not None
                and partition < len(before.partitions)
                and before.partitions[partition].leader == self._node_id
            )
            if was_led and not is_led:
                self.unload(partition)
            elif is_led and not was_led:
                self._to_load.add(partition)
        self._start_eager()

    def reload(self, partition: int) -> None:
        """Still led here, in another epoch: start over from the log, in the background."""
        self.unload(partition)
        self._to_load.add(partition)
        self._start_eager()

    def unload(self, partition: int) -> None:
        """This broker no longer leads the partition: clients must look for the new coordinator."""
        self._to_load.discard(partition)
        self._loading.pop(partition, None)
        loaded = self._loaded.pop(partition, None)
        if loaded is not None:
            loaded.close(ErrorCode.NOT_COORDINATOR)

    def close(self) -> None:
        self._is_closed = True
        for task in (self._eager, *self._tasks.values()):
            if task is not None:
                task.cancel()
        for partition in {*self._loaded, *self._loading}:
            self.unload(partition)

    def topics_deleted(self, topics: Iterable[str]) -> None:
        """For shards that are loading; the caller sees to those that are loaded."""
        for loading in self._loading.values():
            loading.deleted_topics.update(dict.fromkeys(topics))

    # Loading

    def _load(self, partition: int) -> LoadedShard[S]:
        if self._is_closed:
            raise KafkaError(ErrorCode.NOT_COORDINATOR, "the broker stops")
        if partition in self._loading:
            raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, f"partition {partition} is being loaded")
        loading = ShardLoading(self._log, self.topic, partition, self._new_shard())
        end_offset = self._end_offset(partition)
        if loading.advance(_STEPS_AT_ONCE):
            return self._finish(loading, end_offset)
        self._loading[partition] = loading
        self._tasks[partition] = asyncio.get_running_loop().create_task(self._load_on(loading, end_offset))
        raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, f"partition {partition} is being loaded")

    async def _load_on(self, loading: ShardLoading[S], end_offset: int) -> None:
        partition = loading.partition
        started_ms = self._now_ms()
        try:
            while self._loading.get(partition) is loading:
                await asyncio.sleep(0)
                if loading.advance(1) and self._loading.get(partition) is loading:
                    del self._loading[partition]
                    self._finish(loading, end_offset)
                    _logger.info(
                        "coordinator shard loaded partition=%s-%d elapsed_ms=%d",
                        self.topic,
                        partition,
                        self._now_ms() - started_ms,
                    )
        except KafkaError as error:
            _logger.warning("coordinator shard not loaded partition=%s-%d error=%s", self.topic, partition, error)
        finally:
            if self._loading.get(partition) is loading:
                del self._loading[partition]
            if self._tasks.get(partition) is asyncio.current_task():
                del self._tasks[partition]

    def _finish(self, loading: ShardLoading[S], end_offset: int) -> LoadedShard[S]:
        loaded = LoadedShard(
            self.topic,
            loading.partition,
            loading.shard,
            self._log,
            self._now_ms,
            asyncio.get_running_loop(),
            self._drop,
            self._commit_timeout_ms,
            end_offset,
            self._on_effect,
        )
        self._loaded[loading.partition] = loaded
        loaded.run(lambda shard, now_ms: shard.finish_loading(now_ms))
        forget, deleted = self._forget_topics, loading.deleted_topics
        if deleted and forget is not None:
            loaded.run(lambda shard, now_ms: forget(shard, list(deleted), now_ms))
        return loaded

    def _end_offset(self, partition: int) -> int:
        try:
            return self._log.end_offset(self.topic, partition)
        except KafkaError as error:
            raise KafkaError(coordinator_error(error.code), error.detail) from error

    def _start_eager(self) -> None:
        if self._to_load and self._eager is None and not self._is_closed:
            self._eager = asyncio.get_running_loop().create_task(self._load_eagerly())

    async def _load_eagerly(self) -> None:
        """All that is led here, a shard at a time, so that sessions of members who are gone end in time too."""
        tries = 0
        try:
            while self._to_load:
                for partition in sorted(self._to_load):
                    await asyncio.sleep(0)
                    await self._try_to_load(partition)
                if self._to_load:
                    tries += 1
                    await asyncio.sleep(_EAGER_PAUSE_S if tries < _EAGER_TRIES else _EAGER_PAUSE_MAX_S)
        finally:
            self._eager = None

    async def _try_to_load(self, partition: int) -> None:
        if partition not in self._to_load:
            return
        try:
            self.get(partition)
        except KafkaError as error:
            if error.code is not ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                return
            task = self._tasks.get(partition)
            if task is not None:
                await asyncio.wait([task])
        except Exception:
            _logger.exception("coordinator shard not loaded partition=%s-%d", self.topic, partition)
        if partition in self._loaded:
            self._to_load.discard(partition)

    def _drop(self, loaded: LoadedShard[S]) -> None:
        """It failed. Another is loaded soon, asked for or not: what was decided and is in the log must be seen to."""
        if self._loaded.get(loaded.partition) is loaded:
            del self._loaded[loaded.partition]
            self._to_load.add(loaded.partition)
            self._start_eager()

    def _topic_in(self, image: MetadataImage | None) -> Topic | None:
        return None if image is None else image.topics.get(self.topic)

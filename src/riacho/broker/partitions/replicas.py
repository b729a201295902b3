"""The partitions this broker hosts: finding them, the records that coordinators keep in them, and their chores.

Lookups are plain dicts by topic name and by topic id, since every produce and fetch goes through them. Which partitions
there are, and in which role, is `hosting.py`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from riacho.base.coordination import NO_PRODUCER_ID
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.partitions import coordinator_log
from riacho.broker.partitions.hosted_partition import HostedPartition, Peers
from riacho.broker.partitions.hosting import HostedListener, Hosting, Partitions
from riacho.log.cleaner import Cleaner
from riacho.log.cleaning import CleaningAborted, clean

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.counters.metrics import BrokerMetrics
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.log.directories import LogDirectories
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.image.topics import Partition, Topic

__all__ = ["Partitions", "Replicas"]


class Replicas:
    def __init__(
        self,
        node_id: int,
        directories: LogDirectories,
        metadata: MetadataCache,
        clock: Clock,
        logs: Logs,
        metrics: BrokerMetrics,
        producer_id_expiration_ms: int,
        peers: Peers | None = None,
    ) -> None:
        """`peers` knows the other brokers (`isr_proposals.py`); without it every partition is taken for the only
        replica."""
        self.node_id = node_id
        self._hosting = Hosting(
            node_id, directories, metadata, clock, logs, producer_id_expiration_ms, peers, metrics.topics
        )
        self.by_name = self._hosting.by_name
        self.by_id = self._hosting.by_id
        self._directories = directories
        self._metadata = metadata
        self._clock = clock
        self._logs = logs
        self._metrics = metrics
        self._cleaner = Cleaner(directories)
        # Of the high watermarks that were last written down.
        self._checkpointed: int | None = None

    # --- agreeing with the image

    def load(self) -> None:
        """Open what is on disk. The image must be the cluster's of now: what it does not place here is dropped."""
        for _ in self._hosting.load():
            pass

    def load_in_steps(self) -> Iterator[None]:
        """`load`, with a pause after each step for those who can use one."""
        return self._hosting.load()

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        self._hosting.image_changed(old, new)

    def host_unhosted(self) -> None:
        self._hosting.host_unhosted()

    def when_late(self, listener: HostedListener) -> None:
        """Call `listener(hosted)` for partitions that come to be after the image that names them was published."""
        self._hosting.late_listeners.append(listener)

    # --- finding

    def find(self, topic: str | bytes, index: int) -> HostedPartition:
        """By name, or by id: the two are refused with different codes."""
        if isinstance(topic, bytes):
            partitions = self.by_id.get(topic)
            if partitions is None:
                raise KafkaError(ErrorCode.UNKNOWN_TOPIC_ID)
        else:
            partitions = self.by_name.get(topic)
        hosted = partitions.get(index) if partitions is not None else None
        if hosted is None:
            raise self._absent(topic, index)
        return hosted

    def known(self, topic: str | bytes, index: int) -> HostedPartition | None:
        """Like `find`, where not finding it is no error."""
        partitions = self.by_id.get(topic) if isinstance(topic, bytes) else self.by_name.get(topic)
        return None if partitions is None else partitions.get(index)

    def current_leader(self, topic: str | bytes, index: int) -> tuple[int, int] | None:
        """(leader id, leader epoch) of any partition of the cluster, hosted here or not (KIP-951)."""
        named = self._named(topic)
        if named is None or not 0 <= index < len(named.partitions):
            return None
        state: Partition = named.partitions[index]
        return state.leader, state.leader_epoch

    def _named(self, topic: str | bytes) -> Topic | None:
        image = self._metadata.image
        return image.topics_by_id.get(topic) if isinstance(topic, bytes) else image.topics.get(topic)

    def _absent(self, topic: str | bytes, index: int) -> KafkaError:
        """Why there is no such partition here: it does not exist, or it does and its files are not (yet) with us."""
        named = self._named(topic)
        if named is None or not 0 <= index < len(named.partitions):
            return KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"{topic!r} has no partition {index}")
        key = (named.name, index)
        if key in self._hosting.unhosted or self._hosting.is_out_of_reach(*key, named):
            return KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"the files of {named.name}-{index} are out of reach")
        return KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{named.name}-{index} is not served here")

    def all(self) -> Iterator[HostedPartition]:
        for partitions in self.by_name.values():
            yield from partitions.values()

    def directories(self) -> list[str]:
        return [directory.path for directory in self._directories.directories]

    def offline_directories(self) -> dict[str, str]:
        return self._directories.offline

    def partition_count(self) -> int:
        return sum(len(partitions) for partitions in self.by_name.values())

    def leader_count(self) -> int:
        return sum(hosted.is_leader for hosted in self.all())

    def size_bytes(self) -> int:
        return sum(hosted.log.size_bytes for hosted in self.all())

    # --- records of the broker's own: what the coordinators write and read

    def append_internal(
        self,
        topic: str,
        index: int,
        records: list[tuple[bytes, bytes | None]],
        now_ms: int,
        producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int = -1,
    ) -> int:
        """Append one batch as this partition's leader, as with acks=all, and return its last offset."""
        return coordinator_log.append(self.find(topic, index), records, now_ms, producer_id, producer_epoch)

    def check_writable(self, topic: str, index: int) -> None:
        """KafkaError when an append would be refused now."""
        hosted = self.find(topic, index)
        hosted.check_leader()
        hosted.check_enough_replicas()

    def is_committed(self, topic: str, index: int, offset: int) -> bool:
        return self.find(topic, index).log.high_watermark > offset

    async def committed(self, topic: str, index: int, offset: int) -> None:
        """Until the high watermark is past `offset`; KafkaError when it no longer can pass it here."""
        await coordinator_log.committed(self.find(topic, index), offset)

    def leader_epoch(self, topic: str, index: int) -> int:
        """KafkaError when this broker does not lead."""
        hosted = self.find(topic, index)
        hosted.check_leader()
        return hosted.leader_epoch

    def end_offset(self, topic: str, index: int) -> int:
        return self.find(topic, index).log.log_end_offset

    def read_all(self, topic: str, index: int) -> Iterator[bytes]:
        """Runs of whole batches from the log start to the end; KafkaError when this broker does not lead."""
        return coordinator_log.read_all(self.find(topic, index))

    # --- chores

    def checkpoint(self) -> None:
        self._directories.checkpoint()

    def checkpoint_high_watermarks(self) -> None:
        """Write them down, unless all stand where they stood."""
        standing = hash(tuple(hosted.log.high_watermark for hosted in self.all()))
        if standing != self._checkpointed:
            self._directories.checkpoint_high_watermarks()
            self._checkpointed = standing

    def delete_dropped(self, now_ms: int) -> None:
        """Remove the directories of deleted partitions whose delay is over."""
        self._directories.run_deletions(now_ms)

    async def clean(self, executor: Executor, is_stopping: Callable[[], bool]) -> None:
        """Compact the dirtiest logs, one after the other, until none is dirty enough."""
        loop = asyncio.get_running_loop()
        while (planned := self._cleaner.next_plan(self._clock.now_ms(), self._cleaner_map_size_bytes())) is not None:
            key, plan = planned
            try:
                cleaned = await loop.run_in_executor(executor, clean, plan, is_stopping)
                self._cleaner.commit(key, cleaned, self._clock.now_ms())
            except CleaningAborted:
                self._cleaner.abandon(key)
                return
            except KafkaError as error:
                # What cannot be read now will not be readable in a second: leave this log, keep the others clean.
                self._cleaning_failed(key, error, is_uncleanable=True)
            except OSError as error:
                self._cleaning_failed(key, error, is_uncleanable=False)
                return

    def _cleaner_map_size_bytes(self) -> int:
        return self._metadata.values.integer("log.cleaner.dedupe.buffer.size")

    def _cleaning_failed(self, key: tuple[str, int], error: Exception, is_uncleanable: bool) -> None:
        self._metrics.cleaner_failures += 1
        self._cleaner.abandon(key, uncleanable=is_uncleanable)
        self._logs.error.error("compaction failed partition=%s-%d error=%s", *key, error)

    def release_waiting(self) -> None:
        """Parked requests answer with what there is: the broker stops."""
        for hosted in self.all():
            hosted.wake()

    def close(self) -> None:
        self._directories.close(clean=True)

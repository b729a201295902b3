"""The partitions this broker hosts. The metadata image says which; this makes the disk and the image agree.

Lookups are plain dicts by topic name and by topic id, since every produce and fetch goes through them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.hosted_partition import HostedPartition
from riacho.broker.topic_settings import log_config, topic_rules
from riacho.log.cleaner import Cleaner
from riacho.log.cleaning import CleaningAborted, clean
from riacho.wire.batch import read_header
from riacho.wire.records import Record, build_batch

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.controller_driver import ClusterMetadata
    from riacho.broker.logs import Logs
    from riacho.broker.metrics import BrokerMetrics
    from riacho.log.config import LogConfig
    from riacho.log.directories import LogDirectories
    from riacho.log.log import Log
    from riacho.metadata.image import MetadataImage
    from riacho.metadata.topics import Partition, Topic

_READ_SIZE_BYTES = 1 << 20
_NO_LEADER = -1
_HOSTED_AT_ONCE = 64
_HOSTED_PER_TURN = 8
_TOPIC_RESOURCE = 2
_BROKER_RESOURCE = 4
INTERNAL_TOPICS = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})

Partitions = dict[int, HostedPartition]


class Replicas:
    def __init__(
        self,
        node_id: int,
        directories: LogDirectories,
        metadata: ClusterMetadata,
        clock: Clock,
        logs: Logs,
        metrics: BrokerMetrics,
        producer_id_expiration_ms: int,
    ) -> None:
        self.by_name: dict[str, Partitions] = {}
        self.by_id: dict[bytes, Partitions] = {}
        self._node_id = node_id
        self._directories = directories
        self._metadata = metadata
        self._clock = clock
        self._logs = logs
        self._metrics = metrics
        self._producer_id_expiration_ms = producer_id_expiration_ms
        self._cleaner = Cleaner(directories)
        # Partitions of the image whose files could not be made, on a full disk say: tried again by the chores.
        self._unhosted: set[tuple[str, int]] = set()
        # New partitions of large topics whose files are made in the next turns of the loop: (topic, topic id, index).
        self._waiting: deque[tuple[str, bytes, int]] = deque()
        self._is_scheduled = False

    # --- agreeing with the image

    def load(self) -> None:
        """Open what is on disk, then agree with the image: host what it names, drop what it does not."""
        image = self._metadata.image
        found = self._directories.open_all(self._log_config, self._clock.now_ms())
        for (topic, index), log in list(found.items()):
            named = image.topics.get(topic)
            if named is None or index >= len(named.partitions) or (log.topic_id and log.topic_id != named.id):
                # Left by a deletion that a crash cut short.
                self._logs.error.info("partition is not in the metadata and goes partition=%s-%d", topic, index)
                self._directories.delete(topic, index, self._clock.now_ms())
            if log.truncated_size_bytes:
                self._logs.error.warning(
                    "torn tail cut off partition=%s-%d size_bytes=%d log_end_offset=%d",
                    topic,
                    index,
                    log.truncated_size_bytes,
                    log.log_end_offset,
                )
        for named in image.topics.values():
            self._host(named, len(named.partitions))

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Topics are immutable values: those that are the same object did not change."""
        for name, before in old.topics.items():
            after = new.topics.get(name)
            if after is None or after.id != before.id:
                self._drop(name)
        left = _HOSTED_AT_ONCE
        for name, after in new.topics.items():
            earlier = old.topics.get(name)
            if after is not earlier:
                known = len(earlier.partitions) if earlier is not None and earlier.id == after.id else 0
                left -= self._host(after, known, left)
        if new.configs is not old.configs:
            self._apply_configs(old, new)

    def _apply_configs(self, old: MetadataImage, new: MetadataImage) -> None:
        """Give logs and writers their new settings: all of them when a broker default changed."""
        changed = {
            resource
            for resource in old.configs.keys() | new.configs.keys()
            if old.configs.get(resource) != new.configs.get(resource)
        }
        is_default_changed = any(resource_type == _BROKER_RESOURCE for resource_type, _ in changed)
        topics = [name for resource_type, name in changed if resource_type == _TOPIC_RESOURCE]
        for name in list(self.by_name) if is_default_changed else topics:
            config, rules = self._log_config(name), topic_rules(self._metadata.topic_rules(name))
            for hosted in self.by_name.get(name, {}).values():
                hosted.log.apply_config(config)
                hosted.rules = rules

    def _host(self, topic: Topic, known: int, at_once_max: int | None = None) -> int:
        """Host a topic's partitions; those below `known` were there before, so their records are somewhere. Returns how
        many were made.

        Making files takes about a millisecond each: past `at_once_max` new ones, the rest comes in later turns of the
        loop, so that a topic of thousands of partitions does not stall everyone. Clients retry until theirs is there.
        """
        partitions = self.by_name.setdefault(topic.name, {})
        self.by_id[topic.id] = partitions
        made = 0
        for index, state in enumerate(topic.partitions):
            if self._node_id not in state.replicas:
                continue
            hosted = partitions.get(index)
            if hosted is not None:
                self._lead(hosted, state)
            elif not self._is_out_of_reach(topic.name, index, known):
                if at_once_max is not None and made >= at_once_max:
                    self._waiting.append((topic.name, topic.id, index))
                else:
                    made += 1
                    self._make(topic, index)
        if self._waiting and at_once_max is not None:
            self._schedule()
        return made

    def _make(self, topic: Topic, index: int) -> None:
        log = self._create(topic, index)
        if log is not None:
            rules = topic_rules(self._metadata.topic_rules(topic.name))
            hosted = HostedPartition(topic.name, topic.id, index, log, rules)
            hosted.is_internal = topic.name in INTERNAL_TOPICS
            self.by_name[topic.name][index] = hosted
            self._lead(hosted, topic.partitions[index])

    def _lead(self, hosted: HostedPartition, state: Partition) -> None:
        """Take over what the image says about who leads."""
        was_leading_since = hosted.leader_epoch if hosted.is_leader else None
        hosted.leader_id = state.leader
        hosted.leader_epoch = state.leader_epoch
        hosted.is_leader = state.leader == self._node_id
        if hosted.is_leader:
            hosted.advance()
        if was_leading_since is not None and was_leading_since != hosted.leader_epoch:
            hosted.wake()

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._host_next)

    def _host_next(self) -> None:
        """Some more of the partitions that wait for their files."""
        self._is_scheduled = False
        for _ in range(min(_HOSTED_PER_TURN, len(self._waiting))):
            name, topic_id, index = self._waiting.popleft()
            topic = self._metadata.image.topics.get(name)
            if topic is not None and topic.id == topic_id and index not in self.by_name[name]:
                self._make(topic, index)
        if self._waiting:
            self._schedule()

    def _create(self, topic: Topic, index: int) -> Log | None:
        """None when the disk refuses: the topic is in the metadata by now, so this must not stop the others."""
        key = (topic.name, index)
        try:
            log = self._directories.create(
                topic.name, index, topic.id, self._log_config(topic.name), self._clock.now_ms()
            )
        except KafkaError as error:
            if key not in self._unhosted:
                self._unhosted.add(key)
                self._logs.error.error("partition cannot be made partition=%s-%d reason=%s", *key, error.detail)
            return None
        self._unhosted.discard(key)
        return log

    def host_unhosted(self) -> None:
        """Try again what could not be made."""
        for name in {name for name, _ in self._unhosted}:
            topic = self._metadata.image.topics.get(name)
            if topic is not None:
                self._host(topic, len(topic.partitions))
        self._unhosted = {(name, index) for name, index in self._unhosted if name in self._metadata.image.topics}

    def _is_out_of_reach(self, topic: str, index: int, known: int) -> bool:
        """A partition that was there and is on no usable directory is on the one out of service: an empty log in its
        place would give its offsets to other records."""
        if index >= known or not self._directories.offline or (topic, index) in self._unhosted:
            return False
        return (topic, index) not in self._directories.logs

    def _drop(self, name: str) -> None:
        for hosted in self.by_name.pop(name, {}).values():
            self.by_id.pop(hosted.topic_id, None)
            hosted.is_leader = False
            hosted.leader_id = _NO_LEADER
            self._directories.delete(name, hosted.index, self._clock.now_ms())
            hosted.wake()

    def _log_config(self, topic: str) -> LogConfig:
        return log_config(self._metadata.topic_rules(topic), self._producer_id_expiration_ms)

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

    def _absent(self, topic: str | bytes, index: int) -> KafkaError:
        """Why there is no such partition here: it does not exist, or it does and its files are not (yet) with us."""
        image = self._metadata.image
        named = image.topics_by_id.get(topic) if isinstance(topic, bytes) else image.topics.get(topic)
        if named is None or not 0 <= index < len(named.partitions):
            return KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"{topic!r} has no partition {index}")
        if (named.name, index) in self._unhosted or self._is_out_of_reach(named.name, index, len(named.partitions)):
            return KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"the files of {named.name}-{index} are out of reach")
        return KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{named.name}-{index} is not served yet")

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

    def append_internal(self, topic: str, index: int, records: list[tuple[bytes, bytes | None]], now_ms: int) -> int:
        """Append one batch as this partition's leader and return its last offset."""
        hosted = self.find(topic, index)
        hosted.check_leader()
        batch = build_batch(
            [
                Record(offset_delta=at, timestamp_delta=0, key=key, value=value)
                for at, (key, value) in enumerate(records)
            ],
            base_timestamp=now_ms,
        )
        appended = hosted.log.append(batch, read_header(batch), hosted.leader_epoch, now_ms)
        hosted.advance()
        return appended.last_offset

    def is_committed(self, topic: str, index: int, offset: int) -> bool:
        return self.find(topic, index).log.high_watermark > offset

    async def committed(self, topic: str, index: int, offset: int) -> None:
        """With one replica whatever is appended is committed."""
        if not self.is_committed(topic, index, offset):
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, f"{topic}-{index} lost its leader")

    def read_all(self, topic: str, index: int) -> Iterator[bytes]:
        """Runs of whole batches from the log start to the end."""
        log = self.find(topic, index).log
        offset, end_offset = log.log_start_offset, log.log_end_offset
        while offset < end_offset:
            found = log.read(offset, _READ_SIZE_BYTES, end_offset=end_offset, at_least_one=True)
            if found is None:
                return
            data = found.read()
            whole, offset = _whole_batches(data, offset)
            yield data[:whole]

    # --- chores

    def checkpoint(self) -> None:
        self._directories.checkpoint()

    def delete_dropped(self, now_ms: int) -> None:
        """Remove the directories of deleted partitions whose delay is over."""
        self._directories.run_deletions(now_ms)

    async def clean(self, executor: Executor, is_stopping: Callable[[], bool]) -> None:
        """Compact the dirtiest logs, one after the other, until none is dirty enough."""
        loop = asyncio.get_running_loop()
        while (planned := self._cleaner.next_plan(self._clock.now_ms())) is not None:
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

    def _cleaning_failed(self, key: tuple[str, int], error: Exception, is_uncleanable: bool) -> None:
        self._metrics.cleaner_failures += 1
        self._cleaner.abandon(key, uncleanable=is_uncleanable)
        self._logs.error.error("compaction failed partition=%s-%d error=%s", *key, error)

    def release_waiting(self) -> None:
        """Parked fetches answer with what there is: the broker stops."""
        for hosted in self.all():
            hosted.wake()

    def close(self) -> None:
        self._directories.close(clean=True)


def _whole_batches(data: bytes, offset: int) -> tuple[int, int]:
    """(size of the whole batches, the offset after them)."""
    position = 0
    while len(data) - position >= 61:
        header = read_header(data, position)
        if position + header.size_bytes > len(data):
            break
        position += header.size_bytes
        offset = header.next_offset
    return position, offset

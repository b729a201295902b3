"""Making the disk and the metadata image agree: what the image places here is hosted, in the role that it names; what
it does not, goes.

A partition that leaves this broker (its topic was deleted, or its replicas moved) is out of service at once; its files
are renamed and removed after `file.delete.delay.ms`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from riacho.base.errors import KafkaError
from riacho.broker.partitions.hosted_partition import HostedPartition, Peers
from riacho.broker.partitions.roles_taken import RolesTaken
from riacho.broker.partitions.topic_settings import log_config, min_isr, topic_rules
from riacho.metadata.image.topic_names import INTERNAL_TOPICS

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.counters.topic_metrics import TopicMetrics
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.log.config import LogConfig
    from riacho.log.directories import LogDirectories
    from riacho.log.log import Log
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.image.topics import Partition, Topic
    from riacho.partition.validation import TopicRules

_HOSTED_AT_ONCE = 64
_HOSTED_PER_TURN = 8
_TOPIC_RESOURCE = 2
_BROKER_RESOURCE = 4

# Partitions between two turns of the loop while a broker loads.
_LOADED_PER_STEP = 50

Partitions = dict[int, HostedPartition]
HostedListener = Callable[[HostedPartition], None]


class Hosting:
    def __init__(
        self,
        node_id: int,
        directories: LogDirectories,
        metadata: MetadataCache,
        clock: Clock,
        logs: Logs,
        producer_id_expiration_ms: int,
        peers: Peers | None,
        metrics: TopicMetrics,
    ) -> None:
        self.by_name: dict[str, Partitions] = {}
        self.by_id: dict[bytes, Partitions] = {}
        # Partitions of the image whose files could not be made, on a full disk say: tried again by the chores.
        self.unhosted: set[tuple[str, int]] = set()
        # Told of every partition that is there later than the image that names it.
        self.late_listeners: list[HostedListener] = []
        self._node_id = node_id
        self._directories = directories
        self._metadata = metadata
        self._clock = clock
        self._logs = logs
        self._producer_id_expiration_ms = producer_id_expiration_ms
        self._peers = peers
        self._metrics = metrics
        # New partitions of large topics whose files are made in the next turns of the loop: (topic, topic id, index).
        self._waiting: deque[tuple[str, bytes, int]] = deque()
        self._is_scheduled = False
        self._roles = RolesTaken()
        # What a topic's settings come to, with the settings that it was made of: thousands of partitions share it.
        self._settings: dict[str, tuple[Mapping[str, Any], LogConfig, TopicRules, int]] = {}

    def load(self) -> Iterator[None]:
        """Open what is on disk, then agree with the image: host what it names, drop what it does not.

        In steps, so that whoever drives it can let the rest of the node live: it may have a quorum to lead.
        """
        for count, _ in enumerate(self._directories.open_each(self._log_config, self._clock.now_ms())):
            if count % _LOADED_PER_STEP == 0:
                yield
        image = self._metadata.image
        for (topic, index), log in list(self._directories.logs.items()):
            if not self._is_placed_here(image.topics.get(topic), index, log.topic_id):
                # Left by a deletion that a crash cut short, or moved away while this broker was down.
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
            for start in range(0, len(named.partitions), _LOADED_PER_STEP):
                self._host(named, named, span=range(start, min(start + _LOADED_PER_STEP, len(named.partitions))))
                yield
        self._roles.log_roles(self._logs)
        # Whatever the cluster decided meanwhile.
        self.image_changed(image, self._metadata.image)

    def _is_placed_here(self, named: Topic | None, index: int, topic_id: bytes | None) -> bool:
        if named is None or index >= len(named.partitions) or (topic_id and topic_id != named.id):
            return False
        return self._node_id in named.partitions[index].replicas

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
                known = earlier if earlier is not None and earlier.id == after.id else None
                left -= self._host(after, known, left)
        if new.configs is not old.configs:
            self._apply_configs(old, new)
        self._roles.log_roles(self._logs)

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
            config, rules, min_isr_count = self._settings_of(name)
            for hosted in self.by_name.get(name, {}).values():
                hosted.log.apply_config(config)
                hosted.rules = rules
                hosted.set_min_isr(min_isr_count)

    def _host(
        self, topic: Topic, known: Topic | None, at_once_max: int | None = None, span: range | None = None
    ) -> int:
        """Host what a topic has here; what `known` placed here was there before, so its records are somewhere. Returns
        how many were made.

        Making files takes about a millisecond each: past `at_once_max` new ones, the rest comes in later turns of the
        loop, so that a topic of thousands of partitions does not stall everyone. Clients retry until theirs is there.
        """
        partitions = self.by_name.setdefault(topic.name, {})
        self.by_id[topic.id] = partitions
        before = known.partitions if known is not None and known is not topic else ()
        made = 0
        for index in range(len(topic.partitions)) if span is None else span:
            state = topic.partitions[index]
            hosted = partitions.get(index)
            if hosted is not None and index < len(before) and before[index] is state:
                continue
            if self._node_id not in state.replicas:
                if hosted is not None:
                    del partitions[index]
                    self._let_go(hosted)
            elif hosted is not None:
                self._take_role(hosted, state)
            elif not self.is_out_of_reach(topic.name, index, known):
                if at_once_max is not None and made >= at_once_max:
                    self._waiting.append((topic.name, topic.id, index))
                else:
                    made += 1
                    self._make(topic, index)
        if self._waiting and at_once_max is not None:
            self._schedule()
        return made

    def _make(self, topic: Topic, index: int) -> HostedPartition | None:
        log = self._create(topic, index)
        if log is None:
            return None
        _, rules, min_isr_count = self._settings_of(topic.name)
        hosted = HostedPartition(topic.name, topic.id, index, log, rules, self._peers, self._metrics.of(topic.name))
        hosted.is_internal = topic.name in INTERNAL_TOPICS
        hosted.set_min_isr(min_isr_count)
        self.by_name[topic.name][index] = hosted
        self._take_role(hosted, topic.partitions[index])
        return hosted

    def _take_role(self, hosted: HostedPartition, state: Partition) -> None:
        before = hosted.leader_id, hosted.leader_epoch
        hosted.take_role(self._node_id, state)
        if len(state.replicas) > 1 and before != (hosted.leader_id, hosted.leader_epoch):
            self._roles.taken(hosted, state)

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
            if topic is None or topic.id != topic_id or index in self.by_name[name]:
                continue
            if self._node_id in topic.partitions[index].replicas:
                self._notify_listeners(self._make(topic, index))
        if self._waiting:
            self._schedule()
        else:
            self._roles.log_roles(self._logs)

    def _notify_listeners(self, hosted: HostedPartition | None) -> None:
        if hosted is not None:
            for listener in self.late_listeners:
                listener(hosted)

    def _create(self, topic: Topic, index: int) -> Log | None:
        """None when the disk refuses: the topic is in the metadata by now, so this must not stop the others."""
        key = (topic.name, index)
        try:
            # Where the controller wants it (KIP-858); a directory that is not ours, or none, leaves us the choice.
            wanted = topic.partitions[index].directory_of(self._node_id)
            log = self._directories.create(
                topic.name, index, topic.id, self._log_config(topic.name), self._clock.now_ms(), wanted
            )
        except KafkaError as error:
            if key not in self.unhosted:
                self.unhosted.add(key)
                self._logs.error.error("partition cannot be made partition=%s-%d reason=%s", *key, error.detail)
            return None
        self.unhosted.discard(key)
        return log

    def host_unhosted(self) -> None:
        """Try again what could not be made."""
        image = self._metadata.image
        for name, index in sorted(self.unhosted):
            topic = image.topics.get(name)
            if not self._is_placed_here(topic, index, None):
                self.unhosted.discard((name, index))
            elif topic is not None and index not in self.by_name[name]:
                self._notify_listeners(self._make(topic, index))

    def is_out_of_reach(self, topic: str, index: int, known: Topic | None) -> bool:
        """A partition that was here and is on no usable directory is on the one out of service: an empty log in its
        place would give its offsets to other records."""
        if not self._directories.offline or (topic, index) in self.unhosted or known is None:
            return False
        if index >= len(known.partitions) or self._node_id not in known.partitions[index].replicas:
            return False
        return (topic, index) not in self._directories.logs

    def _drop(self, name: str) -> None:
        self._settings.pop(name, None)
        self._metrics.forget(name)
        for hosted in self.by_name.pop(name, {}).values():
            self.by_id.pop(hosted.topic_id, None)
            self._let_go(hosted)

    def _let_go(self, hosted: HostedPartition) -> None:
        self._directories.delete(hosted.topic, hosted.index, self._clock.now_ms())
        hosted.go()

    def _log_config(self, topic: str) -> LogConfig:
        return self._settings_of(topic)[0]

    def _settings_of(self, topic: str) -> tuple[LogConfig, TopicRules, int]:
        values = self._metadata.topic_rules(topic)
        known = self._settings.get(topic)
        if known is None or known[0] is not values:
            config = log_config(values, self._producer_id_expiration_ms)
            known = self._settings[topic] = (values, config, topic_rules(values), min_isr(values))
        return known[1:]

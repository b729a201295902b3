"""The change under way between two images: what records have touched, in mutable form, until it is frozen again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from riacho.metadata.brokers import Broker, broker_from
from riacho.metadata.config_resource import ResourceType
from riacho.metadata.records import MetadataRecord
from riacho.metadata.topics import Partition, Topic, partition_from
from riacho.wire.messages.broker_registration_change_record import BrokerRegistrationChangeRecord
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.fence_broker_record import FenceBrokerRecord
from riacho.wire.messages.no_op_record import NoOpRecord
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.partition_record import PartitionRecord
from riacho.wire.messages.producer_ids_record import ProducerIdsRecord
from riacho.wire.messages.register_broker_record import RegisterBrokerRecord
from riacho.wire.messages.register_controller_record import RegisterControllerRecord
from riacho.wire.messages.remove_topic_record import RemoveTopicRecord
from riacho.wire.messages.topic_record import TopicRecord
from riacho.wire.messages.unfence_broker_record import UnfenceBrokerRecord
from riacho.wire.messages.unregister_broker_record import UnregisterBrokerRecord

if TYPE_CHECKING:
    from riacho.metadata.image import ConfigResource, MetadataImage


class ImageDelta:
    """Dicts are copied when first touched; partitions of a touched topic are a list until the end."""

    def __init__(self, base: MetadataImage) -> None:
        self._base = base
        self._names: dict[bytes, str] = {}
        self._partitions: dict[bytes, list[Partition]] = {}
        self._removed: dict[bytes, str] = {}
        self._configs: dict[ConfigResource, dict[str, str]] | None = None
        self._own_configs: set[ConfigResource] = set()
        self._brokers: dict[int, Broker] | None = None
        self._controllers: dict[int, RegisterControllerRecord] | None = None
        self._features: dict[str, int] | None = None
        self._next_producer_id = base.next_producer_id
        self._unread: list[MetadataRecord] = []

    def apply_all(self, records: Iterable[MetadataRecord]) -> None:
        for record in records:
            self.apply(record)

    def apply(self, record: MetadataRecord) -> None:
        match record:
            case PartitionRecord():
                self._apply_partition(record)
            case PartitionChangeRecord():
                partitions = self._touch(record.topic_id)
                partitions[record.partition_id] = partitions[record.partition_id].changed_by(record)
            case TopicRecord():
                self._names[record.topic_id] = record.name
                self._partitions[record.topic_id] = []
            case RemoveTopicRecord():
                self._remove_topic(record.topic_id)
            case ConfigRecord():
                self._apply_config(record)
            case FeatureLevelRecord():
                self._apply_feature(record)
            case ProducerIdsRecord():
                self._next_producer_id = record.next_producer_id
            case RegisterControllerRecord():
                if self._controllers is None:
                    self._controllers = dict(self._base.controllers)
                self._controllers[record.controller_id] = record
            case NoOpRecord():
                pass
            case _:
                self._apply_broker(record)

    def image(self) -> MetadataImage:
        base = self._base
        topics, topics_by_id = base.topics, base.topics_by_id
        if self._partitions or self._removed:
            topics, topics_by_id = dict(topics), dict(topics_by_id)
            for topic_id, name in self._removed.items():
                del topics_by_id[topic_id]
                if topics[name].id == topic_id:
                    del topics[name]
            for topic_id, partitions in self._partitions.items():
                topic = Topic(self._names[topic_id], topic_id, tuple(partitions))
                topics[topic.name] = topics_by_id[topic_id] = topic
        return msgspec.structs.replace(
            base,
            topics=topics,
            topics_by_id=topics_by_id,
            configs=base.configs if self._configs is None else self._configs,
            brokers=base.brokers if self._brokers is None else self._brokers,
            controllers=base.controllers if self._controllers is None else self._controllers,
            features=base.features if self._features is None else self._features,
            next_producer_id=self._next_producer_id,
            unread=(*base.unread, *self._unread) if self._unread else base.unread,
        )

    def _touch(self, topic_id: bytes) -> list[Partition]:
        found = self._partitions.get(topic_id)
        if found is None:
            topic = self._base.topics_by_id[topic_id]
            self._names[topic_id] = topic.name
            found = self._partitions[topic_id] = list(topic.partitions)
        return found

    def _apply_partition(self, record: PartitionRecord) -> None:
        partitions = self._touch(record.topic_id)
        assert record.partition_id <= len(partitions), f"partition {record.partition_id} after {len(partitions)}"
        partitions[record.partition_id : record.partition_id + 1] = [partition_from(record)]

    def _remove_topic(self, topic_id: bytes) -> None:
        self._partitions.pop(topic_id, None)
        name = self._names.pop(topic_id, None)
        base = self._base.topics_by_id.get(topic_id)
        if base is not None:
            name = self._removed[topic_id] = base.name
        assert name is not None, "removal of an unknown topic"
        if (ResourceType.TOPIC, name) in (self._base.configs if self._configs is None else self._configs):
            self._all_configs().pop((ResourceType.TOPIC, name))

    def _all_configs(self) -> dict[ConfigResource, dict[str, str]]:
        if self._configs is None:
            self._configs = dict(self._base.configs)
        return self._configs

    def _apply_config(self, record: ConfigRecord) -> None:
        configs = self._all_configs()
        resource = (record.resource_type, record.resource_name)
        if resource not in self._own_configs:
            configs[resource] = dict(configs.get(resource, {}))
            self._own_configs.add(resource)
        if record.value is None:
            configs.setdefault(resource, {}).pop(record.name, None)
        else:
            configs.setdefault(resource, {})[record.name] = record.value
        if not configs[resource]:
            del configs[resource]

    def _apply_feature(self, record: FeatureLevelRecord) -> None:
        if self._features is None:
            self._features = dict(self._base.features)
        if record.feature_level == 0:
            self._features.pop(record.name, None)
        else:
            self._features[record.name] = record.feature_level

    def _apply_broker(self, record: MetadataRecord) -> None:
        brokers = dict(self._base.brokers) if self._brokers is None else self._brokers
        match record:
            case RegisterBrokerRecord():
                brokers[record.broker_id] = broker_from(record)
            case UnregisterBrokerRecord():
                brokers.pop(record.broker_id, None)
            case BrokerRegistrationChangeRecord():
                brokers[record.broker_id] = brokers[record.broker_id].changed_by(record)
            case FenceBrokerRecord() | UnfenceBrokerRecord():
                fenced = isinstance(record, FenceBrokerRecord)
                brokers[record.id] = msgspec.structs.replace(brokers[record.id], is_fenced=fenced)
            case _:
                self._unread.append(record)
                return
        self._brokers = brokers

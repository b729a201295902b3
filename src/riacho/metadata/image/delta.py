"""The change under way between two images: what records have touched, in mutable form, until it is frozen again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from riacho.base.acl import AclBinding
from riacho.metadata.image.acl_records import acl_from
from riacho.metadata.image.brokers import Broker, broker_from
from riacho.metadata.image.client_quotas import apply_quota
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.delegation_tokens import apply_token
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.scram_credentials import apply_scram
from riacho.metadata.image.topics import Partition, Topic, partition_from
from riacho.wire.messages.access_control_entry_record import AccessControlEntryRecord
from riacho.wire.messages.broker_registration_change_record import BrokerRegistrationChangeRecord
from riacho.wire.messages.clear_elr_record import ClearElrRecord
from riacho.wire.messages.client_quota_record import ClientQuotaRecord
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.delegation_token_record import DelegationTokenRecord
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.fence_broker_record import FenceBrokerRecord
from riacho.wire.messages.no_op_record import NoOpRecord
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.partition_record import PartitionRecord
from riacho.wire.messages.producer_ids_record import ProducerIdsRecord
from riacho.wire.messages.register_broker_record import RegisterBrokerRecord
from riacho.wire.messages.register_controller_record import RegisterControllerRecord
from riacho.wire.messages.remove_access_control_entry_record import RemoveAccessControlEntryRecord
from riacho.wire.messages.remove_delegation_token_record import RemoveDelegationTokenRecord
from riacho.wire.messages.remove_topic_record import RemoveTopicRecord
from riacho.wire.messages.remove_user_scram_credential_record import RemoveUserScramCredentialRecord
from riacho.wire.messages.topic_record import TopicRecord
from riacho.wire.messages.unfence_broker_record import UnfenceBrokerRecord
from riacho.wire.messages.unregister_broker_record import UnregisterBrokerRecord
from riacho.wire.messages.user_scram_credential_record import UserScramCredentialRecord

if TYPE_CHECKING:
    from riacho.metadata.image.image import ConfigResource, MetadataImage


class ImageDelta:
    """Dicts are copied when first touched; partitions of a touched topic are a list until the end."""

    def __init__(self, base: MetadataImage) -> None:
        self._base = base
        # Of topics that were touched: their names by id, and the other way.
        self._names: dict[bytes, str] = {}
        self._ids: dict[str, bytes] = {}
        self._partitions: dict[bytes, list[Partition]] = {}
        self._removed: dict[bytes, str] = {}
        # Topics whose replicas moved, in the records' order, so that every process has the same one: their part of the
        # index of partitions by broker is made anew.
        self._moved: dict[bytes, None] = {}
        self._configs: dict[ConfigResource, dict[str, str]] | None = None
        self._own_configs: set[ConfigResource] = set()
        self._brokers: dict[int, Broker] | None = None
        self._controllers: dict[int, RegisterControllerRecord] | None = None
        self._features: dict[str, int] | None = None
        self._scram_credentials = base.scram_credentials
        self._delegation_tokens = base.delegation_tokens
        self._client_quotas = base.client_quotas
        self._next_producer_id = base.next_producer_id
        self._acls: dict[bytes, AclBinding] | None = None
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
                if record.replicas is not None:
                    self._moved[record.topic_id] = None
            case TopicRecord():
                self._names[record.topic_id] = record.name
                self._ids[record.name] = record.topic_id
                self._partitions[record.topic_id] = []
            case RemoveTopicRecord():
                self._remove_topic(record.topic_id)
            case ClearElrRecord():
                self._clear_elr(record.topic_name)
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
            case AccessControlEntryRecord():
                self._all_acls()[record.id] = acl_from(record)
            case RemoveAccessControlEntryRecord():
                self._all_acls().pop(record.id, None)
            case UserScramCredentialRecord() | RemoveUserScramCredentialRecord():
                if self._scram_credentials is self._base.scram_credentials:
                    self._scram_credentials = dict(self._base.scram_credentials)
                apply_scram(self._scram_credentials, record)
            case DelegationTokenRecord() | RemoveDelegationTokenRecord():
                if self._delegation_tokens is self._base.delegation_tokens:
                    self._delegation_tokens = dict(self._base.delegation_tokens)
                apply_token(self._delegation_tokens, record)
            case ClientQuotaRecord():
                if self._client_quotas is self._base.client_quotas:
                    self._client_quotas = dict(self._base.client_quotas)
                apply_quota(self._client_quotas, record)
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
            partitions_by_broker=self._index() if self._moved else base.partitions_by_broker,
            configs=base.configs if self._configs is None else self._configs,
            brokers=base.brokers if self._brokers is None else self._brokers,
            controllers=base.controllers if self._controllers is None else self._controllers,
            features=base.features if self._features is None else self._features,
            scram_credentials=self._scram_credentials,
            delegation_tokens=self._delegation_tokens,
            client_quotas=self._client_quotas,
            next_producer_id=self._next_producer_id,
            acls=base.acls if self._acls is None else self._acls,
            unread=(*base.unread, *self._unread) if self._unread else base.unread,
        )

    def _touch(self, topic_id: bytes) -> list[Partition]:
        found = self._partitions.get(topic_id)
        if found is None:
            topic = self._base.topics_by_id[topic_id]
            self._names[topic_id] = topic.name
            self._ids[topic.name] = topic_id
            found = self._partitions[topic_id] = list(topic.partitions)
        return found

    def _apply_partition(self, record: PartitionRecord) -> None:
        partitions = self._touch(record.topic_id)
        assert record.partition_id <= len(partitions), f"partition {record.partition_id} after {len(partitions)}"
        partitions[record.partition_id : record.partition_id + 1] = [partition_from(record)]
        self._moved[record.topic_id] = None

    def _index(self) -> dict[int, dict[bytes, tuple[int, ...]]]:
        index = dict(self._base.partitions_by_broker)
        own: set[int] = set()

        def owned(broker_id: int) -> dict[bytes, tuple[int, ...]]:
            if broker_id not in own:
                index[broker_id] = dict(index.get(broker_id, {}))
                own.add(broker_id)
            return index[broker_id]

        for topic_id in self._moved:
            before = self._base.topics_by_id.get(topic_id)
            for broker_id in () if before is None else {replica for p in before.partitions for replica in p.replicas}:
                owned(broker_id).pop(topic_id, None)
            hosted: dict[int, list[int]] = {}
            for partition_id, partition in enumerate(self._partitions.get(topic_id, ())):
                for replica in partition.replicas:
                    hosted.setdefault(replica, []).append(partition_id)
            for broker_id, partition_ids in hosted.items():
                owned(broker_id)[topic_id] = tuple(partition_ids)
        return {broker_id: hosted for broker_id, hosted in index.items() if hosted}

    def _clear_elr(self, topic_name: str) -> None:
        """The eligible leaders of one topic, or of all, are void: what they were counted by has changed (KIP-966)."""
        for name in (topic_name,) if topic_name else {**self._base.topics, **self._ids}:
            topic_id = self._ids.get(name) or self._base.topics[name].id
            if topic_id in self._removed:
                continue
            present = self._partitions.get(topic_id)
            known = self._base.topics_by_id[topic_id].partitions if present is None else present
            if any(p.eligible_leader_replicas or p.last_known_elr for p in known):
                self._touch(topic_id)[:] = [partition.without_elr() for partition in known]

    def _remove_topic(self, topic_id: bytes) -> None:
        self._partitions.pop(topic_id, None)
        self._moved[topic_id] = None
        name = self._names.pop(topic_id, None)
        if name is not None and self._ids.get(name) == topic_id:
            del self._ids[name]
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

    def _all_acls(self) -> dict[bytes, AclBinding]:
        if self._acls is None:
            self._acls = dict(self._base.acls)
        return self._acls

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

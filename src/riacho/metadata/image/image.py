"""The metadata image: everything the cluster agreed on, as one immutable value that brokers read.

Theory of operation. Records are the only way it changes: `image.apply(records)` gives the next image and leaves the
old one as it was, so a reader holds one image for the whole of a request and never sees half a change. What did not
change is shared: an apply copies the dicts on the way to the change (topics by name, by id) but no topic, partition
or config that the records do not name, so creating a topic beside 10,000 partitions costs one shallow dict copy.
What a broker hosts is kept as an index, so that its coming and going does not search the whole cluster.

`end_offset` is the offset after the last applied record. Records between BeginTransaction and EndTransaction
(KIP-868) are held back in `pending` until the end record. Record types that nothing here reads yet are kept in
`unread`, so a snapshot loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from riacho.base.acl import AclBinding
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.acl_records import acl_record
from riacho.metadata.image.brokers import Broker
from riacho.metadata.image.client_quotas import ClientQuotas, quota_records
from riacho.metadata.image.delegation_tokens import DelegationTokens, token_records
from riacho.metadata.image.delta import ImageDelta
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.scram_credentials import ScramCredentials, scram_records
from riacho.metadata.image.topics import Partition, Topic
from riacho.wire.messages.abort_transaction_record import AbortTransactionRecord
from riacho.wire.messages.begin_transaction_record import BeginTransactionRecord
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.end_transaction_record import EndTransactionRecord
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.producer_ids_record import ProducerIdsRecord
from riacho.wire.messages.register_controller_record import RegisterControllerRecord
from riacho.wire.messages.topic_record import TopicRecord

ConfigResource = tuple[int, str]
_NO_CONFIGS: Mapping[str, str] = {}
_NO_PARTITIONS: Mapping[bytes, tuple[int, ...]] = {}


class MetadataImage(msgspec.Struct, frozen=True, eq=True):
    cluster_id: str = ""
    end_offset: int = 0
    topics: dict[str, Topic] = {}
    topics_by_id: dict[bytes, Topic] = {}
    configs: dict[ConfigResource, dict[str, str]] = {}
    brokers: dict[int, Broker] = {}
    # Which partitions each broker has a replica of, by topic id: an index, made of `topics` and nothing else.
    partitions_by_broker: dict[int, dict[bytes, tuple[int, ...]]] = {}
    controllers: dict[int, RegisterControllerRecord] = {}
    features: dict[str, int] = {}
    scram_credentials: ScramCredentials = {}
    delegation_tokens: DelegationTokens = {}
    client_quotas: ClientQuotas = {}
    # The block that the next broker gets starts here (KIP-730).
    next_producer_id: int = 0
    # Access control entries by their ids.
    acls: dict[bytes, AclBinding] = {}
    pending: tuple[MetadataRecord, ...] | None = None
    unread: tuple[MetadataRecord, ...] = ()

    def apply(self, records: Iterable[MetadataRecord], end_offset: int | None = None) -> MetadataImage:
        """The image after `records`; each takes one offset unless `end_offset` says where they end."""
        batch = list(records)
        delta = ImageDelta(self)
        pending = None if self.pending is None else list(self.pending)
        for record in batch:
            match record:
                case BeginTransactionRecord():
                    pending = []
                case EndTransactionRecord():
                    delta.apply_all(pending or [])
                    pending = None
                case AbortTransactionRecord():
                    pending = None
                case _ if pending is not None:
                    pending.append(record)
                case _:
                    delta.apply(record)
        return msgspec.structs.replace(
            delta.image(),
            end_offset=self.end_offset + len(batch) if end_offset is None else end_offset,
            pending=None if pending is None else tuple(pending),
        )

    def partition(self, topic: str, partition_id: int) -> Partition | None:
        found = self.topics.get(topic)
        if found is None or not 0 <= partition_id < len(found.partitions):
            return None
        return found.partitions[partition_id]

    def partitions_on(self, broker_id: int) -> Iterator[tuple[Topic, int, Partition]]:
        """The partitions that this broker has a replica of."""
        for topic_id, partition_ids in self.partitions_by_broker.get(broker_id, _NO_PARTITIONS).items():
            topic = self.topics_by_id[topic_id]
            for partition_id in partition_ids:
                yield topic, partition_id, topic.partitions[partition_id]

    def all_partitions(self) -> Iterator[tuple[Topic, int, Partition]]:
        for topic in self.topics.values():
            for partition_id, partition in enumerate(topic.partitions):
                yield topic, partition_id, partition

    def overrides(self, resource_type: int, name: str) -> Mapping[str, str]:
        """What was set for this very resource; defaults are not in here."""
        return self.configs.get((resource_type, name), _NO_CONFIGS)

    def active_brokers(self) -> list[Broker]:
        return [broker for broker in self.brokers.values() if broker.is_active]

    def check_broker_epoch(self, broker_id: int, broker_epoch: int) -> Broker:
        """The broker, if the one that speaks is the one on record."""
        broker = self.brokers.get(broker_id)
        if broker is None:
            problem = f"No broker registration found for broker id {broker_id}"
            raise KafkaError(ErrorCode.STALE_BROKER_EPOCH, problem)
        if broker.epoch != broker_epoch:
            problem = f"Expected broker epoch {broker.epoch}, but got broker epoch {broker_epoch}"
            raise KafkaError(ErrorCode.STALE_BROKER_EPOCH, problem)
        return broker

    def to_records(self) -> Iterator[MetadataRecord]:
        """Records that make this image out of an empty one: a snapshot's contents."""
        for name, level in sorted(self.features.items()):
            yield FeatureLevelRecord(name=name, feature_level=level)
        yield from self.controllers.values()
        for _, broker in sorted(self.brokers.items()):
            yield broker.to_record()
        for topic in self.topics.values():
            yield TopicRecord(name=topic.name, topic_id=topic.id)
            for partition_id, partition in enumerate(topic.partitions):
                yield partition.to_record(topic.id, partition_id)
        for (resource_type, resource), entries in self.configs.items():
            for name, value in entries.items():
                yield ConfigRecord(resource_type=resource_type, resource_name=resource, name=name, value=value)
        yield from scram_records(self.scram_credentials)
        yield from token_records(self.delegation_tokens)
        yield from quota_records(self.client_quotas)
        if self.next_producer_id:
            yield ProducerIdsRecord(broker_id=-1, broker_epoch=-1, next_producer_id=self.next_producer_id)
        for acl_id, acl in self.acls.items():
            yield acl_record(acl_id, acl)
        yield from self.unread
        if self.pending is not None:
            yield BeginTransactionRecord()
            yield from self.pending

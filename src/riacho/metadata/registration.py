"""What a node puts on record when it starts: the agreed features of a fresh cluster, its own registration (KIP-631)."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from riacho.metadata.brokers import Broker, Endpoint
from riacho.metadata.features import METADATA_LEVEL, METADATA_VERSION, SUPPORTED
from riacho.metadata.image import MetadataImage
from riacho.metadata.records import MetadataRecord
from riacho.wire.messages.broker_registration_change_record import BrokerRegistrationChangeRecord
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.register_controller_record import (
    ControllerEndpoint,
    ControllerFeature,
    RegisterControllerRecord,
)


@dataclass(frozen=True, slots=True)
class Registration:
    """Who this node is in this run; another run has another incarnation."""

    node_id: int
    incarnation_id: bytes
    endpoints: tuple[Endpoint, ...]
    rack: str | None
    log_dirs: tuple[bytes, ...]
    controller_endpoints: tuple[Endpoint, ...] = ()


def decide_bootstrap(image: MetadataImage) -> list[MetadataRecord]:
    """The first records of a fresh cluster; nothing in one that has features already."""
    if METADATA_VERSION in image.features:
        return []
    return [FeatureLevelRecord(name=METADATA_VERSION, feature_level=METADATA_LEVEL)]


def decide_register(image: MetadataImage, me: Registration) -> list[MetadataRecord]:
    """Register fenced, then unfence, as a broker that has caught up with the metadata.

    A broker that is on record as up did not stop in order and may have lost the end of its logs: the partitions it
    leads get a new leader epoch, so that clients that saw the lost records find out (KIP-320).
    """
    records: list[MetadataRecord] = []
    if me.controller_endpoints:
        records.append(_controller(me))
    epoch = image.end_offset + len(records)
    broker = Broker(
        id=me.node_id,
        epoch=epoch,
        incarnation_id=me.incarnation_id,
        endpoints=me.endpoints,
        features=dict(SUPPORTED),
        rack=me.rack,
        is_fenced=True,
        in_controlled_shutdown=False,
        log_dirs=me.log_dirs,
    )
    unfence = BrokerRegistrationChangeRecord(broker_id=me.node_id, broker_epoch=epoch, fenced=-1)
    return [*records, broker.to_record(), unfence, *_new_epochs(image, me.node_id)]


def _new_epochs(image: MetadataImage, node_id: int) -> list[MetadataRecord]:
    before = image.brokers.get(node_id)
    if before is None or before.is_fenced:
        return []
    return [
        PartitionChangeRecord(partition_id=partition_id, topic_id=topic.id, leader=node_id)
        for topic in image.topics.values()
        for partition_id, partition in enumerate(topic.partitions)
        if partition.leader == node_id
    ]


def decide_fence(image: MetadataImage, node_id: int) -> list[MetadataRecord]:
    """A broker that stops is fenced, so that nobody is sent to it."""
    broker = image.brokers.get(node_id)
    if broker is None or broker.is_fenced:
        return []
    return [BrokerRegistrationChangeRecord(broker_id=node_id, broker_epoch=broker.epoch, fenced=1)]


def _controller(me: Registration) -> RegisterControllerRecord:
    return RegisterControllerRecord(
        controller_id=me.node_id,
        incarnation_id=me.incarnation_id,
        end_points=[ControllerEndpoint(**msgspec.structs.asdict(endpoint)) for endpoint in me.controller_endpoints],
        features=[
            ControllerFeature(name=name, min_supported_version=low, max_supported_version=high)
            for name, (low, high) in SUPPORTED.items()
        ],
    )

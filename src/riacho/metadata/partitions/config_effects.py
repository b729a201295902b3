"""What a change of settings does to partitions at once, and which changes ELR forbids (KIP-966).

- A lower min.insync.replicas can let a leader acknowledge without those that left its ISR, so they are no longer
  eligible. A partition without a leader keeps its eligible ones: nothing is acknowledged there.
- unclean.leader.election.enable gives partitions without a leader any replica that is up.
- While ELR is on, min.insync.replicas must not differ between brokers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ConfigSource, ResourceType
from riacho.metadata.image.features import ELR_VERSION
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import NO_LEADER, Topic
from riacho.metadata.partitions.leadership import MIN_ISR, UNCLEAN_ELECTION, LeadershipRules
from riacho.metadata.partitions.partition_change import PartitionChange
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.wire.messages.config_record import ConfigRecord


def check_min_isr(image: MetadataImage, record: ConfigRecord) -> None:
    if record.name != MIN_ISR or record.resource_type != ResourceType.BROKER:
        return
    if image.features.get(ELR_VERSION, 0) < 1:
        return
    if record.resource_name != CLUSTER_DEFAULT:
        problem = "Broker-level min.insync.replicas cannot be altered while ELR is enabled."
        raise KafkaError(ErrorCode.INVALID_CONFIG, problem)
    if record.value is None:
        problem = "Cluster-level min.insync.replicas cannot be removed while ELR is enabled."
        raise KafkaError(ErrorCode.INVALID_CONFIG, problem)


def config_effects(
    image: MetadataImage, values: BrokerValues, changes: Sequence[MetadataRecord]
) -> list[MetadataRecord]:
    """What follows `changes`, which are not yet in the image."""
    if not any(isinstance(r, ConfigRecord) and r.name in (MIN_ISR, UNCLEAN_ELECTION) for r in changes):
        return []
    after = image.apply(changes)
    own = dict(values.layers)[ConfigSource.DYNAMIC_BROKER_CONFIG]
    default = after.overrides(ResourceType.BROKER, CLUSTER_DEFAULT)
    rules = LeadershipRules(after, BrokerValues(values.static, default, own))
    records: list[MetadataRecord] = []
    for topic in _touched(after, changes):
        for partition_id, partition in enumerate(topic.partitions):
            if partition.leader == NO_LEADER or partition.eligible_leader_replicas:
                record = PartitionChange(rules, topic, partition_id).record()
                if record is not None:
                    records.append(record)
    return records


def _touched(image: MetadataImage, changes: Sequence[MetadataRecord]) -> Iterable[Topic]:
    names: dict[str, None] = {}
    for record in changes:
        if not isinstance(record, ConfigRecord) or record.name not in (MIN_ISR, UNCLEAN_ELECTION):
            continue
        if record.resource_type == ResourceType.BROKER:
            return image.topics.values()
        if record.resource_type == ResourceType.TOPIC and record.resource_name in image.topics:
            names[record.resource_name] = None
    return [image.topics[name] for name in names]

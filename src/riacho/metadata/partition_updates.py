"""What an event of one broker does to the partitions it has replicas of: it leaves, it joins, it comes back."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from riacho.metadata.leadership import LeadershipRules
from riacho.metadata.partition_change import PartitionChange
from riacho.metadata.records import MetadataRecord
from riacho.metadata.topics import NO_LEADER, Partition, Topic

Placed = tuple[Topic, int, Partition]


def broker_leaves(
    rules: LeadershipRules, broker_id: int, partitions: Iterable[Placed] | None = None
) -> list[MetadataRecord]:
    """Out of every ISR (or those of `partitions`); what it led finds another leader, or none."""
    records: list[MetadataRecord] = []
    for topic, partition_id, partition in rules.image.partitions_on(broker_id) if partitions is None else partitions:
        if broker_id not in partition.isr:
            continue
        change = PartitionChange(rules, topic, partition_id)
        change.isr = tuple(replica for replica in partition.isr if replica != broker_id)
        change.leaving = broker_id
        record = change.record()
        if record is not None:
            records.append(record)
    return records


def broker_crashed(rules: LeadershipRules, broker_id: int) -> list[MetadataRecord]:
    """Out of every ISR and ELR: without an orderly stop it may have lost the end of its logs (KIP-966)."""
    records: list[MetadataRecord] = []
    for topic, partition_id, partition in rules.image.partitions_on(broker_id):
        if broker_id not in partition.isr and broker_id not in partition.eligible_leader_replicas:
            continue
        change = PartitionChange(rules, topic, partition_id)
        change.isr = tuple(replica for replica in partition.isr if replica != broker_id)
        change.crashed = broker_id
        record = change.record()
        if record is not None:
            records.append(record)
    return records


def broker_joins(rules: LeadershipRules, broker_id: int) -> list[MetadataRecord]:
    """Partitions that have no leader may find one in it."""
    records: list[MetadataRecord] = []
    for topic, partition_id, partition in rules.image.partitions_on(broker_id):
        if partition.leader != NO_LEADER:
            continue
        change = PartitionChange(rules, topic, partition_id)
        change.joining = broker_id
        record = change.record()
        if record is not None:
            records.append(record)
    return records


def directories_lost(rules: LeadershipRules, broker_id: int, lost: Collection[bytes]) -> list[MetadataRecord]:
    """Replicas in these directories leave their ISR: the disk is gone, the broker is not (KIP-858)."""
    placed = [each for each in rules.image.partitions_on(broker_id) if each[2].directory_of(broker_id) in lost]
    return broker_leaves(rules, broker_id, placed)

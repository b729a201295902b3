"""What an event of one broker does to the partitions it has replicas of: it leaves, it joins, it comes back.

Theory of operation. A broker that is gone leaves every ISR, so that the others can go on without it. That makes sense
while there are others. When all brokers go at once, by a power cut or with their machine, they are found gone one after
the other; were each to leave its ISRs, the last one found would be left as the only one in sync, though nothing was
acknowledged without the rest. So a broker stays in an ISR of which nobody else is in contact (`in_contact`: brokers
whose heartbeats reach this controller just now). That is never unsafe: a leader acknowledges nothing without the whole
ISR. Whoever of that ISR comes back may lead, if it lost nothing; `recovery_election` decides among them. So the first
that comes back takes the leadership from a leader that is out of contact: else it would be the only one in sight when
that one is found gone. Of those that did lose something, or cannot say, it is kept that they were there: the last known
ELR.

`release_absent` ends that state, where somebody is in contact after all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import NO_LEADER, Partition, Topic
from riacho.metadata.partitions.leadership import LeadershipRules
from riacho.metadata.partitions.partition_change import PartitionChange

Placed = tuple[Topic, int, Partition]
# Brokers in contact with the controller; None where all are taken to be that are on record as up.
InContact = Collection[int] | None


def broker_leaves(
    rules: LeadershipRules,
    broker_id: int,
    partitions: Iterable[Placed] | None = None,
    in_contact: InContact = None,
    *,
    returns: bool = False,
) -> list[MetadataRecord]:
    """Out of every ISR (or those of `partitions`) that has another member; what it led finds another leader."""
    records: list[MetadataRecord] = []
    for topic, partition_id, partition in rules.image.partitions_on(broker_id) if partitions is None else partitions:
        if broker_id not in partition.isr:
            continue
        change = PartitionChange(rules, topic, partition_id)
        change.leaving = broker_id
        change.is_outage = _is_outage(rules, partition, broker_id, in_contact)
        change.is_deposing = returns
        if not change.is_outage:
            change.isr = tuple(replica for replica in partition.isr if replica != broker_id)
        record = change.record()
        if record is not None:
            records.append(record)
    return records


def broker_crashed(rules: LeadershipRules, broker_id: int, in_contact: InContact = None) -> list[MetadataRecord]:
    """Out of every ISR and ELR: without an orderly stop it may have lost the end of its logs (KIP-966)."""
    records: list[MetadataRecord] = []
    for topic, partition_id, partition in rules.image.partitions_on(broker_id):
        if broker_id not in partition.isr and broker_id not in partition.eligible_leader_replicas:
            continue
        change = PartitionChange(rules, topic, partition_id)
        change.isr = tuple(replica for replica in partition.isr if replica != broker_id)
        change.crashed = broker_id
        change.is_deposing = True
        change.is_outage = _is_outage(rules, partition, broker_id, in_contact)
        record = change.record()
        if record is not None:
            records.append(record)
    return records


def _is_outage(rules: LeadershipRules, partition: Partition, broker_id: int, in_contact: InContact) -> bool:
    """Whether no other member of the ISR is known to be there, or all of them went before."""
    if in_contact is None or not rules.is_elr_enabled:
        return False
    if partition.leader == NO_LEADER:
        return True
    others = (replica for replica in partition.isr if replica != broker_id and replica in in_contact)
    brokers = rules.image.brokers
    return not any(replica in brokers and brokers[replica].is_active for replica in others)


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


def release_absent(rules: LeadershipRules, in_contact: Collection[int]) -> list[MetadataRecord]:
    """Fenced brokers leave the ISRs whose leader is in contact; who crashed is forgotten where enough are in sync."""
    records: list[MetadataRecord] = []
    brokers = rules.image.brokers
    for topic, partition_id, partition in rules.image.all_partitions():
        if partition.leader not in in_contact:
            continue
        present = tuple(id for id in partition.isr if id in brokers and not brokers[id].is_fenced)
        if present == partition.isr and not partition.last_known_elr:
            continue
        change = PartitionChange(rules, topic, partition_id)
        change.isr = present
        record = change.record() if present else None
        if record is not None:
            records.append(record)
    return records


def directories_lost(rules: LeadershipRules, broker_id: int, lost: Collection[bytes]) -> list[MetadataRecord]:
    """Replicas in these directories leave their ISR: the disk is gone, the broker is not (KIP-858)."""
    placed = [each for each in rules.image.partitions_on(broker_id) if each[2].directory_of(broker_id) in lost]
    return broker_leaves(rules, broker_id, placed)

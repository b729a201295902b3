"""A leader for a partition after an outage, when no member of its ISR was left (KIP-966, unclean recovery).

Two kinds of partitions wait here, both without a leader:
- some of the ISR are back with all that they had. Any of them may lead. The others of the ISR are waited for a while,
  and whoever has the most leads: should one of them be mistaken about itself, it does not take the others along;
- ISR and ELR are empty, as all of them crashed. The whole last known ELR is waited for, without an end, for the one
  that is not there may be the only one that lost nothing; other replicas, which may have more than a damaged one, for a
  while.

Where their logs end is not on record: the driver asks those that are up (`pending_elections`), and brings the answers
back. An answer counts for the run of the broker that gave it; where one started again, came or went meanwhile, all are
asked anew, for what is left of the answers may be that of a replica that lost something.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import NO_LEADER, Partition
from riacho.metadata.partitions.leadership import Election, LeadershipRules, LogEnd
from riacho.metadata.partitions.partition_change import PartitionChange


class PendingElection(NamedTuple):
    """A partition that could have a leader, were the log ends of these brokers known."""

    topic: str
    partition_id: int
    # Replicas that are up.
    present: tuple[int, ...]
    # Nobody is left to wait for.
    is_complete: bool

    @property
    def key(self) -> tuple[str, int]:
        return self.topic, self.partition_id


class Asked(NamedTuple):
    """What one run of a broker reported of its logs."""

    broker_epoch: int
    log_ends: Mapping[tuple[str, int], LogEnd]


def pending_elections(rules: LeadershipRules) -> list[PendingElection]:
    found: list[PendingElection] = []
    if not rules.is_elr_enabled:
        return found
    for topic, partition_id, partition in rules.image.all_partitions():
        if partition.leader != NO_LEADER:
            continue
        present = _present(rules, partition)
        if len(partition.isr) > 1:
            is_possible = not set(partition.isr).isdisjoint(present)
            waits_for: Collection[int] = partition.isr
        else:
            is_possible = _may_recover(partition) and set(partition.last_known_elr) <= set(present)
            waits_for = partition.replicas
        if is_possible:
            found.append(PendingElection(topic.name, partition_id, present, set(waits_for) <= set(present)))
    return found


def decide_recover(
    rules: LeadershipRules, partitions: Collection[PendingElection], answers: Mapping[int, Asked]
) -> list[MetadataRecord]:
    """Leaders for these partitions, so far as the answers allow."""
    current = {
        id: asked.log_ends
        for id, asked in answers.items()
        if id in rules.image.brokers and rules.image.brokers[id].epoch == asked.broker_epoch
    }
    records: list[MetadataRecord] = []
    for waiting in partitions:
        topic = rules.image.topics.get(waiting.topic)
        if topic is None or topic.partitions[waiting.partition_id].leader != NO_LEADER:
            continue
        partition = topic.partitions[waiting.partition_id]
        if _present(rules, partition) != waiting.present or any(
            id in answers and id not in current for id in waiting.present
        ):
            continue
        change = PartitionChange(rules, topic, waiting.partition_id)
        change.election = Election.ONLINE
        reported = {id: log_ends[waiting.key] for id, log_ends in current.items() if waiting.key in log_ends}
        change.log_ends = _comparable(partition, reported)
        if len(partition.isr) > 1:
            change.isr = _fullest(_present(rules, partition), partition.isr, change.log_ends)
        record = change.record()
        if record is not None and record.leader >= 0:
            records.append(record)
    return records


def _comparable(partition: Partition, reported: Mapping[int, LogEnd]) -> Mapping[int, LogEnd]:
    """The log ends that can be told from each other. Apache Kafka's brokers tell the partition's epoch in place of
    their last record's, which is always lower while nobody leads. Then ends alone are compared, among those that were
    in sync: they had the same records, and differ by what they lost and what was not acknowledged."""
    if all(end.leader_epoch < partition.leader_epoch for end in reported.values()):
        return reported
    in_sync = {*partition.isr, *partition.last_known_elr}
    return {id: LogEnd(0, end.end_offset) for id, end in reported.items() if id in in_sync}


def _fullest(present: Collection[int], isr: Sequence[int], log_ends: Mapping[int, LogEnd]) -> Sequence[int]:
    """Those of the ISR that have the most. Who has less may just not have fetched the last records, which were then
    not acknowledged; it joins again when it has them."""
    reported = [id for id in isr if id in present and id in log_ends]
    most = max((log_ends[id] for id in reported), default=None)
    return tuple(id for id in reported if log_ends[id] == most) or isr


def _may_recover(partition: Partition) -> bool:
    return bool(partition.last_known_elr) and not partition.isr and not partition.eligible_leader_replicas


def _present(rules: LeadershipRules, partition: Partition) -> tuple[int, ...]:
    brokers = rules.image.brokers
    return tuple(id for id in partition.replicas if id in brokers and brokers[id].is_active)

"""A leader asks for another ISR (AlterPartition, KIP-497), v2-3.

v3 names the epoch of each broker in the ISR (KIP-903): a follower that restarted since it caught up is not let in.
What the leader asks for must fit what is on record: a lower leader or partition epoch than ours means that the leader
is out of date, a higher one that we are. The answer has the partition as it is then, which may be more than was asked
for: the new ISR can complete a reassignment, and that can even move the leadership.

A leader may leave itself out, when it has no room for records: another one of that ISR leads then. Apache Kafka's
controllers refuse that with INVALID_REQUEST.
"""

from __future__ import annotations

from collections.abc import Sequence

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import RECOVERED, RECOVERING, Partition, Topic
from riacho.metadata.partitions.leadership import LeadershipRules
from riacho.metadata.partitions.partition_change import PartitionChange
from riacho.wire.messages import alter_partition_response as response
from riacho.wire.messages.alter_partition_request import AlterPartitionRequest, BrokerState, PartitionData

_EPOCHS_VERSION = 3
_ANY_EPOCH = -1


def decide_alter_partition(
    rules: LeadershipRules, request: AlterPartitionRequest, version: int
) -> Decision[MetadataRecord, response.AlterPartitionResponse]:
    rules.image.check_broker_epoch(request.broker_id, request.broker_epoch)
    records: list[MetadataRecord] = []
    topics = []
    seen: set[tuple[bytes, int]] = set()
    for asked in request.topics:
        topic = rules.image.topics_by_id.get(asked.topic_id)
        results = []
        for partition in asked.partitions:
            place = (asked.topic_id, partition.partition_index)
            if topic is None:
                result = _refused(partition, ErrorCode.UNKNOWN_TOPIC_ID)
            elif place in seen:
                # A second change would be decided on the partition as it was before the first.
                result = _refused(partition, ErrorCode.INVALID_REQUEST)
            else:
                result = _alter(rules, request.broker_id, topic, partition, version, records)
            seen.add(place)
            results.append(result)
        topics.append(response.TopicData(topic_id=asked.topic_id, partitions=results))
    return Decision(reply=response.AlterPartitionResponse(topics=topics), records=records)


def _alter(
    rules: LeadershipRules,
    broker_id: int,
    topic: Topic,
    asked: PartitionData,
    version: int,
    records: list[MetadataRecord],
) -> response.PartitionData:
    if not 0 <= asked.partition_index < len(topic.partitions):
        return _refused(asked, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    partition = topic.partitions[asked.partition_index]
    members = _members(asked, version)
    error = _problem(rules.image, partition, broker_id, asked, members)
    if error is not None:
        return _refused(asked, error)
    change = PartitionChange(rules, topic, asked.partition_index)
    change.isr = tuple(member.broker_id for member in members)
    change.leader_recovery_state = asked.leader_recovery_state
    is_leaving = broker_id not in change.isr
    record = change.record()
    if record is not None:
        partition = partition.changed_by(record)
        if is_leaving and partition.leader not in change.isr:
            # None of those may lead, for their directories are out of service, say.
            return _refused(asked, ErrorCode.INELIGIBLE_REPLICA)
        records.append(record)
        if partition.leader != broker_id:
            return _refused(asked, ErrorCode.NEW_LEADER_ELECTED)
    return response.PartitionData(
        partition_index=asked.partition_index,
        leader_id=partition.leader,
        leader_epoch=partition.leader_epoch,
        isr=list(partition.isr),
        leader_recovery_state=partition.leader_recovery_state,
        partition_epoch=partition.partition_epoch,
    )


def _members(asked: PartitionData, version: int) -> Sequence[BrokerState]:
    if version >= _EPOCHS_VERSION:
        return asked.new_isr_with_epochs
    return [BrokerState(broker_id=broker_id, broker_epoch=_ANY_EPOCH) for broker_id in asked.new_isr]


def _problem(
    image: MetadataImage, partition: Partition, broker_id: int, asked: PartitionData, members: Sequence[BrokerState]
) -> ErrorCode | None:
    isr = [member.broker_id for member in members]
    if asked.leader_epoch > partition.leader_epoch or asked.partition_epoch > partition.partition_epoch:
        # The leader knows more than this controller: another one must have been elected.
        return ErrorCode.NOT_CONTROLLER
    if asked.leader_epoch < partition.leader_epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if broker_id != partition.leader:
        return ErrorCode.INVALID_REQUEST
    if asked.partition_epoch < partition.partition_epoch:
        return ErrorCode.INVALID_UPDATE_VERSION
    if len(set(isr)) != len(isr) or not set(isr) <= set(partition.replicas):
        return ErrorCode.INVALID_REQUEST
    if partition.leader not in isr and (not isr or not set(isr) < set(partition.isr)):
        return ErrorCode.INVALID_REQUEST
    if asked.leader_recovery_state not in (RECOVERED, RECOVERING):
        return ErrorCode.INVALID_REQUEST
    if asked.leader_recovery_state == RECOVERING and (len(isr) > 1 or partition.leader_recovery_state != RECOVERING):
        return ErrorCode.INVALID_REQUEST
    if not all(_is_eligible(image, member) for member in members):
        return ErrorCode.INELIGIBLE_REPLICA
    return None


def _is_eligible(image: MetadataImage, member: BrokerState) -> bool:
    """Only a broker that is up, and is the one that caught up, can be in an ISR (KIP-841, KIP-903)."""
    broker = image.brokers.get(member.broker_id)
    if broker is None or not broker.is_active:
        return False
    return member.broker_epoch in (_ANY_EPOCH, broker.epoch)


def _refused(asked: PartitionData, error: ErrorCode) -> response.PartitionData:
    return response.PartitionData(partition_index=asked.partition_index, error_code=error)

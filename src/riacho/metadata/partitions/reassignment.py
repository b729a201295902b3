"""Moving replicas (AlterPartitionReassignments, ListPartitionReassignments; KIP-455).

A reassignment first adds the new replicas to the old ones; when all new ones are in sync the old ones go
(`PartitionChange`). One that is under way can be replaced by another, or cancelled, which drops the replicas that it
was adding. Without `allow_replication_factor_change` (v1, KIP-860) the number of replicas must stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import Partition, Topic
from riacho.metadata.partitions.leadership import Election, LeadershipRules
from riacho.metadata.partitions.partition_change import PartitionChange
from riacho.metadata.partitions.placement import check_manual
from riacho.wire.messages import alter_partition_reassignments_response as alter_response
from riacho.wire.messages import list_partition_reassignments_response as list_response
from riacho.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
)
from riacho.wire.messages.list_partition_reassignments_request import ListPartitionReassignmentsRequest
from riacho.wire.messages.partition_change_record import PartitionChangeRecord


def decide_alter_reassignments(
    rules: LeadershipRules, request: AlterPartitionReassignmentsRequest
) -> Decision[MetadataRecord, alter_response.AlterPartitionReassignmentsResponse]:
    count = Counter((topic.name, p.partition_index) for topic in request.topics for p in topic.partitions)
    may_change_factor = request.allow_replication_factor_change
    records: list[MetadataRecord] = []
    responses = []
    for topic in request.topics:
        results = []
        for asked in topic.partitions:
            result = alter_response.ReassignablePartitionResponse(
                partition_index=asked.partition_index, error_message=None
            )
            try:
                if count[topic.name, asked.partition_index] > 1:
                    raise KafkaError(ErrorCode.INVALID_REQUEST, "Duplicate partition in the request.")
                record = _reassign(rules, topic.name, asked, may_change_factor)
                if record is not None:
                    records.append(record)
            except KafkaError as error:
                result.error_code, result.error_message = error.code, error.detail or None
            results.append(result)
        responses.append(alter_response.ReassignableTopicResponse(name=topic.name, partitions=results))
    reply = alter_response.AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=may_change_factor, error_message=None, responses=responses
    )
    return Decision(reply=reply, records=records)


def _reassign(
    rules: LeadershipRules, name: str, asked: ReassignablePartition, may_change_factor: bool
) -> PartitionChangeRecord | None:
    topic = rules.image.topics.get(name)
    if topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Unable to find a topic named {name}.")
    if not 0 <= asked.partition_index < len(topic.partitions):
        problem = f"Unable to find partition {name}:{asked.partition_index}."
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, problem)
    partition = topic.partitions[asked.partition_index]
    if asked.replicas is None:
        return _cancel(rules, topic, asked.partition_index, partition)
    check_manual(asked.replicas, None, rules.image.brokers)
    if not may_change_factor:
        _check_factor(partition, asked.replicas)
    change = PartitionChange(rules, topic, asked.partition_index)
    change.election = Election.ONLINE
    change.adding = tuple(sorted(set(asked.replicas) - set(partition.replicas)))
    change.removing = tuple(sorted(set(partition.replicas) - set(asked.replicas)))
    change.replicas = (*asked.replicas, *change.removing)
    return change.record()


def _cancel(
    rules: LeadershipRules, topic: Topic, partition_id: int, partition: Partition
) -> PartitionChangeRecord | None:
    if not partition.is_reassigning:
        raise KafkaError(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "No partition reassignment is in progress.")
    change = PartitionChange(rules, topic, partition_id)
    adding = partition.adding_replicas
    change.replicas = tuple(replica for replica in partition.replicas if replica not in adding)
    change.isr = tuple(replica for replica in partition.isr if replica not in adding)
    change.adding = change.removing = ()
    if change.isr or not partition.isr:
        change.election = Election.ONLINE
    elif rules.election(topic) is not Election.UNCLEAN:
        raise KafkaError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"Unable to revert partition assignment for {topic.name}:{partition_id} because it would require an "
            "unclean leader election.",
        )
    return change.record()


def _check_factor(partition: Partition, replicas: Sequence[int]) -> None:
    """Against what a reassignment under way will come to."""
    present = len({*partition.replicas, *partition.adding_replicas} - set(partition.removing_replicas))
    if present != len(replicas):
        problem = f"The replication factor is changed from {present} to {len(replicas)}"
        raise KafkaError(ErrorCode.INVALID_REPLICATION_FACTOR, problem)


def list_reassignments(
    image: MetadataImage, request: ListPartitionReassignmentsRequest
) -> list_response.ListPartitionReassignmentsResponse:
    """Of all topics, or of the partitions that are asked for; those that do not exist are left out."""
    asked: list[tuple[Topic, Sequence[int]]]
    if request.topics is None:
        asked = [(topic, range(len(topic.partitions))) for topic in image.topics.values()]
    else:
        named = [(image.topics.get(topic.name), topic.partition_indexes) for topic in request.topics]
        asked = [(topic, indexes) for topic, indexes in named if topic is not None]
    topics = []
    for topic, indexes in asked:
        ongoing = [
            list_response.OngoingPartitionReassignment(
                partition_index=index,
                replicas=list(topic.partitions[index].replicas),
                adding_replicas=list(topic.partitions[index].adding_replicas),
                removing_replicas=list(topic.partitions[index].removing_replicas),
            )
            for index in indexes
            if 0 <= index < len(topic.partitions) and topic.partitions[index].is_reassigning
        ]
        if ongoing:
            topics.append(list_response.OngoingTopicReassignment(name=topic.name, partitions=ongoing))
    return list_response.ListPartitionReassignmentsResponse(error_message=None, topics=topics)

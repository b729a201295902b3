"""Partitions: how a new one starts, and adding some to a topic (CreatePartitions, KIP-195)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.directories import default_directory
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import Topic
from riacho.metadata.partitions.mutation_quota import RecordMutations
from riacho.metadata.partitions.placement import check_manual, place
from riacho.wire.messages.create_partitions_request import CreatePartitionsRequest, CreatePartitionsTopic
from riacho.wire.messages.create_partitions_response import CreatePartitionsResponse, CreatePartitionsTopicResult
from riacho.wire.messages.partition_record import PartitionRecord

_PARTITIONS_MAX_PER_REQUEST = 10_000


def new_partition(image: MetadataImage, topic_id: bytes, partition_id: int, replicas: Sequence[int]) -> PartitionRecord:
    """In sync are the replicas whose brokers are up; the first of them leads."""
    isr = [replica for replica in replicas if image.brokers[replica].is_active]
    if not isr:
        raise KafkaError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"All brokers specified in the manual partition assignment for partition {partition_id} are fenced or in "
            "controlled shutdown.",
        )
    return PartitionRecord(
        partition_id=partition_id,
        topic_id=topic_id,
        replicas=list(replicas),
        isr=isr,
        leader=isr[0],
        leader_epoch=0,
        partition_epoch=0,
        directories=[default_directory(image.brokers[replica].log_dirs) for replica in replicas],
    )


def decide_create_partitions(
    image: MetadataImage,
    request: CreatePartitionsRequest,
    start: int = 0,
    mutations: RecordMutations | None = None,
) -> Decision[MetadataRecord, CreatePartitionsResponse]:
    count = Counter(topic.name for topic in request.topics)
    records: list[MetadataRecord] = []
    results = []
    for asked in {topic.name: topic for topic in request.topics}.values():
        result = CreatePartitionsTopicResult(name=asked.name)
        try:
            if count[asked.name] > 1:
                raise KafkaError(ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
            added = _added(image, asked, start)
            if mutations is not None:
                mutations(len(added))
            records += added
        except KafkaError as error:
            result.error_code = error.code
            result.error_message = error.detail or None
        results.append(result)
    if request.validate_only:
        records = []
    return Decision(reply=CreatePartitionsResponse(results=results), records=records)


def _added(image: MetadataImage, asked: CreatePartitionsTopic, start: int) -> list[MetadataRecord]:
    topic = image.topics.get(asked.name)
    if topic is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    present = len(topic.partitions)
    if asked.count == present:
        raise KafkaError(ErrorCode.INVALID_PARTITIONS, f"Topic already has {present} partition(s).")
    if asked.count < present:
        problem = (
            f"The topic {asked.name} currently has {present} partition(s); {asked.count} would not be an increase."
        )
        raise KafkaError(ErrorCode.INVALID_PARTITIONS, problem)
    missing = asked.count - present
    if missing > _PARTITIONS_MAX_PER_REQUEST:
        problem = "Excessively large number of partitions per request."
        raise KafkaError(ErrorCode.POLICY_VIOLATION, problem)
    factor = len(topic.partitions[0].replicas)
    if asked.assignments is None:
        added = place(list(image.brokers.values()), missing, factor, start + present)
    else:
        added = [assignment.broker_ids for assignment in asked.assignments]
        _check_added(image, topic, missing, added)
    return [new_partition(image, topic.id, present + index, replicas) for index, replicas in enumerate(added)]


def _check_added(image: MetadataImage, topic: Topic, missing: int, added: list[list[int]]) -> None:
    if len(added) != missing:
        raise KafkaError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"Attempted to add {missing} additional partition(s), but only {len(added)} assignment(s) were specified.",
        )
    for replicas in added:
        check_manual(replicas, len(topic.partitions[0].replicas), image.brokers)

"""A broker tells in which of its log directories it put its replicas (AssignReplicasToDirs, KIP-858)."""

from __future__ import annotations

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode
from riacho.metadata.image.brokers import Broker
from riacho.metadata.image.directories import is_online
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.partitions.leadership import LeadershipRules
from riacho.metadata.partitions.partition_change import PartitionChange
from riacho.wire.messages import assign_replicas_to_dirs_response as response
from riacho.wire.messages.assign_replicas_to_dirs_request import AssignReplicasToDirsRequest


def decide_assign_replicas_to_dirs(
    rules: LeadershipRules, request: AssignReplicasToDirsRequest
) -> Decision[MetadataRecord, response.AssignReplicasToDirsResponse]:
    broker = rules.image.check_broker_epoch(request.broker_id, request.broker_epoch)
    records: list[MetadataRecord] = []
    seen: set[tuple[bytes, int]] = set()
    directories = []
    for directory in request.directories:
        topics = []
        for topic in directory.topics:
            partitions = []
            for asked in topic.partitions:
                place = (topic.topic_id, asked.partition_index)
                error = ErrorCode.INVALID_REQUEST
                # Of two directories for one replica the first counts: the second would be decided on a stale image.
                if place not in seen:
                    error = _assign(rules, broker, directory.id, *place, records)
                seen.add(place)
                partitions.append(response.PartitionData(partition_index=asked.partition_index, error_code=error))
            topics.append(response.TopicData(topic_id=topic.topic_id, partitions=partitions))
        directories.append(response.DirectoryData(id=directory.id, topics=topics))
    return Decision(reply=response.AssignReplicasToDirsResponse(directories=directories), records=records)


def _assign(
    rules: LeadershipRules,
    broker: Broker,
    directory: bytes,
    topic_id: bytes,
    partition_id: int,
    records: list[MetadataRecord],
) -> ErrorCode:
    topic = rules.image.topics_by_id.get(topic_id)
    if topic is None:
        return ErrorCode.UNKNOWN_TOPIC_ID
    if not 0 <= partition_id < len(topic.partitions):
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    partition = topic.partitions[partition_id]
    if broker.id not in partition.replicas:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    change = PartitionChange(rules, topic, partition_id)
    change.place(broker.id, directory)
    if not is_online(directory, broker.log_dirs):
        # The directory failed before the word came that the replica is in it.
        change.isr = tuple(replica for replica in partition.isr if replica != broker.id)
        change.leaving = broker.id
    record = change.record()
    if record is not None:
        records.append(record)
    return ErrorCode.NONE

"""AlterReplicaLogDirs, v1-2: move replicas of this broker to other directories of it (KIP-113).

The answer says that the move has begun; DescribeLogDirs shows how far it is. A replica that is not here yet is refused
with REPLICA_NOT_AVAILABLE and made in that directory when it comes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.security.operations import AclOperation
from riacho.wire.messages.alter_replica_log_dirs_response import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest


def handle(ctx: BrokerRequestContext, request: AlterReplicaLogDirsRequest) -> AlterReplicaLogDirsResponse:
    ctx.check_cluster(AclOperation.ALTER)
    topics: dict[str, list[AlterReplicaLogDirPartitionResult]] = {}
    for directory in request.dirs:
        for topic in directory.topics:
            results = topics.setdefault(topic.name, [])
            for index in topic.partitions:
                code = _move(ctx, topic.name, index, directory.path)
                results.append(AlterReplicaLogDirPartitionResult(partition_index=index, error_code=code))
    return AlterReplicaLogDirsResponse(
        results=[
            AlterReplicaLogDirTopicResult(topic_name=name, partitions=partitions) for name, partitions in topics.items()
        ]
    )


def _move(ctx: BrokerRequestContext, topic: str, index: int, path: str) -> ErrorCode:
    try:
        if not os.path.isabs(path):
            raise KafkaError(ErrorCode.LOG_DIR_NOT_FOUND, "the path of a log directory is absolute")
        ctx.hosting.replica_moves.move(topic, index, os.path.abspath(path))
    except KafkaError as error:
        return error.code
    return ErrorCode.NONE

"""DescribeLogDirs, v1-5: what each data directory holds. Null topics asks for all. v4: the volume's sizes (KIP-827).

A directory out of service is listed with an error and nothing else. A replica on its way to another directory is listed
there too, as its future replica, with the records that it lacks.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.security.operations import AclOperation
from riacho.wire.messages.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.log.log import Log
    from riacho.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest


def handle(ctx: BrokerRequestContext, request: DescribeLogDirsRequest) -> DescribeLogDirsResponse:
    if not ctx.allows_cluster(AclOperation.DESCRIBE):
        return DescribeLogDirsResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    asked = None
    if request.topics is not None:
        asked = {(topic.topic, index) for topic in request.topics for index in topic.partitions}
    by_directory: dict[str, dict[str, list[DescribeLogDirsPartition]]] = {
        directory: {} for directory in ctx.hosting.replicas.directories()
    }
    for hosted in ctx.hosting.replicas.all():
        if asked is None or (hosted.topic, hosted.index) in asked:
            topics = by_directory.setdefault(os.path.dirname(hosted.log.directory), {})
            topics.setdefault(hosted.topic, []).append(_describe(hosted))
    for (topic, index), future in ctx.quorum.directories.futures.items():
        current = ctx.hosting.replicas.known(topic, index)
        if current is not None and (asked is None or (topic, index) in asked):
            topics = by_directory.setdefault(os.path.dirname(future.directory), {})
            topics.setdefault(topic, []).append(_describe_future(current, future))
    results = [_result(directory, topics) for directory, topics in by_directory.items()]
    for directory in ctx.hosting.replicas.offline_directories():
        results.append(DescribeLogDirsResult(error_code=ErrorCode.KAFKA_STORAGE_ERROR, log_dir=directory))
    return DescribeLogDirsResponse(results=results)


def _describe(hosted: HostedPartition) -> DescribeLogDirsPartition:
    log = hosted.log
    return DescribeLogDirsPartition(
        partition_index=hosted.index,
        partition_size=log.size_bytes,
        offset_lag=max(0, log.high_watermark - log.log_end_offset),
        is_future_key=False,
    )


def _describe_future(hosted: HostedPartition, future: Log) -> DescribeLogDirsPartition:
    return DescribeLogDirsPartition(
        partition_index=hosted.index,
        partition_size=future.size_bytes,
        offset_lag=max(0, hosted.log.log_end_offset - future.log_end_offset),
        is_future_key=True,
    )


def _result(directory: str, topics: dict[str, list[DescribeLogDirsPartition]]) -> DescribeLogDirsResult:
    try:
        volume = os.statvfs(directory)
    except OSError:
        # It is gone, and the next write will find out.
        return DescribeLogDirsResult(error_code=ErrorCode.KAFKA_STORAGE_ERROR, log_dir=directory)
    return DescribeLogDirsResult(
        log_dir=directory,
        topics=[DescribeLogDirsTopic(name=name, partitions=partitions) for name, partitions in topics.items()],
        total_bytes=volume.f_frsize * volume.f_blocks,
        usable_bytes=volume.f_frsize * volume.f_bavail,
    )

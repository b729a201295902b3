"""Ends of transactions as this broker's partitions take them: a control batch each, as with acks=all.

On a partition of the offsets topic the marker also tells the group coordinator which offsets count from now on. It has
to get them in the order of the log, so its shard must be loaded before the marker is written.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.coordinators.coordinator_epochs import CoordinatorEpochs
from riacho.broker.partitions import coordinator_log
from riacho.log.markers import build_marker
from riacho.metadata.image.topic_names import CONSUMER_OFFSETS
from riacho.wire.batch import read_header
from riacho.wire.messages.write_txn_markers_response import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
)

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.coordinators.group_runtime import GroupRuntime
    from riacho.broker.logs import Logs
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.wire.messages.write_txn_markers_request import WritableTxnMarker

_TIMEOUT_S = 30.0
# What a coordinator says of its shard, in words for whoever looks for a leader.
_AS_LEADER = frozenset(
    {ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.NOT_COORDINATOR}
)

_Awaited = list[tuple["HostedPartition", int, WritableTxnMarkerPartitionResult]]


class MarkerWriter:
    def __init__(
        self, replicas: Replicas, groups: GroupRuntime, metadata: MetadataCache, clock: Clock, logs: Logs
    ) -> None:
        self._replicas = replicas
        self._groups = groups
        self._metadata = metadata
        self._clock = clock
        self._logs = logs

    async def write(self, markers: list[WritableTxnMarker]) -> list[WritableTxnMarkerResult]:
        """Write all of them, then wait until they are committed."""
        awaited: _Awaited = []
        epochs = CoordinatorEpochs(self._metadata.image, self._logs)
        results = [self._write_marker(marker, epochs, awaited) for marker in markers]
        if awaited:
            await asyncio.gather(*(_commit(*each) for each in awaited))
        return results

    def _write_marker(
        self, marker: WritableTxnMarker, epochs: CoordinatorEpochs, awaited: _Awaited
    ) -> WritableTxnMarkerResult:
        topics = []
        for topic in marker.topics:
            partitions = []
            for index in topic.partition_indexes:
                result = WritableTxnMarkerPartitionResult(partition_index=index)
                try:
                    hosted = self._replicas.find(topic.name, index)
                    offset = self._append(hosted, marker, epochs)
                    if offset >= hosted.log.high_watermark:
                        awaited.append((hosted, offset, result))
                except KafkaError as error:
                    result.error_code = _response_code(error.code)
                partitions.append(result)
            topics.append(WritableTxnMarkerTopicResult(name=topic.name, partitions=partitions))
        return WritableTxnMarkerResult(producer_id=marker.producer_id, topics=topics)

    def _append(self, hosted: HostedPartition, marker: WritableTxnMarker, epochs: CoordinatorEpochs) -> int:
        """The marker's offset."""
        hosted.check_leader()
        hosted.check_enough_replicas()
        producers = hosted.log.producer_state.producers
        producers.check_marker(
            marker.producer_id, marker.coordinator_epoch, marker.producer_epoch, marker.transaction_version
        )
        epochs.check(producers.get(marker.producer_id), marker.coordinator_epoch)
        shard = self._groups.loaded_shard(hosted.index) if hosted.topic == CONSUMER_OFFSETS else None
        now_ms = self._clock.now_ms()
        batch = build_marker(
            marker.producer_id,
            marker.producer_epoch,
            aborted=not marker.transaction_result,
            coordinator_epoch=marker.coordinator_epoch,
            timestamp_ms=now_ms,
        )
        offset = hosted.log.append(batch, read_header(batch), hosted.leader_epoch, now_ms).last_offset
        hosted.advance()
        if shard is not None:
            shard.transaction_ended(offset, marker.producer_id, committed=marker.transaction_result)
        return offset


async def _commit(hosted: HostedPartition, offset: int, result: WritableTxnMarkerPartitionResult) -> None:
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            await coordinator_log.committed(hosted, offset)
    except TimeoutError:
        result.error_code = ErrorCode.REQUEST_TIMED_OUT
    except KafkaError as error:
        result.error_code = _response_code(error.code)


def _response_code(code: ErrorCode) -> ErrorCode:
    return ErrorCode.NOT_LEADER_OR_FOLLOWER if code in _AS_LEADER else code

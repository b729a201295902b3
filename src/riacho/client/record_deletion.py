"""Moving the start of partitions up to an offset (DeleteRecords, KIP-107)."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.base.errors import ErrorCode
from riacho.client.cluster import Cluster, error_of
from riacho.client.offsets import TopicPartition, by_leader, group_by_topic
from riacho.wire.messages.delete_records_request import DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic
from riacho.wire.messages.delete_records_response import DeleteRecordsResponse

# Up to the high watermark.
ALL = -1


def delete_records(cluster: Cluster, offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | ErrorCode]:
    """Where each partition begins now, or why it did not move."""
    return cluster.retry(lambda: _delete(cluster, offsets))


def _delete(cluster: Cluster, offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | ErrorCode]:
    led, failed = by_leader(cluster, offsets)
    outcomes: dict[TopicPartition, int | ErrorCode] = dict.fromkeys(offsets, ErrorCode.UNKNOWN_SERVER_ERROR)
    outcomes |= failed
    for leader_id, partitions in led.items():
        request = DeleteRecordsRequest(
            topics=group_by_topic(
                partitions,
                lambda name, indexes: DeleteRecordsTopic(
                    name=name,
                    partitions=[DeleteRecordsPartition(partition_index=i, offset=offsets[name, i]) for i in indexes],
                ),
            ),
            timeout_ms=cluster.settings.request_timeout_ms,
        )
        for topic in cluster.ask(request, DeleteRecordsResponse, cluster.broker(leader_id)).topics:
            for p in topic.partitions:
                outcomes[topic.name, p.partition_index] = error_of(p.error_code) if p.error_code else p.low_watermark
    return outcomes

"""WriteTxnMarkers, v1-2: a transaction coordinator ends transactions on the partitions led here (KIP-98).

v2: the transaction version, which distinguishes a late marker from a repeated one (KIP-1228).
Answered when the markers are committed, as with acks=all. `kafka-transactions abort` sends it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.security.operations import AclOperation
from riacho.wire.messages.write_txn_markers_response import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.write_txn_markers_request import WriteTxnMarkersRequest


async def handle(ctx: BrokerRequestContext, request: WriteTxnMarkersRequest) -> WriteTxnMarkersResponse:
    if not (ctx.allows_cluster(AclOperation.ALTER, False) or ctx.allows_cluster(AclOperation.CLUSTER_ACTION)):
        return _refused(request, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    return WriteTxnMarkersResponse(markers=await ctx.coordinators.marker_writer.write(request.markers))


def _refused(request: WriteTxnMarkersRequest, code: ErrorCode) -> WriteTxnMarkersResponse:
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(
                producer_id=marker.producer_id,
                topics=[
                    WritableTxnMarkerTopicResult(
                        name=topic.name,
                        partitions=[
                            WritableTxnMarkerPartitionResult(partition_index=index, error_code=code)
                            for index in topic.partition_indexes
                        ],
                    )
                    for topic in marker.topics
                ],
            )
            for marker in request.markers
        ]
    )

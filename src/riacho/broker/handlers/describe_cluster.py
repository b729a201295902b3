"""DescribeCluster, v0-2 (KIP-700): the brokers, reached by the listener that the request came in on.

v1: the kind of endpoint that is asked for (KIP-919); this is a broker's. v2: fenced brokers as well (KIP-1073).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker import authorized_operations
from riacho.wire.messages.describe_cluster_request import DescribeClusterRequest
from riacho.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext

_BROKERS = 1
_CONTROLLERS = 2


def handle(ctx: RequestContext, request: DescribeClusterRequest) -> DescribeClusterResponse:
    if request.endpoint_type == _CONTROLLERS:
        problem = "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER"
        return DescribeClusterResponse(error_code=ErrorCode.MISMATCHED_ENDPOINT_TYPE, error_message=problem)
    if request.endpoint_type != _BROKERS:
        problem = f"Unsupported endpoint type {request.endpoint_type}"
        return DescribeClusterResponse(error_code=ErrorCode.UNSUPPORTED_ENDPOINT_TYPE, error_message=problem)
    return DescribeClusterResponse(
        cluster_id=ctx.broker.metadata.image.cluster_id,
        controller_id=ctx.broker.node_id,
        brokers=_brokers(ctx, request.include_fenced_brokers),
        cluster_authorized_operations=(
            authorized_operations.CLUSTER
            if request.include_cluster_authorized_operations
            else authorized_operations.NOT_ASKED
        ),
    )


def _brokers(ctx: RequestContext, include_fenced: bool) -> list[DescribeClusterBroker]:
    found = []
    for broker in ctx.broker.metadata.image.brokers.values():
        try:
            host, port = ctx.broker.endpoint_of(broker.id, ctx.listener_name)
        except KafkaError:
            continue
        if include_fenced or not broker.is_fenced:
            found.append(
                DescribeClusterBroker(
                    broker_id=broker.id, host=host, port=port, rack=broker.rack, is_fenced=broker.is_fenced
                )
            )
    return found

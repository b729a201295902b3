"""DescribeCluster, v0-2 (KIP-700): the brokers, reached by the listener that the request came in on.

v1: the kind of endpoint that is asked for (KIP-919): brokers here, controllers on a controller's listener. v2: fenced
brokers as well (KIP-1073).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker import authorized_operations
from riacho.security.operations import AclOperation
from riacho.wire.messages.describe_cluster_request import DescribeClusterRequest
from riacho.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext

_BROKERS = 1
_CONTROLLERS = 2


def handle(ctx: RequestContext, request: DescribeClusterRequest) -> DescribeClusterResponse:
    here = _CONTROLLERS if ctx.is_for_controllers else _BROKERS
    if here == _CONTROLLERS:
        # More than brokers ask for: it tells how to reach the quorum.
        ctx.check_cluster(AclOperation.ALTER)
    if request.endpoint_type not in (_BROKERS, _CONTROLLERS):
        problem = f"Unsupported endpoint type {request.endpoint_type}"
        return DescribeClusterResponse(error_code=ErrorCode.UNSUPPORTED_ENDPOINT_TYPE, error_message=problem)
    if request.endpoint_type != here:
        kinds = {_BROKERS: "BROKER", _CONTROLLERS: "CONTROLLER"}
        problem = f"The request was sent to an endpoint of type {kinds[here]}, but we wanted an endpoint of type "
        problem += kinds[request.endpoint_type]
        return DescribeClusterResponse(error_code=ErrorCode.MISMATCHED_ENDPOINT_TYPE, error_message=problem)
    image = ctx.broker.metadata.image
    return DescribeClusterResponse(
        cluster_id=image.cluster_id,
        endpoint_type=here,
        controller_id=ctx.broker.raft.leader_id if here == _CONTROLLERS else ctx.broker.some_live_broker(),
        brokers=_controllers(ctx) if here == _CONTROLLERS else _brokers(ctx, request.include_fenced_brokers),
        cluster_authorized_operations=(
            authorized_operations.cluster_operations(ctx)
            if request.include_cluster_authorized_operations
            else authorized_operations.NOT_ASKED
        ),
    )


def _controllers(ctx: RequestContext) -> list[DescribeClusterBroker]:
    return [
        DescribeClusterBroker(broker_id=controller_id, host=endpoint.host, port=endpoint.port)
        for controller_id, controller in ctx.broker.metadata.image.controllers.items()
        for endpoint in controller.end_points[:1]
    ]


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

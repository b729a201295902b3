"""DescribeCluster, v0-2 (KIP-700): the brokers, reached by the listener that the request came in on.

v1: the kind of endpoint that is asked for (KIP-919): brokers here, controllers on a controller's listener. v2: fenced
brokers as well (KIP-1073).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.access import authorized_operations
from riacho.security.operations import AclOperation
from riacho.wire.messages.describe_cluster_request import DescribeClusterRequest
from riacho.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext

_BROKERS = 1
_CONTROLLERS = 2
_NOBODY = -1


def handle(ctx: QuorumRequestContext, request: DescribeClusterRequest) -> DescribeClusterResponse:
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
    nodes = _controllers(ctx) if here == _CONTROLLERS else _brokers(ctx, request.include_fenced_brokers)
    controller_id = ctx.quorum.raft.leader_id if here == _CONTROLLERS else ctx.quorum.metadata.some_live_broker()
    return DescribeClusterResponse(
        cluster_id=ctx.metadata.image.cluster_id,
        endpoint_type=here,
        # A client that gets a controller that it cannot find waits for it until it gives up.
        controller_id=controller_id if any(node.broker_id == controller_id for node in nodes) else _NOBODY,
        brokers=nodes,
        cluster_authorized_operations=(
            authorized_operations.cluster_operations(ctx)
            if request.include_cluster_authorized_operations
            else authorized_operations.NOT_ASKED
        ),
    )


def _controllers(ctx: QuorumRequestContext) -> list[DescribeClusterBroker]:
    """Those that registered, and before they do so, voters, where the quorum reaches them."""
    known = {voter.node_id: voter.endpoints for voter in ctx.quorum.raft.node.voters}
    found: dict[int, tuple[str, int]] = {
        node_id: (endpoints[0].host, endpoints[0].port) for node_id, endpoints in known.items() if endpoints
    }
    for controller_id, controller in ctx.metadata.image.controllers.items():
        same = [endpoint for endpoint in controller.end_points if endpoint.name == ctx.listener_name]
        for endpoint in (same or controller.end_points)[:1]:
            found[controller_id] = (endpoint.host, endpoint.port)
    return [
        DescribeClusterBroker(broker_id=node_id, host=host, port=port)
        for node_id, (host, port) in sorted(found.items())
    ]


def _brokers(ctx: QuorumRequestContext, include_fenced: bool) -> list[DescribeClusterBroker]:
    """Brokers in service; while there is none, the one that was asked, for it names itself as the controller."""
    brokers = ctx.metadata.image.brokers
    named = {broker.id for broker in brokers.values() if include_fenced or not broker.is_fenced}
    named = named or {ctx.quorum.metadata.some_live_broker()}
    found = []
    for broker in brokers.values():
        try:
            host, port = ctx.quorum.endpoints.of(broker.id, ctx.listener_name)
        except KafkaError:
            continue
        if broker.id in named:
            found.append(
                DescribeClusterBroker(
                    broker_id=broker.id, host=host, port=port, rack=broker.rack, is_fenced=broker.is_fenced
                )
            )
    return found

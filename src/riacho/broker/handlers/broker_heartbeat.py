"""BrokerHeartbeat, v0-2 (KIP-631): a broker lives; the controller lets it in, keeps it out, or lets it go.

v1: log directories that failed (KIP-858). v2: log directories that take no new partitions (KIP-1066).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
    from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse


def handle(ctx: QuorumRequestContext, request: BrokerHeartbeatRequest) -> Outcome[BrokerHeartbeatResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    driver = ctx.quorum.controller
    now_ms = ctx.node.clock.monotonic_ms()
    outcome = driver.submit(lambda controller: controller.heartbeat(request, driver.heartbeats, now_ms))
    connection, detector = ctx.connection, ctx.quorum.failure_detector
    if connection is not None:
        detector.heartbeat(request.broker_id, connection)
        connection.on_lost[detector] = partial(detector.connection_lost, connection)
    return outcome

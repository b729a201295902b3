"""BrokerHeartbeat, v0-2 (KIP-631): a broker lives; the controller lets it in, keeps it out, or lets it go.

v1: log directories that failed (KIP-858). v2: log directories that take no new partitions (KIP-1066).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.requests.later import Outcome
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
    from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse


def handle(ctx: RequestContext, request: BrokerHeartbeatRequest) -> Outcome[BrokerHeartbeatResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    broker = ctx.broker
    driver = broker.controller
    now_ms = broker.clock.monotonic_ms()
    outcome = driver.submit(lambda controller: controller.heartbeat(request, driver.heartbeats, now_ms))
    if ctx.connection is not None:
        broker.failure_detector.heartbeat(request.broker_id, ctx.connection)
    return outcome

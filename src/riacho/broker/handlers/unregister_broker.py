"""UnregisterBroker, v0 (KIP-631): forget a broker that is gone for good. One that lives is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.unregister_broker_request import UnregisterBrokerRequest
    from riacho.wire.messages.unregister_broker_response import UnregisterBrokerResponse


def handle(ctx: QuorumRequestContext, request: UnregisterBrokerRequest) -> Outcome[UnregisterBrokerResponse]:
    ctx.check_cluster(AclOperation.ALTER)
    active, now_ms = ctx.quorum.controller, ctx.node.clock.monotonic_ms()
    return active.submit(lambda controller: controller.unregister_broker(request, active.heartbeats, now_ms))

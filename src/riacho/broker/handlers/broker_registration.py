"""BrokerRegistration, v0-4 (KIP-631): a broker's run becomes known to the cluster, fenced at first.

v2: log directories (KIP-858). v3, v4: the epoch of the last clean stop, by which an unclean one is known (KIP-966).
A broker that comes back while its last run still has a session is let in when that run's connection is gone: it would
have to wait for nothing but a timeout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.broker_registration_request import BrokerRegistrationRequest
    from riacho.wire.messages.broker_registration_response import BrokerRegistrationResponse

_UNKNOWN_OFFSET = -1


def handle(ctx: QuorumRequestContext, request: BrokerRegistrationRequest) -> Outcome[BrokerRegistrationResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    version, broker_id = ctx.version, request.broker_id
    heartbeats = ctx.quorum.controller.heartbeats
    now_ms = ctx.node.clock.monotonic_ms()
    # This node's own broker beats without a connection: only itself can say that its last run is over.
    is_own = broker_id == ctx.node.config.node_id and ctx.connection is not None
    is_silent = (
        heartbeats.has_contact(broker_id) and not is_own and not ctx.quorum.failure_detector.is_connected(broker_id)
    )
    if is_silent:
        heartbeats.remove(broker_id)
    in_contact = ctx.quorum.failure_detector.in_contact()
    try:
        return ctx.quorum.controller.submit(
            lambda controller: controller.register_broker(request, version, heartbeats, now_ms, in_contact)
        )
    except KafkaError:
        if is_silent:
            # Still on record, and perhaps as up: somebody must notice when it is not.
            heartbeats.touch(broker_id, _UNKNOWN_OFFSET, now_ms)
        raise

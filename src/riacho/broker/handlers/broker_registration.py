"""BrokerRegistration, v0-4 (KIP-631): a broker's run becomes known to the cluster, fenced at first.

v2: log directories (KIP-858). v3, v4: the epoch of the last clean stop, by which an unclean one is known (KIP-966).
A broker that comes back while its last run still has a session is let in when that run's connection is gone: it would
have to wait for nothing but a timeout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.broker_registration_request import BrokerRegistrationRequest


def handle(ctx: RequestContext, request: BrokerRegistrationRequest) -> Any:
    broker, version = ctx.broker, ctx.version
    heartbeats = broker.controller.heartbeats
    if not broker.failure_detector.is_connected(request.broker_id):
        heartbeats.remove(request.broker_id)
    now_ms = broker.clock.monotonic_ms()
    return broker.controller.submit(lambda controller: controller.register_broker(request, version, heartbeats, now_ms))

"""ConsumerGroupHeartbeat, v0-1 (KIP-848): joins, stays in and leaves a consumer group, and brings the assignment.

v1: subscription by pattern, and member ids made up by the client (KIP-1082).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from riacho.base.coordination import Caller
from riacho.base.errors import ErrorCode
from riacho.broker.coordinators.consumer_protocol import is_consumer_protocol_enabled
from riacho.groups.operations import CONSUMER_GROUP_HEARTBEAT
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest


def handle(
    ctx: BrokerRequestContext, request: ConsumerGroupHeartbeatRequest
) -> Outcome[ConsumerGroupHeartbeatResponse]:
    if not is_consumer_protocol_enabled(ctx.node.config, ctx.metadata.image):
        return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    if not ctx.allows(AclOperation.READ, AclResourceType.GROUP, request.group_id):
        return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    topics = set(request.subscribed_topic_names or ())
    if ctx.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, topics) < topics:
        return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    authorizer = ctx.authorizer
    may_describe = None
    if authorizer is not None and not ctx.is_own:
        # Asked when patterns are resolved, after this request: the context itself must not be kept.
        may_describe = partial(
            authorizer.allows, ctx.principal, ctx.client_host, AclOperation.DESCRIBE, AclResourceType.TOPIC
        )
    # Java prints an address with a slash before it, and tools have come to expect that.
    caller = Caller(ctx.client_id, f"/{ctx.client_host}")
    return ctx.coordinators.groups.ask(CONSUMER_GROUP_HEARTBEAT, request, ctx.version, caller, may_describe)

"""FindCoordinator, v0-6.

v1: key types. v3: flexible. v4: several keys at once (KIP-699). v5: TRANSACTION_ABORTABLE may be answered. v6: share
groups (KIP-932). The first question for a group creates the offsets topic, that for a share-partition its state topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.security.denials import denied
from riacho.security.operations import AclOperation, AclResourceType
from riacho.shares.state_records import key_from_text, key_text
from riacho.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.find_coordinator_request import FindCoordinatorRequest

GROUP = 0
TRANSACTION = 1
SHARE = 2
_BATCHED_VERSION = 4
_KINDS = {GROUP: AclResourceType.GROUP, TRANSACTION: AclResourceType.TRANSACTIONAL_ID}
_SHARE_VERSION = 6


async def handle(ctx: BrokerRequestContext, request: FindCoordinatorRequest) -> FindCoordinatorResponse:
    if request.key_type == SHARE and ctx.version >= _SHARE_VERSION:
        # Only brokers look for these.
        ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    if ctx.version >= _BATCHED_VERSION:
        keys = request.coordinator_keys
        return FindCoordinatorResponse(coordinators=[await _find(ctx, request.key_type, key) for key in keys])
    found = await _find(ctx, request.key_type, request.key)
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=found.error_message,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _check_right(ctx: BrokerRequestContext, key_type: int, key: str) -> None:
    kind = _KINDS.get(key_type)
    if kind is not None and not ctx.allows(AclOperation.DESCRIBE, kind, key):
        raise denied(kind)


async def _find(ctx: BrokerRequestContext, key_type: int, key: str) -> Coordinator:
    try:
        node_id = await _node_of(ctx, key_type, key)
        host, port = ctx.quorum.endpoints.of(node_id, ctx.listener_name)
    except KafkaError as error:
        return Coordinator(
            key=key, node_id=-1, host="", port=-1, error_code=error.code, error_message=error.detail or error.code.name
        )
    return Coordinator(key=key, node_id=node_id, host=host, port=port, error_message=None)


async def _node_of(ctx: BrokerRequestContext, key_type: int, key: str) -> int:
    _check_right(ctx, key_type, key)
    if key_type == GROUP:
        return await ctx.coordinators.groups.coordinator_of(key)
    if key_type == TRANSACTION:
        return await ctx.coordinators.transactions.coordinator_of(key)
    if key_type == SHARE and ctx.version >= _SHARE_VERSION:
        return await ctx.coordinators.share_coordinator.coordinator_of(key_text(key_from_text(key)))
    raise KafkaError(ErrorCode.INVALID_REQUEST, f"key type {key_type} is not known to version {ctx.version}")

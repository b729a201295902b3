"""DeleteTopics, v1-6.

v6: topics by id as well as by name (KIP-516). Counts against the controller mutation quota (KIP-599).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.base.errors import KafkaError
from riacho.base.ids import ZERO_UUID
from riacho.broker.requests.later import Outcome, mapped
from riacho.security.denials import denied
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from riacho.wire.messages.delete_topics_response import DeletableTopicResult, DeleteTopicsResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext

_STATE_VERSION = 6
# From here on clients know THROTTLING_QUOTA_EXCEEDED (KIP-599).
_STRICT_VERSION = 5


def handle(ctx: QuorumRequestContext, request: DeleteTopicsRequest) -> Outcome[DeleteTopicsResponse]:
    version = ctx.version
    allowed, refused = _screened(ctx, request)
    permits = ctx.node.quotas.mutations(ctx, _STRICT_VERSION)
    record = None if permits is None else permits.record
    outcome = ctx.quorum.controller.submit(lambda controller: controller.delete_topics(allowed, version, record))
    if permits is not None:
        outcome = permits.with_throttle_time(outcome)
    return mapped(outcome, lambda response: _with(response, refused)) if refused else outcome


def _screened(
    ctx: QuorumRequestContext, request: DeleteTopicsRequest
) -> tuple[DeleteTopicsRequest, list[DeletableTopicResult]]:
    """The request for what the client may ask for, and the answers for the rest."""
    if ctx.authorizer is None or not ctx.metadata.values.flag("delete.topic.enable"):
        return request, []
    if ctx.allows_cluster(AclOperation.DELETE, is_audited=False):
        return request, []
    refused: list[DeletableTopicResult] = []
    is_by_state = ctx.version >= _STATE_VERSION
    asked = request.topics if is_by_state else [DeleteTopicState(name=name) for name in request.topic_names]
    kept = []
    for state in asked:
        answer = _refusal(ctx, state)
        if answer is None:
            kept.append(state)
        else:
            refused.append(answer)
    if is_by_state:
        return replace(request, topics=kept), refused
    return replace(request, topic_names=[state.name or "" for state in kept]), refused


def _refusal(ctx: QuorumRequestContext, state: DeleteTopicState) -> DeletableTopicResult | None:
    """None where the controller may answer: that a topic does not exist is answered only to those who may describe
    it."""
    image = ctx.quorum.controller.image
    if state.name is not None and state.topic_id == ZERO_UUID:
        name, topic_id = state.name, ZERO_UUID
    else:
        found = image.topics_by_id.get(state.topic_id)
        if found is None or state.name is not None:
            return None
        name, topic_id = found.name, found.id
    if ctx.allows(AclOperation.DELETE, AclResourceType.TOPIC, name):
        return None
    is_seen = ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, name)
    if is_seen and name not in image.topics:
        return None
    shown = name if is_seen or topic_id == ZERO_UUID else None
    return _refused(shown, topic_id, denied(AclResourceType.TOPIC))


def _refused(name: str | None, topic_id: bytes, error: KafkaError) -> DeletableTopicResult:
    return DeletableTopicResult(name=name, topic_id=topic_id, error_code=error.code, error_message=error.detail)


def _with(response: DeleteTopicsResponse, refused: list[DeletableTopicResult]) -> DeleteTopicsResponse:
    response.responses.extend(refused)
    return response

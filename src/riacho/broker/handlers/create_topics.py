"""CreateTopics, v2-7.

v5: the settings of a new topic come back (KIP-525). v7: its id (KIP-516). Served by the active controller; the answer
leaves when the quorum has the topic. Counts against the controller mutation
quota (KIP-599). Not done: policies.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import Outcome, mapped
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.create_topics_request import CreateTopicsRequest

# From here on clients know THROTTLING_QUOTA_EXCEEDED (KIP-599).
_STRICT_VERSION = 6


def handle(ctx: QuorumRequestContext, request: CreateTopicsRequest) -> Outcome[CreateTopicsResponse]:
    if ctx.authorizer is None or ctx.is_own:
        return _submitted(ctx, request)
    names = [topic.name for topic in request.topics]
    described = ctx.allowed(AclOperation.DESCRIBE_CONFIGS, AclResourceType.TOPIC, names, is_audited=False)
    creatable = set(names)
    if not ctx.allows_cluster(AclOperation.CREATE, is_audited=False):
        creatable = ctx.allowed(AclOperation.CREATE, AclResourceType.TOPIC, names)
    # Those asked for twice are refused for that.
    creatable |= {name for name, count in Counter(names).items() if count > 1}
    allowed = replace(request, topics=[topic for topic in request.topics if topic.name in creatable])
    refused = [_refused(name) for name in dict.fromkeys(names) if name not in creatable]
    return mapped(_submitted(ctx, allowed), lambda response: _screened(response, described, refused))


def _submitted(ctx: QuorumRequestContext, request: CreateTopicsRequest) -> Outcome[CreateTopicsResponse]:
    permits = ctx.node.quotas.mutations(ctx, _STRICT_VERSION)
    if permits is None:
        return ctx.quorum.controller.submit(lambda controller: controller.create_topics(request))
    record = permits.record
    return permits.with_throttle_time(
        ctx.quorum.controller.submit(lambda controller: controller.create_topics(request, record))
    )


def _refused(name: str) -> CreatableTopicResult:
    return CreatableTopicResult(
        name=name, error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, error_message="Authorization failed."
    )


def _screened(
    response: CreateTopicsResponse, described: set[str], refused: list[CreatableTopicResult]
) -> CreateTopicsResponse:
    """Without the settings of topics whose settings the client may not see."""
    for result in response.topics:
        if result.name not in described and not result.error_code:
            result.topic_config_error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            result.num_partitions = result.replication_factor = -1
            result.configs = []
    response.topics.extend(refused)
    return response

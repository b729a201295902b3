"""CreatePartitions, v0-3 (KIP-195): more partitions for a topic; never fewer."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import Outcome, mapped
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.create_partitions_response import CreatePartitionsResponse, CreatePartitionsTopicResult

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.create_partitions_request import CreatePartitionsRequest

# From here on clients know THROTTLING_QUOTA_EXCEEDED (KIP-599).
_STRICT_VERSION = 3


def handle(ctx: QuorumRequestContext, request: CreatePartitionsRequest) -> Outcome[CreatePartitionsResponse]:
    asked = request.topics
    allowed = ctx.allowed(AclOperation.ALTER, AclResourceType.TOPIC, [topic.name for topic in asked])
    # Those asked for twice are refused for that.
    allowed |= {name for name, count in Counter(topic.name for topic in asked).items() if count > 1}
    kept = replace(request, topics=[topic for topic in asked if topic.name in allowed])
    refused = [
        CreatePartitionsTopicResult(name=name, error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, error_message=None)
        for name in dict.fromkeys(topic.name for topic in asked)
        if name not in allowed
    ]
    permits = ctx.node.quotas.mutations(ctx, _STRICT_VERSION)
    record = None if permits is None else permits.record
    outcome = ctx.quorum.controller.submit(lambda controller: controller.create_partitions(kept, record))
    if permits is not None:
        outcome = permits.with_throttle_time(outcome)
    return mapped(outcome, lambda response: _with(response, refused)) if refused else outcome


def _with(response: CreatePartitionsResponse, refused: list[CreatePartitionsTopicResult]) -> CreatePartitionsResponse:
    response.results.extend(refused)
    return response

"""DeleteShareGroupOffsets, v0 (KIP-932): an empty share group forgets topics, and will start with them anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.base.errors import ErrorCode
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.delete_share_group_offsets_response import (
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.delete_share_group_offsets_request import DeleteShareGroupOffsetsRequest


async def handle(ctx: BrokerRequestContext, request: DeleteShareGroupOffsetsRequest) -> DeleteShareGroupOffsetsResponse:
    if not ctx.coordinators.share_groups.is_enabled:
        return _refused(ErrorCode.UNSUPPORTED_VERSION, "The version of API is not supported.")
    if not ctx.allows(AclOperation.DELETE, AclResourceType.GROUP, request.group_id):
        return _refused(ErrorCode.GROUP_AUTHORIZATION_FAILED, "Group authorization failed.")
    names = [topic.topic_name for topic in request.topics]
    allowed = ctx.allowed(AclOperation.READ, AclResourceType.TOPIC, names)
    if not request.group_id:
        return _refused(ErrorCode.INVALID_GROUP_ID, "The group id is invalid.")
    kept = replace(request, topics=[topic for topic in request.topics if topic.topic_name in allowed])
    response = await ctx.coordinators.share_groups.delete_offsets(kept)
    if response.error_code == ErrorCode.NONE:
        denied = [_denied(name) for name in names if name not in allowed]
        response.responses = [*denied, *response.responses]
    return response


def _refused(code: ErrorCode, message: str) -> DeleteShareGroupOffsetsResponse:
    return DeleteShareGroupOffsetsResponse(error_code=code, error_message=message)


def _denied(name: str) -> DeleteShareGroupOffsetsResponseTopic:
    return DeleteShareGroupOffsetsResponseTopic(
        topic_name=name,
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        error_message="Topic authorization failed.",
    )

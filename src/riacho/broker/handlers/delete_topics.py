"""DeleteTopics, v1-6.

v6: topics by id as well as by name (KIP-516). Not done: controller mutation quotas (KIP-599).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest
from riacho.wire.messages.delete_topics_response import DeleteTopicsResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext


def handle(ctx: RequestContext, request: DeleteTopicsRequest) -> DeleteTopicsResponse:
    metadata = ctx.broker.metadata
    return metadata.submit(metadata.controller.delete_topics(request, ctx.version))

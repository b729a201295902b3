"""DeleteTopics, v1-6.

v6: topics by id as well as by name (KIP-516). Not done: controller mutation quotas (KIP-599).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest


def handle(ctx: RequestContext, request: DeleteTopicsRequest) -> Any:
    version = ctx.version
    return ctx.broker.controller.submit(lambda controller: controller.delete_topics(request, version))

"""CreateTopics, v2-7.

v5: the settings of a new topic come back (KIP-525). v7: its id (KIP-516). Served by the active controller; the answer
leaves when the quorum has the topic. Not done: controller mutation quotas (KIP-599), policies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.create_topics_request import CreateTopicsRequest


def handle(ctx: RequestContext, request: CreateTopicsRequest) -> Any:
    return ctx.broker.controller.submit(lambda controller: controller.create_topics(request))

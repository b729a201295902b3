"""CreateTopics, v2-7.

v5: the settings of a new topic come back (KIP-525). v7: its id (KIP-516). `timeout_ms` has nothing to bound: when
this returns, the topic exists and its partitions are open. Not done: controller mutation quotas (KIP-599), policies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreateTopicsResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext


def handle(ctx: RequestContext, request: CreateTopicsRequest) -> CreateTopicsResponse:
    metadata = ctx.broker.metadata
    return metadata.submit(metadata.controller.create_topics(request))

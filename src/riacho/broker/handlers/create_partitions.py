"""CreatePartitions, v0-3 (KIP-195): more partitions for a topic; never fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.create_partitions_request import CreatePartitionsRequest


def handle(ctx: RequestContext, request: CreatePartitionsRequest) -> Any:
    return ctx.broker.controller.submit(lambda controller: controller.create_partitions(request))

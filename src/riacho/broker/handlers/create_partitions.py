"""CreatePartitions, v0-3 (KIP-195): more partitions for a topic; never fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.wire.messages.create_partitions_request import CreatePartitionsRequest
from riacho.wire.messages.create_partitions_response import CreatePartitionsResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext


def handle(ctx: RequestContext, request: CreatePartitionsRequest) -> CreatePartitionsResponse:
    metadata = ctx.broker.metadata
    return metadata.submit(metadata.controller.create_partitions(request))

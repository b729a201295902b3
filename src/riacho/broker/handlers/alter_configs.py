"""AlterConfigs, v0-2: a resource's settings become exactly those given. IncrementalAlterConfigs took its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.wire.messages.alter_configs_request import AlterConfigsRequest
from riacho.wire.messages.alter_configs_response import AlterConfigsResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext


def handle(ctx: RequestContext, request: AlterConfigsRequest) -> AlterConfigsResponse:
    metadata = ctx.broker.metadata
    return metadata.submit(metadata.controller.alter_configs(request))

"""IncrementalAlterConfigs, v0-1 (KIP-339): set, delete, append to and subtract from single settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.wire.messages.incremental_alter_configs_request import IncrementalAlterConfigsRequest
from riacho.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext


def handle(ctx: RequestContext, request: IncrementalAlterConfigsRequest) -> IncrementalAlterConfigsResponse:
    metadata = ctx.broker.metadata
    return metadata.submit(metadata.controller.incremental_alter_configs(request))

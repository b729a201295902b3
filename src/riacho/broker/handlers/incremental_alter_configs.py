"""IncrementalAlterConfigs, v0-1 (KIP-339): set, delete, append to and subtract from single settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.broker.config_rights import checked_changes

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.incremental_alter_configs_request import IncrementalAlterConfigsRequest


def handle(ctx: RequestContext, request: IncrementalAlterConfigsRequest) -> Any:
    return checked_changes(ctx, request, lambda controller: controller.incremental_alter_configs(request))

"""AlterConfigs, v0-2: a resource's settings become exactly those given. IncrementalAlterConfigs took its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.access.config_rights import checked_changes

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.alter_configs_request import AlterConfigsRequest
    from riacho.wire.messages.alter_configs_response import AlterConfigsResponse


def handle(ctx: QuorumRequestContext, request: AlterConfigsRequest) -> Outcome[AlterConfigsResponse]:
    return checked_changes(
        ctx, ctx.quorum.controller.submit, request, lambda controller, allowed: controller.alter_configs(allowed)
    )

"""IncrementalAlterConfigs, v0-1 (KIP-339): set, delete, append to and subtract from single settings.

Log levels (KIP-412) are the asked node's own: a broker changes them itself, everything else the controller decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from riacho.broker.access.config_rights import checked_changes
from riacho.broker.logger_changes import change_loggers, logger_resources
from riacho.broker.requests.later import Outcome, mapped
from riacho.metadata.image.config_resource import ResourceType
from riacho.wire.messages.incremental_alter_configs_response import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.incremental_alter_configs_request import IncrementalAlterConfigsRequest


def screen(
    ctx: QuorumRequestContext, request: IncrementalAlterConfigsRequest
) -> IncrementalAlterConfigsResponse | None:
    """What concerns loggers alone needs no controller."""
    asked = logger_resources(request)
    if not asked or len(asked) != len(request.resources):
        return None
    return IncrementalAlterConfigsResponse(responses=change_loggers(ctx, asked, request.validate_only))


def handle(
    ctx: QuorumRequestContext, request: IncrementalAlterConfigsRequest
) -> Outcome[IncrementalAlterConfigsResponse]:
    asked = logger_resources(request)
    if asked:
        of_loggers = change_loggers(ctx, asked, request.validate_only)
        others = [each for each in request.resources if each.resource_type != ResourceType.BROKER_LOGGER]
        return mapped(_decided(ctx, replace(request, resources=others)), lambda response: _with(response, of_loggers))
    return _decided(ctx, request)


def _with(
    response: IncrementalAlterConfigsResponse, of_loggers: list[AlterConfigsResourceResponse]
) -> IncrementalAlterConfigsResponse:
    response.responses.extend(of_loggers)
    return response


def _decided(
    ctx: QuorumRequestContext, request: IncrementalAlterConfigsRequest
) -> Outcome[IncrementalAlterConfigsResponse]:
    return checked_changes(
        ctx,
        ctx.quorum.controller.submit,
        request,
        lambda controller, allowed: controller.incremental_alter_configs(allowed),
    )

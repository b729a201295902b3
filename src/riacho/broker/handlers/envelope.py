"""Envelope, v0 (KIP-590): an admin request that another broker got and that the active controller must answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.enveloped import serve_enveloped
from riacho.broker.quorum.forwarding import decode_principal
from riacho.security.operations import AclOperation
from riacho.wire.messages.envelope_request import EnvelopeRequest
from riacho.wire.messages.envelope_response import EnvelopeResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext


async def handle(ctx: QuorumRequestContext, request: EnvelopeRequest) -> EnvelopeResponse:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    if not ctx.quorum.controller.is_active:
        return EnvelopeResponse(error_code=ErrorCode.NOT_CONTROLLER, response_data=None)
    from riacho.broker.handlers.table import CONTROLLER_BY_KEY  # the table names this very handler

    try:
        principal = decode_principal(request.request_principal)
        data = await serve_enveloped(
            ctx, ctx.node.logs, CONTROLLER_BY_KEY, request.request_data, principal, request.client_host_address
        )
    except KafkaError as error:
        return EnvelopeResponse(error_code=error.code, response_data=None)
    return EnvelopeResponse(response_data=bytes(data))

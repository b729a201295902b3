"""RenewDelegationToken, v1-2 (KIP-48): move a token's end, never past its longest life."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.access.token_requests import may_ask_about_tokens
from riacho.wire.messages.renew_delegation_token_response import RenewDelegationTokenResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest


def screen(ctx: QuorumRequestContext, request: RenewDelegationTokenRequest) -> RenewDelegationTokenResponse | None:
    """A refusal that the broker gives before the controller hears of it; None to go on."""
    if not may_ask_about_tokens(ctx):
        code = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
        return RenewDelegationTokenResponse(error_code=code, expiry_timestamp_ms=-1)
    return None


def handle(ctx: QuorumRequestContext, request: RenewDelegationTokenRequest) -> Outcome[RenewDelegationTokenResponse]:
    refusal = screen(ctx, request)
    if refusal is not None:
        return refusal
    requester = ctx.principal
    return ctx.quorum.controller.submit(
        lambda controller: controller.renew_delegation_token(request, requester, ctx.node.clock.now_ms())
    )

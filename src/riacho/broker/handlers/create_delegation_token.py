"""CreateDelegationToken, v1-3 (KIP-48): a credential that stands for a user for a while.

v3: for another user than the one who asks (KIP-373), who then needs CREATE_TOKENS on that user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.base.ids import random_uuid, uuid_text
from riacho.broker.access.token_requests import may_ask_about_tokens
from riacho.broker.requests.later import Outcome, mapped
from riacho.broker.requests.version_fit import fitted
from riacho.metadata.credentials.delegation_token_requests import owner_of, token_refused
from riacho.security.operations import AclOperation, AclResourceType

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
    from riacho.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse


def screen(ctx: QuorumRequestContext, request: CreateDelegationTokenRequest) -> CreateDelegationTokenResponse | None:
    """A refusal that the broker gives before it asks the controller; None to go on."""
    if not may_ask_about_tokens(ctx):
        refusal = token_refused(request, ctx.principal, ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
        return fitted(refusal, ctx.version)
    return None


def handle(ctx: QuorumRequestContext, request: CreateDelegationTokenRequest) -> Outcome[CreateDelegationTokenResponse]:
    refusal = screen(ctx, request)
    if refusal is not None:
        return refusal
    requester = ctx.principal
    owner = owner_of(request, requester)
    if owner != requester and not ctx.allows(AclOperation.CREATE_TOKENS, AclResourceType.USER, owner):
        return fitted(token_refused(request, requester, ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED), ctx.version)
    token_id = uuid_text(random_uuid(ctx.node.environment.rng))
    outcome = ctx.quorum.controller.submit(
        lambda controller: controller.create_delegation_token(request, requester, token_id, ctx.node.clock.now_ms())
    )
    version = ctx.version
    return mapped(outcome, lambda response: fitted(response, version))

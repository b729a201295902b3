"""DescribeDelegationToken, v1-3 (KIP-48): the tokens that the client may know of, with their secrets.

Its own and those it may renew; others with DESCRIBE on the token, or DESCRIBE_TOKENS on its owner (KIP-373).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.access.token_requests import may_ask_about_tokens
from riacho.metadata.image.delegation_tokens import DelegationToken, token_hmac
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.describe_delegation_token_response import (
    DescribedDelegationToken,
    DescribedDelegationTokenRenewer,
    DescribeDelegationTokenResponse,
)

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.describe_delegation_token_request import DescribeDelegationTokenRequest


def handle(ctx: QuorumRequestContext, request: DescribeDelegationTokenRequest) -> DescribeDelegationTokenResponse:
    if not may_ask_about_tokens(ctx):
        return DescribeDelegationTokenResponse(error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
    secret_key = ctx.node.config.get("delegation.token.secret.key")
    if secret_key is None:
        return DescribeDelegationTokenResponse(error_code=ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED)
    owners = (
        None
        if request.owners is None
        else {f"{owner.principal_type}:{owner.principal_name}" for owner in request.owners}
    )
    tokens = [
        _described(token, secret_key)
        for token in ctx.metadata.image.delegation_tokens.values()
        # Whoever may renew a token counts among its owners here, as in Kafka.
        if (owners is None or any(token.may_renew(owner) for owner in owners)) and _may_see(ctx, token)
    ]
    return DescribeDelegationTokenResponse(tokens=tokens)


def _may_see(ctx: QuorumRequestContext, token: DelegationToken) -> bool:
    return (
        token.may_renew(ctx.principal)
        or ctx.allows(AclOperation.DESCRIBE, AclResourceType.DELEGATION_TOKEN, token.token_id, False)
        or ctx.allows(AclOperation.DESCRIBE_TOKENS, AclResourceType.USER, token.owner, False)
    )


def _described(token: DelegationToken, secret_key: str) -> DescribedDelegationToken:
    owner_type, _, owner_name = token.owner.partition(":")
    requester_type, _, requester_name = token.requester.partition(":")
    renewers = [renewer.partition(":") for renewer in token.renewers]
    return DescribedDelegationToken(
        principal_type=owner_type,
        principal_name=owner_name,
        token_requester_principal_type=requester_type,
        token_requester_principal_name=requester_name,
        issue_timestamp=token.issue_ms,
        expiry_timestamp=token.expiry_ms,
        max_timestamp=token.max_ms,
        token_id=token.token_id,
        hmac=token_hmac(token.token_id, secret_key),
        renewers=[
            DescribedDelegationTokenRenewer(principal_type=kind, principal_name=name) for kind, _, name in renewers
        ],
    )

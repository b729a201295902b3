"""Delegation tokens over the wire (KIP-48): create, renew, expire, describe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from riacho.client.cluster import Cluster, check
from riacho.wire.messages.create_delegation_token_request import CreatableRenewers, CreateDelegationTokenRequest
from riacho.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse
from riacho.wire.messages.describe_delegation_token_request import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from riacho.wire.messages.describe_delegation_token_response import DescribeDelegationTokenResponse
from riacho.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from riacho.wire.messages.expire_delegation_token_response import ExpireDelegationTokenResponse
from riacho.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest
from riacho.wire.messages.renew_delegation_token_response import RenewDelegationTokenResponse

Principal = tuple[str, str]


class Token(NamedTuple):
    token_id: str
    hmac: bytes
    owner: str
    requester: str
    renewers: list[str]
    issue_ms: int
    expiry_ms: int
    max_ms: int

    def __repr__(self) -> str:
        return f"Token({self.token_id})"


def create_token(
    cluster: Cluster, renewers: Sequence[Principal] = (), max_lifetime_ms: int = -1, owner: Principal | None = None
) -> Token:
    request = CreateDelegationTokenRequest(
        renewers=[CreatableRenewers(principal_type=kind, principal_name=name) for kind, name in renewers],
        max_lifetime_ms=max_lifetime_ms,
        owner_principal_type=owner[0] if owner else None,
        owner_principal_name=owner[1] if owner else None,
    )

    def work() -> CreateDelegationTokenResponse:
        response = cluster.ask(request, CreateDelegationTokenResponse, cluster.controller())
        check(response.error_code)
        return response

    made = cluster.retry(work)
    return Token(
        made.token_id,
        made.hmac,
        f"{made.principal_type}:{made.principal_name}",
        f"{made.token_requester_principal_type}:{made.token_requester_principal_name}",
        [f"{kind}:{name}" for kind, name in renewers],
        made.issue_timestamp_ms,
        made.expiry_timestamp_ms,
        made.max_timestamp_ms,
    )


def renew_token(cluster: Cluster, hmac: bytes, renew_period_ms: int = -1) -> int:
    """When it ends now, in ms."""
    request = RenewDelegationTokenRequest(hmac=hmac, renew_period_ms=renew_period_ms)

    def work() -> int:
        response = cluster.ask(request, RenewDelegationTokenResponse, cluster.controller())
        check(response.error_code)
        return response.expiry_timestamp_ms

    return cluster.retry(work)


def expire_token(cluster: Cluster, hmac: bytes, expiry_period_ms: int = -1) -> int:
    """When it ends now, in ms: at once for a negative period."""
    request = ExpireDelegationTokenRequest(hmac=hmac, expiry_time_period_ms=expiry_period_ms)

    def work() -> int:
        response = cluster.ask(request, ExpireDelegationTokenResponse, cluster.controller())
        check(response.error_code)
        return response.expiry_timestamp_ms

    return cluster.retry(work)


def describe_tokens(cluster: Cluster, owners: Sequence[Principal] | None = None) -> list[Token]:
    request = DescribeDelegationTokenRequest(
        owners=None
        if owners is None
        else [DescribeDelegationTokenOwner(principal_type=kind, principal_name=name) for kind, name in owners]
    )

    def work() -> DescribeDelegationTokenResponse:
        response = cluster.ask(request, DescribeDelegationTokenResponse)
        check(response.error_code)
        return response

    return [
        Token(
            token.token_id,
            token.hmac,
            f"{token.principal_type}:{token.principal_name}",
            f"{token.token_requester_principal_type}:{token.token_requester_principal_name}",
            [f"{renewer.principal_type}:{renewer.principal_name}" for renewer in token.renewers],
            token.issue_timestamp,
            token.expiry_timestamp,
            token.max_timestamp,
        )
        for token in cluster.retry(work).tokens
    ]

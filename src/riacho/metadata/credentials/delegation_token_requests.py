"""What becomes of requests on delegation tokens (KIP-48, KIP-373): create, renew, expire; and the sweep of old ones."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

import msgspec

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.delegation_tokens import DelegationToken, token_hmac
from riacho.metadata.image.records import MetadataRecord
from riacho.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from riacho.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse
from riacho.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from riacho.wire.messages.expire_delegation_token_response import ExpireDelegationTokenResponse
from riacho.wire.messages.remove_delegation_token_record import RemoveDelegationTokenRecord
from riacho.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest
from riacho.wire.messages.renew_delegation_token_response import RenewDelegationTokenResponse

if TYPE_CHECKING:
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.settings.broker_values import BrokerValues

_USER = "User"


def owner_of(request: CreateDelegationTokenRequest, requester: str) -> str:
    """For whom the token is: whoever asks, unless somebody else is named (KIP-373)."""
    if not request.owner_principal_name:
        return requester
    return f"{request.owner_principal_type}:{request.owner_principal_name}"


def token_refused(request: CreateDelegationTokenRequest, requester: str, code: int) -> CreateDelegationTokenResponse:
    """An answer without a token: whose it would have been, and why not."""
    owner_type, _, owner_name = owner_of(request, requester).partition(":")
    requester_type, _, requester_name = requester.partition(":")
    return CreateDelegationTokenResponse(
        error_code=code,
        principal_type=owner_type,
        principal_name=owner_name,
        token_requester_principal_type=requester_type,
        token_requester_principal_name=requester_name,
        issue_timestamp_ms=-1 if code else 0,
        expiry_timestamp_ms=-1 if code else 0,
        max_timestamp_ms=-1 if code else 0,
    )


def decide_create_token(
    values: BrokerValues, request: CreateDelegationTokenRequest, requester: str, token_id: str, now_ms: int
) -> Decision[MetadataRecord, CreateDelegationTokenResponse]:
    secret_key = values.get("delegation.token.secret.key")
    if secret_key is None:
        return Decision(reply=token_refused(request, requester, ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED))
    # A login by the token is one of a user, so it must not have been granted for anything else of the same name.
    is_for_user = owner_of(request, requester).startswith(f"{_USER}:")
    if not is_for_user or any(renewer.principal_type != _USER for renewer in request.renewers):
        return Decision(reply=token_refused(request, requester, ErrorCode.INVALID_PRINCIPAL_TYPE))
    lifetime_ms = values.integer("delegation.token.max.lifetime.ms")
    if request.max_lifetime_ms > 0:
        lifetime_ms = min(lifetime_ms, request.max_lifetime_ms)
    max_ms = now_ms + lifetime_ms
    token = DelegationToken(
        token_id=token_id,
        owner=owner_of(request, requester),
        requester=requester,
        renewers=tuple(f"{renewer.principal_type}:{renewer.principal_name}" for renewer in request.renewers),
        issue_ms=now_ms,
        max_ms=max_ms,
        expiry_ms=min(max_ms, now_ms + values.integer("delegation.token.expiry.time.ms")),
    )
    reply = token_refused(request, requester, 0)
    reply.issue_timestamp_ms, reply.expiry_timestamp_ms, reply.max_timestamp_ms = now_ms, token.expiry_ms, max_ms
    reply.token_id, reply.hmac = token_id, token_hmac(token_id, str(secret_key))
    return Decision(reply=reply, records=[token.to_record()])


def decide_renew_token(
    image: MetadataImage, values: BrokerValues, request: RenewDelegationTokenRequest, requester: str, now_ms: int
) -> Decision[MetadataRecord, RenewDelegationTokenResponse]:
    token = _usable(image, values, bytes(request.hmac), requester, now_ms)
    period_ms = values.integer("delegation.token.expiry.time.ms")
    if request.renew_period_ms > 0:
        period_ms = min(period_ms, request.renew_period_ms)
    renewed = msgspec.structs.replace(token, expiry_ms=min(token.max_ms, now_ms + period_ms))
    return Decision(
        reply=RenewDelegationTokenResponse(expiry_timestamp_ms=renewed.expiry_ms), records=[renewed.to_record()]
    )


def decide_expire_token(
    image: MetadataImage, values: BrokerValues, request: ExpireDelegationTokenRequest, requester: str, now_ms: int
) -> Decision[MetadataRecord, ExpireDelegationTokenResponse]:
    """At once when the period is negative, else after it."""
    token = _usable(image, values, bytes(request.hmac), requester, now_ms)
    if request.expiry_time_period_ms < 0:
        reply = ExpireDelegationTokenResponse(expiry_timestamp_ms=now_ms)
        return Decision(reply=reply, records=[RemoveDelegationTokenRecord(token_id=token.token_id)])
    expiry_ms = min(token.max_ms, now_ms + request.expiry_time_period_ms)
    changed = msgspec.structs.replace(token, expiry_ms=expiry_ms)
    return Decision(reply=ExpireDelegationTokenResponse(expiry_timestamp_ms=expiry_ms), records=[changed.to_record()])


def decide_sweep_tokens(image: MetadataImage, now_ms: int) -> Decision[MetadataRecord, None]:
    """Forget the tokens whose time is over."""
    over = [token.token_id for token in image.delegation_tokens.values() if token.is_expired(now_ms)]
    return Decision(reply=None, records=[RemoveDelegationTokenRecord(token_id=token_id) for token_id in over])


def _usable(image: MetadataImage, values: BrokerValues, secret: bytes, requester: str, now_ms: int) -> DelegationToken:
    """The token that this secret is of, if the requester may change it; KafkaError."""
    secret_key = values.get("delegation.token.secret.key")
    if secret_key is None:
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED)
    found = None
    for token in image.delegation_tokens.values():
        if hmac.compare_digest(token_hmac(token.token_id, str(secret_key)), secret):
            found = token
    if found is None:
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_NOT_FOUND)
    if found.is_expired(now_ms):
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_EXPIRED)
    if requester != found.owner and requester not in found.renewers:
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH)
    return found

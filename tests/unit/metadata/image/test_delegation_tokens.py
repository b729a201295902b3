from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.credentials.delegation_token_requests import (
    decide_create_token,
    decide_expire_token,
    decide_renew_token,
    decide_sweep_tokens,
)
from riacho.metadata.image.delegation_tokens import token_hmac
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.wire.messages.create_delegation_token_request import CreatableRenewers, CreateDelegationTokenRequest
from riacho.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from riacho.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest

DAY_MS = 86_400_000
VALUES = BrokerValues({"delegation.token.secret.key": "secret"})
NOW_MS = 1_000_000


def create(values: BrokerValues = VALUES, requester: str = "User:bob", **fields: Any) -> tuple[MetadataImage, Any]:
    request = CreateDelegationTokenRequest(**({"max_lifetime_ms": -1, "owner_principal_name": None} | fields))
    decision = decide_create_token(values, request, requester, "token-1", NOW_MS)
    return MetadataImage().apply(decision.records), decision.reply


def test_a_token_with_kafkas_lifetimes() -> None:
    image, reply = create(renewers=[CreatableRenewers(principal_type="User", principal_name="ann")])
    assert (reply.error_code, reply.token_id, reply.hmac) == (0, "token-1", token_hmac("token-1", "secret"))
    assert (reply.issue_timestamp_ms, reply.expiry_timestamp_ms) == (NOW_MS, NOW_MS + DAY_MS)
    assert reply.max_timestamp_ms == NOW_MS + 7 * DAY_MS
    token = image.delegation_tokens["token-1"]
    assert (token.owner, token.requester, token.renewers) == ("User:bob", "User:bob", ("User:ann",))
    assert MetadataImage().apply(image.to_records()).delegation_tokens == image.delegation_tokens


def test_a_shorter_life_and_another_owner() -> None:
    image, reply = create(max_lifetime_ms=500, owner_principal_type="User", owner_principal_name="eve")
    assert (reply.expiry_timestamp_ms, reply.max_timestamp_ms) == (NOW_MS + 500, NOW_MS + 500)
    assert (reply.principal_name, reply.token_requester_principal_name) == ("eve", "bob")
    assert image.delegation_tokens["token-1"].owner == "User:eve"


def test_tokens_that_are_not_made() -> None:
    image, reply = create(BrokerValues({}))
    assert (reply.error_code, image.delegation_tokens) == (ErrorCode.DELEGATION_TOKEN_AUTH_DISABLED, {})
    image, reply = create(renewers=[CreatableRenewers(principal_type="Group", principal_name="ann")])
    assert (reply.error_code, image.delegation_tokens) == (ErrorCode.INVALID_PRINCIPAL_TYPE, {})


def renew(image: MetadataImage, requester: str = "User:bob", now_ms: int = NOW_MS, period_ms: int = -1) -> Any:
    request = RenewDelegationTokenRequest(hmac=token_hmac("token-1", "secret"), renew_period_ms=period_ms)
    return decide_renew_token(image, VALUES, request, requester, now_ms)


def expire(image: MetadataImage, requester: str = "User:bob", now_ms: int = NOW_MS, period_ms: int = -1) -> Any:
    request = ExpireDelegationTokenRequest(hmac=token_hmac("token-1", "secret"), expiry_time_period_ms=period_ms)
    return decide_expire_token(image, VALUES, request, requester, now_ms)


def test_renewal_never_goes_past_the_longest_life() -> None:
    image, _ = create()
    assert renew(image, now_ms=NOW_MS + 10).reply.expiry_timestamp_ms == NOW_MS + 10 + DAY_MS
    assert renew(image, period_ms=100).reply.expiry_timestamp_ms == NOW_MS + 100
    image, _ = create(max_lifetime_ms=500)
    decision = renew(image, period_ms=9_999)
    assert decision.reply.expiry_timestamp_ms == NOW_MS + 500
    assert image.apply(decision.records).delegation_tokens["token-1"].expiry_ms == NOW_MS + 500


def test_a_token_ends_when_told() -> None:
    image, _ = create()
    assert image.apply(expire(image).records).delegation_tokens == {}
    later = expire(image, period_ms=70)
    assert image.apply(later.records).delegation_tokens["token-1"].expiry_ms == NOW_MS + 70


@pytest.mark.parametrize("act", [renew, expire])
def test_who_may_change_a_token(act: Callable[..., Any]) -> None:
    image, _ = create(renewers=[CreatableRenewers(principal_type="User", principal_name="ann")])
    act(image, "User:ann")
    for wrong, code in (
        (lambda: act(image, "User:eve"), ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH),
        (lambda: act(MetadataImage()), ErrorCode.DELEGATION_TOKEN_NOT_FOUND),
        (lambda: act(image, now_ms=NOW_MS + DAY_MS + 1), ErrorCode.DELEGATION_TOKEN_EXPIRED),
    ):
        with pytest.raises(KafkaError) as caught:
            wrong()
        assert caught.value.code is code


def test_the_sweep_takes_what_is_over() -> None:
    image, _ = create()
    assert decide_sweep_tokens(image, NOW_MS + DAY_MS).records == []
    assert image.apply(decide_sweep_tokens(image, NOW_MS + DAY_MS + 1).records).delegation_tokens == {}

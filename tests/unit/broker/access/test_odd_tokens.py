"""Tokens that were made to break their reader, and tokens for what is no user."""

from __future__ import annotations

import base64
import json
from types import SimpleNamespace

import pytest

from riacho.base.errors import ErrorCode
from riacho.metadata.credentials.delegation_token_requests import decide_create_token
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.security.oauth import OauthServer
from riacho.security.sasl import SaslFailure
from riacho.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest


def deep_token() -> str:
    """Its header is nested deeper than any parser goes."""
    header = base64.urlsafe_b64encode(b"[" * 40_000).decode().rstrip("=")
    return f"{header}.e30.c2ln"


def test_a_token_nested_too_deep_is_refused_like_any_other() -> None:
    pytest.importorskip("jwt")
    from riacho.security.jwt_validation import ClaimRules, signed_token_claims, validator

    keys = SimpleNamespace(keys=[])
    server = OauthServer(validator(lambda token: signed_token_claims(token, keys), ClaimRules()))  # type: ignore[arg-type]
    challenge = server.evaluate(f"n,,\x01auth=Bearer {deep_token()}\x01\x01".encode(), 0)
    assert json.loads(challenge) == {"status": "invalid_token"}
    with pytest.raises(SaslFailure):
        server.evaluate(b"\x01", 0)


@pytest.mark.parametrize("time", ["1e308", "1" + "0" * 400])
def test_a_time_beyond_all_times_is_refused_like_any_other(time: str) -> None:
    from riacho.security.jwt_validation import ClaimRules, unsecured_token_claims, validator

    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    header, claims = json.dumps({"alg": "none"}), '{"sub":"eve","exp":' + time + "}"
    token = f"{part(header)}.{part(claims)}."
    server = OauthServer(validator(unsecured_token_claims, ClaimRules(needs_issued_at=False)))
    challenge = server.evaluate(f"n,,\x01auth=Bearer {token}\x01\x01".encode(), 0)
    assert json.loads(challenge) == {"status": "invalid_token"}
    assert not server.is_complete


def test_a_token_is_for_a_user_and_nothing_else() -> None:
    """Whoever logs in by it is that user, whatever kind of principal it was made for."""
    values = BrokerValues({"delegation.token.secret.key": "s"})
    request = CreateDelegationTokenRequest(owner_principal_type="Robot", owner_principal_name="admin")
    decision = decide_create_token(values, request, "User:eve", "id", 0)
    assert decision.reply.error_code == ErrorCode.INVALID_PRINCIPAL_TYPE
    assert decision.records == []

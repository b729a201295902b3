from __future__ import annotations

import base64
import hmac
import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from riacho.security.jwt_validation import (
    ClaimRules,
    KeyUnknown,
    accepted,
    signed_token_claims,
    unsecured_token_claims,
    validator,
)
from riacho.security.oauth import AcceptedToken, OauthClient, OauthServer, TokenRefused, parse_initial
from riacho.security.sasl import SaslFailure
from support.identity_provider import IdentityProvider, unsecured_token

NOW_S = 1_700_000_000
CLAIMS: dict[str, Any] = {"sub": "carol", "iat": NOW_S - 10, "exp": NOW_S + 60}


def only(token: str, now_ms: int) -> AcceptedToken:
    if token != "good":
        raise TokenRefused("not good", status="insufficient_scope", scope="kafka")
    return AcceptedToken("carol", 5_000)


def test_a_token_logs_in() -> None:
    server, client = OauthServer(only), OauthClient("good", {"traceId": "1"})
    assert client.first() == b"n,,\x01auth=Bearer good\x01traceId=1\x01\x01"
    assert client.evaluate(server.evaluate(client.first(), 0)) is None
    assert server.is_complete
    assert client.is_complete
    assert (server.authorization_id, server.credential_expiry_ms) == ("carol", 5_000)


def test_a_refusal_is_told_and_acknowledged() -> None:
    server, client = OauthServer(only), OauthClient("bad")
    status = server.evaluate(client.first(), 0)
    assert json.loads(status) == {"status": "insufficient_scope", "scope": "kafka"}
    acknowledgement = client.evaluate(status)
    assert acknowledgement == b"\x01"
    with pytest.raises(SaslFailure) as caught:
        server.evaluate(acknowledgement, 0)
    assert caught.value.error_message == status.decode()
    assert not server.is_complete


def test_after_a_refusal_no_other_token_is_tried() -> None:
    server = OauthServer(only)
    server.evaluate(OauthClient("bad").first(), 0)
    with pytest.raises(SaslFailure, match="after the token was refused"):
        server.evaluate(OauthClient("good").first(), 0)


def test_an_authorization_id_must_be_the_tokens() -> None:
    assert OauthServer(only).evaluate(b"n,a=carol,\x01auth=Bearer good\x01\x01", 0) == b""
    with pytest.raises(SaslFailure) as caught:
        OauthServer(only).evaluate(b"n,a=other,\x01auth=bearer good\x01\x01", 0)
    assert "(other)" in (caught.value.error_message or "")


@pytest.mark.parametrize(
    "message",
    [b"", b"n,,", b"n,,\x01\x01", b"n,,\x01auth=Basic x\x01\x01", b"n,,\x01auth=Bearer\x01\x01", 
     b"n,,\x01auth=Bearer a b\x01\x01",
     b"n,,\x01auth=Bearer x\x01", b"p=x,,\x01auth=Bearer x\x01\x01", b"n,,\x01auth=Bearer x\x01host\x01\x01", b"\xff"],
)  # fmt: skip
def test_what_is_no_first_message(message: bytes) -> None:
    with pytest.raises(SaslFailure):
        OauthServer(only).evaluate(message, 0)


def test_tokens_do_not_show() -> None:
    assert "good" not in repr(parse_initial(b"n,,\x01auth=Bearer good\x01\x01"))


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> IdentityProvider:
    return IdentityProvider(tmp_path_factory.mktemp("provider"))


def keys(provider: IdentityProvider) -> jwt.PyJWKSet:
    return jwt.PyJWKSet.from_dict(provider.jwks())


def test_a_signed_token(provider: IdentityProvider) -> None:
    check = validator(lambda token: signed_token_claims(token, keys(provider)), ClaimRules(audiences=("kafka",)))
    token = check(provider.token("carol"), time.time_ns() // 1_000_000)
    assert token.principal_name == "carol"


def test_signatures_that_do_not_hold(provider: IdentityProvider, tmp_path: Path) -> None:
    other = IdentityProvider(tmp_path)
    for token in (
        other.token("carol"),
        unsecured_token("carol"),
        jwt.encode(CLAIMS, "shared-secret-of-32-bytes-or-more", algorithm="HS256", headers={"kid": "first"}),
        provider.token("carol")[:-3] + "abc",
        "a.b.c",
        "",
        "x" * 100_000,
    ):
        with pytest.raises(TokenRefused):
            signed_token_claims(token, keys(provider))


def test_the_public_key_is_no_shared_secret(provider: IdentityProvider) -> None:
    """The old trick: sign with the public key as if it were a secret, and say HS256."""
    header, body, _ = provider.token("carol").split(".")
    header = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"first"}').decode().rstrip("=")
    secret = keys(provider).keys[0].key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signature = hmac.digest(secret, f"{header}.{body}".encode(), "sha256")
    token = f"{header}.{body}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"
    with pytest.raises(TokenRefused, match="algorithm 'HS256'"):
        signed_token_claims(token, keys(provider))


def test_a_key_that_may_be_new(provider: IdentityProvider, tmp_path: Path) -> None:
    with pytest.raises(KeyUnknown):
        signed_token_claims(IdentityProvider(tmp_path, "second").token("carol", key_id="second"), keys(provider))


def test_unsecured_tokens() -> None:
    assert unsecured_token_claims(unsecured_token("dave", scope="x"))["sub"] == "dave"
    for token in ("", "a.b", "a.b.c", "e30.e30.", "e30.W10.", unsecured_token("d") + "x"):
        with pytest.raises(TokenRefused):
            unsecured_token_claims(token)


@pytest.mark.parametrize(
    ("claims", "rules", "reason"),
    [
        ({}, {}, None),
        ({"exp": NOW_S - 29, "iat": NOW_S - 99}, {}, None),
        ({"exp": NOW_S - 30}, {}, "expired"),
        ({"exp": None}, {}, "claim exp"),
        ({"exp": "soon"}, {}, "claim exp"),
        ({"exp": True}, {}, "claim exp"),
        ({"exp": float("inf")}, {}, "claim exp"),
        ({"exp": NOW_S}, {"clock_skew_ms": 0}, "expired"),
        ({"iat": None}, {}, "claim iat"),
        ({"iat": None}, {"needs_issued_at": False}, None),
        ({"iat": NOW_S + 31}, {}, "iat lies in the future"),
        ({"nbf": NOW_S + 30}, {}, None),
        ({"nbf": NOW_S + 31}, {}, "nbf lies in the future"),
        ({"exp": NOW_S - 20, "iat": NOW_S - 10}, {}, "before it was issued"),
        ({"sub": None}, {}, "claim sub"),
        ({"sub": " "}, {}, "claim sub"),
        ({"email": "c@x"}, {"subject_claim": "email"}, None),
        ({"aud": "kafka"}, {"audiences": ("kafka",)}, None),
        ({"aud": ["a", "kafka"]}, {"audiences": ("kafka", "z")}, None),
        ({"aud": "other"}, {"audiences": ("kafka",)}, "audience"),
        ({}, {"audiences": ("kafka",)}, "audience"),
        ({"aud": [1]}, {"audiences": ("kafka",)}, "audience"),
        ({"iss": "me"}, {"issuer": "me"}, None),
        ({"iss": "you"}, {"issuer": "me"}, "issuer"),
        ({}, {"issuer": "me"}, "issuer"),
        ({"scope": "a b"}, {"required_scope": ("b",)}, None),
        ({"scope": ["a", "b"]}, {"required_scope": ("b", "a")}, None),
        ({"scope": "a"}, {"required_scope": ("a", "b")}, "scope b"),
        ({"scope": 7}, {}, "no scope"),
        ({"scp": "a"}, {"required_scope": ("a",), "scope_claim": "scp"}, None),
    ],
)
def test_claims(claims: dict[str, Any], rules: dict[str, Any], reason: str | None) -> None:
    found = {name: value for name, value in (CLAIMS | claims).items() if value is not None}
    if reason is None:
        assert accepted(found, ClaimRules(**rules), NOW_S * 1000).expiry_ms == found["exp"] * 1000
    else:
        with pytest.raises(TokenRefused, match=reason):
            accepted(found, ClaimRules(**rules), NOW_S * 1000)

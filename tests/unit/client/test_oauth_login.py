"""Tokens of an endpoint are kept for whom they were given to."""

from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.client import oauth_login
from riacho.client.oauth_login import token_and_expiry
from riacho.security.jaas import LoginModule

URL = "https://identity.example/token"


def token(client_id: str, secret: str) -> str:
    module = LoginModule("OAuthBearerLoginModule", {"clientId": client_id, "clientSecret": secret})
    return token_and_expiry(module, {"sasl.oauthbearer.token.endpoint.url": URL}.get)[0]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Who asked the endpoint, which knows one secret."""
    seen: list[tuple[str, str]] = []

    def ask(url: str, client_id: str, secret: str, scope: str) -> tuple[str, float]:
        seen.append((client_id, secret))
        if secret != "right":
            raise ConfigError("no token could be had")
        return f"token {len(seen)} of {client_id}", 3600

    monkeypatch.setattr(oauth_login, "_asked", ask)
    monkeypatch.setattr(oauth_login, "_kept", {})
    return seen


def test_a_token_is_used_again(asked: list[tuple[str, str]]) -> None:
    assert [token("ana", "right") for _ in range(3)] == ["token 1 of ana"] * 3
    assert token("bruno", "right") == "token 2 of bruno"
    assert len(asked) == 2


def test_a_wrong_secret_gets_no_token_that_the_right_one_got_before(asked: list[tuple[str, str]]) -> None:
    """As in a process that serves more than one login: the shell, the control center."""
    token("ana", "right")
    with pytest.raises(ConfigError):
        token("ana", "wrong")
    assert token("ana", "right") == "token 1 of ana"


def test_only_so_many_are_kept(asked: list[tuple[str, str]]) -> None:
    for number in range(250):
        token(f"client-{number}", "right")
    assert len(oauth_login._kept) <= 100

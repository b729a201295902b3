from __future__ import annotations

import pytest

from riacho.security.plain import PlainClient, PlainServer
from riacho.security.sasl import SaslFailure

USERS = {"alice": "secret", "böb": "pässwörd"}


@pytest.mark.parametrize("user", USERS)
def test_a_user_logs_in(user: str) -> None:
    server, client = PlainServer(USERS), PlainClient(user, USERS[user])
    assert client.evaluate(server.evaluate(client.first(), 0)) is None
    assert server.is_complete
    assert client.is_complete
    assert server.authorization_id == user


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (b"\0alice\0wrong", "Authentication failed: Invalid username or password"),
        (b"\0nobody\0secret", "Authentication failed: Invalid username or password"),
        (b"\0\0secret", "Authentication failed: username not specified"),
        (b"\0alice\0", "Authentication failed: password not specified"),
        (b"other\0alice\0secret", "Authentication failed: Client requested an authorization id that is different"),
        (b"alice\0secret", "Invalid SASL/PLAIN response: expected 3 tokens, got 2"),
        (b"\0alice\0secret\0", "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
        (b"\0\xff\0secret", None),
        (b"", "Invalid SASL/PLAIN response: expected 3 tokens, got 1"),
    ],
)
def test_what_is_refused(message: bytes, told: str | None) -> None:
    server = PlainServer(USERS)
    with pytest.raises(SaslFailure) as caught:
        server.evaluate(message, 0)
    assert not server.is_complete
    assert (caught.value.error_message or "").startswith(told or "")
    assert (caught.value.error_message is None) == (told is None)
    assert "secret" not in caught.value.reason


def test_a_user_without_a_password_cannot_be_made_up() -> None:
    with pytest.raises(SaslFailure):
        PlainServer({}).evaluate(b"\0nobody\0x", 0)


def test_an_authorization_id_may_be_the_user() -> None:
    server = PlainServer(USERS)
    assert server.evaluate(b"alice\0alice\0secret", 0) == b""

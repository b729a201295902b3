"""SASL PLAIN (RFC 4616): `[authorization id] NUL user NUL password`, in one message."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from riacho.security.sasl import SaslFailure

_INVALID = "Authentication failed: Invalid username or password"


class PlainServer:
    def __init__(self, passwords: Mapping[str, str]) -> None:
        self._passwords = passwords
        self.is_complete = False
        self.authorization_id = ""
        self.credential_expiry_ms: int | None = None
        self.is_token_authenticated = False

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        authorization_id, user, password = _parse(response)
        if not user:
            raise _refused("Authentication failed: username not specified", None)
        if not password:
            raise _refused("Authentication failed: password not specified", user)
        expected = self._passwords.get(user)
        # The same work for a user that does not exist as for one that does.
        matches = hmac.compare_digest((expected or "").encode(), password.encode())
        if expected is None or not matches:
            raise _refused(_INVALID, user)
        if authorization_id and authorization_id != user:
            message = "Authentication failed: Client requested an authorization id that is different from username"
            raise _refused(message, user)
        self.authorization_id = user
        self.is_complete = True
        return b""


class PlainClient:
    def __init__(self, user: str, password: str) -> None:
        self._user = user
        self._password = password
        self.is_complete = False

    def first(self) -> bytes:
        return f"\0{self._user}\0{self._password}".encode()

    def evaluate(self, challenge: bytes) -> bytes | None:
        if challenge:
            raise SaslFailure("the server challenged a PLAIN login")
        self.is_complete = True
        return None


def _parse(response: bytes) -> tuple[str, str, str]:
    try:
        parts = response.decode().split("\0")
    except UnicodeDecodeError:
        raise SaslFailure("Invalid SASL/PLAIN response: not UTF-8") from None
    if len(parts) != 3:
        raise _refused(f"Invalid SASL/PLAIN response: expected 3 tokens, got {len(parts)}", None)
    return parts[0], parts[1], parts[2]


def _refused(message: str, user: str | None) -> SaslFailure:
    return SaslFailure(message, error_message=message, user=user)

"""SASL OAUTHBEARER (RFC 7628, KIP-255): a bearer token in one message, with extensions after it.

A token that is not accepted is answered with a JSON status, which the client acknowledges with one byte; only then has
the login failed. What makes a token good is decided by the validator that is given (`jwt_validation.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from riacho.security.sasl import SaslFailure

_NAME = r"(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]|=2C|=3D)+"
_PAIR = r"[A-Za-z]+=[\x21-\x7e \t\r\n]+\x01"
_INITIAL = re.compile(rf"n,(?:a=(?P<authzid>{_NAME}))?,\x01(?P<pairs>(?:{_PAIR})*)\x01")
_AUTHORIZATION = re.compile(r"(?P<scheme>\w+) +(?P<token>[-_~+/.a-zA-Z0-9]+=*)")
_ACKNOWLEDGEMENT = b"\x01"


class ClientInitial(NamedTuple):
    authorization_id: str
    token: str
    extensions: Mapping[str, str]

    def __repr__(self) -> str:
        return "ClientInitial(hidden)"


class AcceptedToken(NamedTuple):
    principal_name: str
    expiry_ms: int


class TokenRefused(Exception):
    """`status` and `scope` are for the client, the reason for the log."""

    def __init__(self, reason: str, *, status: str = "invalid_token", scope: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.scope = scope


Validate = Callable[[str, int], AcceptedToken]


def parse_initial(data: bytes) -> ClientInitial:
    try:
        found = _INITIAL.fullmatch(data.decode())
    except UnicodeDecodeError:
        found = None
    if found is None:
        raise SaslFailure("Invalid OAUTHBEARER client first message")
    pairs = dict(pair.split("=", 1) for pair in found["pairs"].split("\x01") if pair)
    authorization = _AUTHORIZATION.fullmatch(pairs.pop("auth", ""))
    if authorization is None:
        raise SaslFailure("Invalid OAUTHBEARER client first message: invalid 'auth' format")
    if authorization["scheme"].lower() != "bearer":
        raise SaslFailure("Invalid scheme in OAUTHBEARER client first message")
    name = (found["authzid"] or "").replace("=2C", ",").replace("=3D", "=")
    return ClientInitial(name, authorization["token"], pairs)


class OauthServer:
    def __init__(self, validate: Validate) -> None:
        self._validate = validate
        self.is_complete = False
        self.authorization_id = ""
        self.credential_expiry_ms: int | None = None
        self.is_token_authenticated = False
        self._refusal: TokenRefused | None = None
        self._status = ""

    def evaluate(self, response: bytes, now_ms: int) -> bytes:
        if self._refusal is not None:
            if response == _ACKNOWLEDGEMENT:
                raise SaslFailure(self._refusal.reason, error_message=self._status)
            raise SaslFailure("an OAUTHBEARER message after the token was refused")
        initial = parse_initial(response)
        try:
            token = self._validate(initial.token, now_ms)
        except TokenRefused as refusal:
            self._refusal = refusal
            self._status = _json_status(refusal)
            return self._status.encode()
        if initial.authorization_id and initial.authorization_id != token.principal_name:
            message = (
                f"Authentication failed: Client requested an authorization id ({initial.authorization_id}) that is "
                f"different from the token's principal name ({token.principal_name})"
            )
            raise SaslFailure(message, error_message=message, user=token.principal_name)
        self.authorization_id = token.principal_name
        self.credential_expiry_ms = token.expiry_ms
        self.is_complete = True
        return b""


class OauthClient:
    def __init__(self, token: str, extensions: Mapping[str, str] | None = None) -> None:
        self._token = token
        self._extensions = dict(extensions or {})
        self._status: str | None = None
        self.is_complete = False

    def first(self) -> bytes:
        extensions = "".join(f"{name}={value}\x01" for name, value in self._extensions.items())
        return f"n,,\x01auth=Bearer {self._token}\x01{extensions}\x01".encode()

    def evaluate(self, challenge: bytes) -> bytes | None:
        if challenge and self._status is None:
            self._status = challenge.decode(errors="replace")
            return _ACKNOWLEDGEMENT
        if self._status is not None:
            raise SaslFailure(f"the token was refused: {self._status}")
        self.is_complete = True
        return None


def _json_status(refusal: TokenRefused) -> str:
    status = {"status": refusal.status}
    if refusal.scope is not None:
        status["scope"] = refusal.scope
    return json.dumps(status, separators=(",", ":"))

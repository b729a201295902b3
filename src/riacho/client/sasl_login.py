"""Logging in by SASL, from the client's side: the requests to send, in turn, whoever sends them (KIP-152, KIP-368).

A generator: it gives a request, is sent the response, and returns how long the session lasts.
"""

from __future__ import annotations

from collections.abc import Generator

from riacho.base.errors import ErrorCode, KafkaError
from riacho.security.sasl import SaslClient, SaslFailure
from riacho.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from riacho.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse
from riacho.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from riacho.wire.messages.sasl_handshake_response import SaslHandshakeResponse
from riacho.wire.schema import Message

# In version 1 the tokens travel in SaslAuthenticate; before, as bare frames.
HANDSHAKE_VERSION = 1
HANDSHAKE_KEY = 17
# A client logs in again before its session is over: at this share of its life.
REAUTHENTICATION_SHARE = 0.85

Login = Generator[SaslHandshakeRequest | SaslAuthenticateRequest, Message, int]


def login(address: str, mechanism: str, client: SaslClient) -> Login:
    """Returns the session's lifetime in ms, 0 for one without an end; KafkaError when the login fails."""
    shaken = yield SaslHandshakeRequest(mechanism=mechanism)
    assert isinstance(shaken, SaslHandshakeResponse)
    if shaken.error_code:
        offered = ",".join(shaken.mechanisms)
        problem = f"{address} refused SASL mechanism {mechanism}"
        instead = f"; it offers {offered}" if offered else ": that listener takes no logins"
        raise KafkaError(ErrorCode(shaken.error_code), problem + instead)
    token: bytes | None = client.first()
    lifetime_ms = 0
    while token is not None:
        answer = yield SaslAuthenticateRequest(auth_bytes=token)
        assert isinstance(answer, SaslAuthenticateResponse)
        if answer.error_code:
            problem = answer.error_message or "Authentication failed"
            raise KafkaError(ErrorCode(answer.error_code), f"{address}: {problem}")
        lifetime_ms = answer.session_lifetime_ms
        try:
            token = client.evaluate(answer.auth_bytes)
        except SaslFailure as failure:
            problem = f"{address}: authentication failed: {failure.reason}"
            raise KafkaError(ErrorCode.SASL_AUTHENTICATION_FAILED, problem) from None
    return lifetime_ms

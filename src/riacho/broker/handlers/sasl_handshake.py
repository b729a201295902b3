"""SaslHandshake, v0-1, out of turn: on a listener without SASL, or after the login.

The one that counts is served by `sasl_session.py`, before anything else of a connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.wire.messages.sasl_handshake_response import SaslHandshakeResponse

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.sasl_handshake_request import SaslHandshakeRequest


def handle(ctx: RequestContext, request: SaslHandshakeRequest) -> SaslHandshakeResponse:
    return SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE)

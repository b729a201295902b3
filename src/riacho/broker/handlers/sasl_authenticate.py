"""SaslAuthenticate, v0-2, out of turn: on a listener without SASL, or after the login.

The one that counts is served by `sasl_session.py`, before anything else of a connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.wire.messages.sasl_authenticate_response import SaslAuthenticateResponse

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest


def handle(ctx: RequestContext, request: SaslAuthenticateRequest) -> SaslAuthenticateResponse:
    return SaslAuthenticateResponse(
        error_code=ErrorCode.ILLEGAL_SASL_STATE,
        error_message="SaslAuthenticate request received after successful authentication",
    )

"""Who may ask about delegation tokens at all (KIP-48): only a client that proved who it is, and not by a token."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext


def may_ask_about_tokens(ctx: RequestContext) -> bool:
    connection = ctx.connection
    if connection is None:
        # Out of an envelope: the broker that forwarded it has looked.
        return True
    protocol = connection.security_protocol
    if ctx.is_token_authenticated or protocol == "PLAINTEXT":
        return False
    return protocol != "SSL" or ctx.principal != "User:ANONYMOUS"

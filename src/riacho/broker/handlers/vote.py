"""Vote, v0-2 (KIP-595): a quorum voter asks for votes. v2: and first whether it would get them (KIP-996)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.vote_request import VoteRequest


def handle(ctx: RequestContext, request: VoteRequest) -> Any:
    return ctx.broker.raft.ask(request, ctx.version)

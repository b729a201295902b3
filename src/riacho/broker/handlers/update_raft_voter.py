"""UpdateRaftVoter, v0 (KIP-853): a voter of the metadata quorum says where it listens now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest


def handle(ctx: RequestContext, request: UpdateRaftVoterRequest) -> Any:
    return ctx.broker.raft.ask(request, ctx.version)

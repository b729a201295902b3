"""RemoveRaftVoter, v0 (KIP-853): a controller leaves the voters of the metadata quorum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation
from riacho.wire.messages.remove_raft_voter_response import RemoveRaftVoterResponse

if TYPE_CHECKING:
    from riacho.broker.requests.later import Outcome
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest


def handle(ctx: RequestContext, request: RemoveRaftVoterRequest) -> Outcome[RemoveRaftVoterResponse]:
    ctx.check_cluster(AclOperation.ALTER)
    return ctx.broker.raft.ask(request, ctx.version, RemoveRaftVoterResponse)

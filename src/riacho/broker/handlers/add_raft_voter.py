"""AddRaftVoter, v0-1 (KIP-853): a controller joins the voters of the metadata quorum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation
from riacho.wire.messages.add_raft_voter_response import AddRaftVoterResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.add_raft_voter_request import AddRaftVoterRequest


def handle(ctx: QuorumRequestContext, request: AddRaftVoterRequest) -> Outcome[AddRaftVoterResponse]:
    ctx.check_cluster(AclOperation.ALTER)
    return ctx.quorum.raft.ask(request, ctx.version, AddRaftVoterResponse)

"""RemoveRaftVoter, v0 (KIP-853): a controller leaves the voters of the metadata quorum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation
from riacho.wire.messages.remove_raft_voter_response import RemoveRaftVoterResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest


def handle(ctx: QuorumRequestContext, request: RemoveRaftVoterRequest) -> Outcome[RemoveRaftVoterResponse]:
    ctx.check_cluster(AclOperation.ALTER)
    return ctx.quorum.raft.ask(request, ctx.version, RemoveRaftVoterResponse)

"""UpdateRaftVoter, v0 (KIP-853): a voter of the metadata quorum says where it listens now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation
from riacho.wire.messages.update_raft_voter_response import UpdateRaftVoterResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest


def handle(ctx: QuorumRequestContext, request: UpdateRaftVoterRequest) -> Outcome[UpdateRaftVoterResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    return ctx.quorum.raft.ask(request, ctx.version, UpdateRaftVoterResponse)

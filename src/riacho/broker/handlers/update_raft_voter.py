"""UpdateRaftVoter, v0 (KIP-853): a voter of the metadata quorum says where it listens now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation
from riacho.wire.messages.update_raft_voter_response import UpdateRaftVoterResponse

if TYPE_CHECKING:
    from riacho.broker.requests.later import Outcome
    from riacho.broker.requests.request_context import RequestContext
    from riacho.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest


def handle(ctx: RequestContext, request: UpdateRaftVoterRequest) -> Outcome[UpdateRaftVoterResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    return ctx.broker.raft.ask(request, ctx.version, UpdateRaftVoterResponse)

"""UpdateRaftVoter, v0 (KIP-853): a voter of the metadata quorum says where it listens now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest


def handle(ctx: RequestContext, request: UpdateRaftVoterRequest) -> Any:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    return ctx.broker.raft.ask(request, ctx.version)

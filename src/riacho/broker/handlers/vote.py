"""Vote, v0-2 (KIP-595): a quorum voter asks for votes. v2: and first whether it would get them (KIP-996)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.requests.later import Outcome, mapped
from riacho.broker.requests.version_fit import fitted
from riacho.security.operations import AclOperation
from riacho.wire.messages.vote_response import VoteResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.vote_request import VoteRequest


def handle(ctx: QuorumRequestContext, request: VoteRequest) -> Outcome[VoteResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    version = ctx.version
    outcome = ctx.quorum.raft.ask(request, version, VoteResponse)
    return mapped(outcome, lambda response: fitted(response, version))

"""BeginQuorumEpoch, v0-1 (KIP-595): a new leader of the metadata quorum makes itself known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.requests.later import Outcome, mapped
from riacho.broker.requests.version_fit import fitted
from riacho.security.operations import AclOperation
from riacho.wire.messages.begin_quorum_epoch_response import BeginQuorumEpochResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.begin_quorum_epoch_request import BeginQuorumEpochRequest


def handle(ctx: QuorumRequestContext, request: BeginQuorumEpochRequest) -> Outcome[BeginQuorumEpochResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    version = ctx.version
    outcome = ctx.quorum.raft.ask(request, version, BeginQuorumEpochResponse)
    return mapped(outcome, lambda response: fitted(response, version))

"""EndQuorumEpoch, v0-1 (KIP-595): a leader of the metadata quorum resigns and says who may follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.requests.later import Outcome, mapped
from riacho.broker.requests.version_fit import fitted
from riacho.security.operations import AclOperation
from riacho.wire.messages.end_quorum_epoch_response import EndQuorumEpochResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.end_quorum_epoch_request import EndQuorumEpochRequest


def handle(ctx: QuorumRequestContext, request: EndQuorumEpochRequest) -> Outcome[EndQuorumEpochResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    version = ctx.version
    outcome = ctx.quorum.raft.ask(request, version, EndQuorumEpochResponse)
    return mapped(outcome, lambda response: fitted(response, version))

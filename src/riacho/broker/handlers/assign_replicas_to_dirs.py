"""AssignReplicasToDirs, v0 (KIP-858): a broker says in which log directory its replicas are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.assign_replicas_to_dirs_request import AssignReplicasToDirsRequest
    from riacho.wire.messages.assign_replicas_to_dirs_response import AssignReplicasToDirsResponse


def handle(ctx: QuorumRequestContext, request: AssignReplicasToDirsRequest) -> Outcome[AssignReplicasToDirsResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    return ctx.quorum.controller.submit(lambda controller: controller.assign_replicas_to_dirs(request))

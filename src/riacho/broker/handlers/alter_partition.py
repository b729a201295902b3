"""AlterPartition, v2-3 (KIP-497): a leader changes its partition's in-sync replicas.

v3: with the epochs of the brokers, so that one that restarted meanwhile is not taken in unawares (KIP-841).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.alter_partition_request import AlterPartitionRequest
    from riacho.wire.messages.alter_partition_response import AlterPartitionResponse


def handle(ctx: QuorumRequestContext, request: AlterPartitionRequest) -> Outcome[AlterPartitionResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    version = ctx.version
    return ctx.quorum.controller.submit(lambda controller: controller.alter_partition(request, version))

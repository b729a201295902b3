"""AlterPartitionReassignments, v0-1 (KIP-455): move partitions to other brokers, or call a move off.

v1: a change of the replication factor may be refused (KIP-860).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.alter_partition_reassignments_request import AlterPartitionReassignmentsRequest
    from riacho.wire.messages.alter_partition_reassignments_response import AlterPartitionReassignmentsResponse


def handle(
    ctx: QuorumRequestContext, request: AlterPartitionReassignmentsRequest
) -> Outcome[AlterPartitionReassignmentsResponse]:
    ctx.check_cluster(AclOperation.ALTER)
    version = ctx.version
    return ctx.quorum.controller.submit(lambda controller: controller.alter_partition_reassignments(request, version))

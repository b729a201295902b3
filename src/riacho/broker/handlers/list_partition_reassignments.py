"""ListPartitionReassignments, v0 (KIP-455): the moves under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.list_partition_reassignments_request import ListPartitionReassignmentsRequest
    from riacho.wire.messages.list_partition_reassignments_response import ListPartitionReassignmentsResponse


def handle(
    ctx: QuorumRequestContext, request: ListPartitionReassignmentsRequest
) -> Outcome[ListPartitionReassignmentsResponse]:
    ctx.check_cluster(AclOperation.DESCRIBE)
    return ctx.quorum.controller.submit(lambda controller: controller.list_partition_reassignments(request))

"""AllocateProducerIds, v0 (KIP-730): a block of producer ids for a broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
    from riacho.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse


def handle(ctx: QuorumRequestContext, request: AllocateProducerIdsRequest) -> Outcome[AllocateProducerIdsResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    return ctx.quorum.controller.submit(lambda controller: controller.allocate_producer_ids(request))

"""ElectLeaders, v0-2: preferred (v0) or, from v1 on, unclean elections (KIP-460).

Without a list of partitions every partition that needs an election gets one, and only those are answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest
    from riacho.wire.messages.elect_leaders_response import ElectLeadersResponse


def handle(ctx: QuorumRequestContext, request: ElectLeadersRequest) -> Outcome[ElectLeadersResponse]:
    ctx.check_cluster(AclOperation.ALTER)
    version = ctx.version
    return ctx.quorum.controller.submit(lambda controller: controller.elect_leaders(request, version))

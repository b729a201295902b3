"""ControllerRegistration, v0 (KIP-919): where a controller is reached and what it can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.controller_registration_request import ControllerRegistrationRequest
    from riacho.wire.messages.controller_registration_response import ControllerRegistrationResponse


def handle(
    ctx: QuorumRequestContext, request: ControllerRegistrationRequest
) -> Outcome[ControllerRegistrationResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    return ctx.quorum.controller.submit(lambda controller: controller.register_controller(request))

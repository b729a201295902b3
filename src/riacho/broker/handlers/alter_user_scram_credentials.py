"""AlterUserScramCredentials, v0 (KIP-554): set and forget what lets users log in by SCRAM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.security.operations import CLUSTER_NAME, AclOperation, AclResourceType

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.alter_user_scram_credentials_request import AlterUserScramCredentialsRequest
    from riacho.wire.messages.alter_user_scram_credentials_response import AlterUserScramCredentialsResponse


def handle(
    ctx: QuorumRequestContext, request: AlterUserScramCredentialsRequest
) -> Outcome[AlterUserScramCredentialsResponse]:
    if not ctx.allows(AclOperation.ALTER, AclResourceType.CLUSTER, CLUSTER_NAME):
        raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    return ctx.quorum.controller.submit(lambda controller: controller.alter_user_scram_credentials(request))

"""AlterClientQuotas, v0-1 (KIP-546): set and take away quotas of users, client ids and addresses.

Addresses may be host names: those that nobody can resolve are refused, so they are looked up first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.requests.addresses import is_address, resolved
from riacho.broker.requests.later import Later, Outcome
from riacho.metadata.image.client_quotas import IP
from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.alter_client_quotas_request import AlterClientQuotasRequest
    from riacho.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse


def handle(ctx: QuorumRequestContext, request: AlterClientQuotasRequest) -> Outcome[AlterClientQuotasResponse]:
    ctx.check_cluster(AclOperation.ALTER_CONFIGS)
    hosts = {
        part.entity_name
        for entry in request.entries
        for part in entry.entity
        if part.entity_type == IP and part.entity_name and not is_address(part.entity_name)
    }
    if hosts:
        return Later.of(_after_looking_up(ctx, request, hosts))
    return ctx.quorum.controller.submit(lambda controller: controller.alter_client_quotas(request))


async def _after_looking_up(
    ctx: QuorumRequestContext, request: AlterClientQuotasRequest, hosts: set[str]
) -> AlterClientQuotasResponse:
    unknown = frozenset([host for host in hosts if not await resolved(ctx.node.loop, host)])
    return await ctx.quorum.controller.decided(lambda controller: controller.alter_client_quotas(request, unknown))

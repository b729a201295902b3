"""ListTransactions, v0-2 (KIP-664): the transactional ids that this broker coordinates.

v1: those that run for longer than a duration (KIP-994). v2: those whose id matches a pattern (KIP-1152).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.security.operations import AclOperation, AclResourceType
from riacho.transactions.listing import unknown_states
from riacho.wire.messages.list_transactions_response import ListTransactionsResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.list_transactions_request import ListTransactionsRequest


def handle(ctx: BrokerRequestContext, request: ListTransactionsRequest) -> ListTransactionsResponse:
    try:
        listed = ctx.coordinators.transactions.list(request)
    except KafkaError as error:
        return ListTransactionsResponse(error_code=error.code)
    return ListTransactionsResponse(
        unknown_state_filters=unknown_states(request),
        transaction_states=[
            state
            for state in listed
            if ctx.allows(AclOperation.DESCRIBE, AclResourceType.TRANSACTIONAL_ID, state.transactional_id, False)
        ],
    )

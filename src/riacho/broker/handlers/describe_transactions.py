"""DescribeTransactions, v0 (KIP-664): state, timeout, producer and partitions of transactional ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.requests.later import settled
from riacho.security.operations import AclOperation, AclResourceType
from riacho.transactions.shard import DESCRIBE_TRANSACTION
from riacho.wire.messages.describe_transactions_response import DescribeTransactionsResponse, TransactionState

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.wire.messages.describe_transactions_request import DescribeTransactionsRequest


async def handle(ctx: BrokerRequestContext, request: DescribeTransactionsRequest) -> DescribeTransactionsResponse:
    return DescribeTransactionsResponse(
        transaction_states=[await _describe(ctx, transactional_id) for transactional_id in request.transactional_ids]
    )


async def _describe(ctx: BrokerRequestContext, transactional_id: str) -> TransactionState:
    if not ctx.allows(AclOperation.DESCRIBE, AclResourceType.TRANSACTIONAL_ID, transactional_id):
        return DESCRIBE_TRANSACTION.refused(transactional_id, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    state = await settled(ctx.coordinators.transactions.ask(DESCRIBE_TRANSACTION, transactional_id))
    state.topics = [
        topic
        for topic in state.topics
        if ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, topic.topic, is_audited=False)
    ]
    return state

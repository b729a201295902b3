"""EndTxn, v0-5: commit or abort a transaction (KIP-98).

v2: PRODUCER_FENCED may be answered. v4: TRANSACTION_ABORTABLE may be. v5: the epoch rises with every transaction, and
the answer tells the new one (KIP-890). Answered when the decision is committed; the markers follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.security.operations import AclOperation, AclResourceType
from riacho.transactions.end import END_TXN

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import BrokerRequestContext
    from riacho.broker.requests.later import Outcome
    from riacho.wire.messages.end_txn_request import EndTxnRequest
    from riacho.wire.messages.end_txn_response import EndTxnResponse


def handle(ctx: BrokerRequestContext, request: EndTxnRequest) -> Outcome[EndTxnResponse]:
    if not ctx.allows(AclOperation.WRITE, AclResourceType.TRANSACTIONAL_ID, request.transactional_id):
        return END_TXN.refused(request, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    return ctx.coordinators.transactions.ask_with_producer_id(END_TXN, request, ctx.version)

"""How a request about a transactional id is decided in its shard: with the transaction of that id, if there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from riacho.base.errors import ErrorCode
from riacho.base.operation import Operation
from riacho.transactions.decision_context import DecisionContext
from riacho.transactions.transaction import Transaction

if TYPE_CHECKING:
    from riacho.base.coordination import CoordinatorDecision
    from riacho.transactions.shard import TransactionShard

Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")


def transaction_operation(
    decide: Callable[Concatenate[Transaction | None, DecisionContext, Q, P], T],
    *,
    key: Callable[[Q], str],
    refused: Callable[[Q, ErrorCode], T],
    writes: bool = True,
) -> Operation[TransactionShard, Q, P, T]:
    """No request is ever parked: what `decide` returns is the answer."""

    def decide_in(
        shard: TransactionShard, request_id: int, now_ms: int, request: Q, /, *args: P.args, **kwargs: P.kwargs
    ) -> CoordinatorDecision:
        context = shard.new_context(now_ms)
        context.decision.answer(
            request_id, decide(shard.transactions.get(key(request)), context, request, *args, **kwargs)
        )
        return context.decision

    return Operation(key, decide_in, refused, writes)

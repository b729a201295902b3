"""Asking the coordinator: everybody who asked is answered, whatever happens to the question."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from riacho.base.errors import ErrorCode
from riacho.broker.produce.transaction_verifier import TransactionVerifier
from riacho.broker.requests.later import Outcome
from riacho.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnTransaction
from riacho.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResult
from support.virtual_time import VirtualClock, run_virtual

WHERE = ("t", 0)


class Elsewhere:
    """A coordinator whose transactions are all another broker's."""

    def coordinator_node(self, transactional_id: str) -> int:
        return 2

    def add_partitions_of(self, transaction: AddPartitionsToTxnTransaction) -> Outcome[AddPartitionsToTxnResult]:
        raise AssertionError("not coordinated here")


def test_a_failure_that_nobody_thought_of_reaches_all_who_asked() -> None:
    async def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("surprise")

    async def main() -> None:
        peers: Any = SimpleNamespace(get=lambda _: SimpleNamespace(send=fail), close=lambda: None)
        verifier = TransactionVerifier(1, Elsewhere(), peers)
        asked = [verifier.ask("x", 5, epoch, [WHERE], verify_only=False, knows_abortable=True) for epoch in (1, 2)]
        errors = await asyncio.wait_for(asyncio.gather(*asked), 10)
        assert errors == [{WHERE: ErrorCode.NETWORK_EXCEPTION}] * 2
        verifier.close()

    run_virtual(main(), VirtualClock())

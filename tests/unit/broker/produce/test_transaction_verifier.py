"""Asking the coordinator: everybody who asked is answered, whatever happens to the question."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from riacho.base.errors import ErrorCode
from riacho.broker.produce.transaction_verifier import TransactionVerifier
from support.registered_brokers import broker_endpoints, peer_connector
from support.virtual_time import VirtualClock, run_virtual

WHERE = ("t", 0)


def test_a_failure_that_nobody_thought_of_reaches_all_who_asked() -> None:
    async def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("surprise")

    async def main() -> None:
        reach = {"endpoints": broker_endpoints(), "peer_connector": peer_connector()}
        broker: Any = SimpleNamespace(node_id=1, **reach, transactions=SimpleNamespace(coordinator_node=lambda _: 2))
        verifier = TransactionVerifier(broker)
        verifier._peers = SimpleNamespace(get=lambda _: SimpleNamespace(send=fail), close=lambda: None)  # type: ignore[assignment]
        asked = [verifier.ask("x", 5, epoch, [WHERE], verify_only=False, knows_abortable=True) for epoch in (1, 2)]
        errors = await asyncio.wait_for(asyncio.gather(*asked), 10)
        assert errors == [{WHERE: ErrorCode.NETWORK_EXCEPTION}] * 2
        verifier.close()

    run_virtual(main(), VirtualClock())

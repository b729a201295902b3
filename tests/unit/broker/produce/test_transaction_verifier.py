"""Asking the coordinator: everybody who asked is answered, whatever happens to the question."""

from __future__ import annotations

import asyncio
from typing import NoReturn

from riacho.base.errors import ErrorCode
from riacho.broker.environment import SystemNetwork
from riacho.broker.peers.node_peers import NodePeers
from riacho.broker.produce.transaction_verifier import TransactionVerifier
from riacho.broker.requests.later import Outcome
from riacho.client.peer.peer import Peer
from riacho.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnTransaction
from riacho.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResult
from support.registered_brokers import broker_endpoints, peer_connector
from support.virtual_time import VirtualClock, run_virtual

WHERE = ("t", 0)


class Elsewhere:
    """A coordinator whose transactions are all another broker's."""

    def coordinator_node(self, transactional_id: str) -> int:
        return 2

    def add_partitions_of(self, transaction: AddPartitionsToTxnTransaction) -> Outcome[AddPartitionsToTxnResult]:
        raise AssertionError("not coordinated here")


class FailingPeer(Peer):
    """Nothing is connected: sending fails at once."""

    async def send(self, *_: object, **__: object) -> NoReturn:
        raise RuntimeError("surprise")


class FailingPeers(NodePeers):
    def __init__(self) -> None:
        super().__init__(broker_endpoints().inter_broker, peer_connector(), "test")

    def get(self, node_id: int) -> Peer:
        return FailingPeer(SystemNetwork(), "h", 1, client_id="test")


def test_a_failure_that_nobody_thought_of_reaches_all_who_asked() -> None:
    async def main() -> None:
        verifier = TransactionVerifier(1, Elsewhere(), FailingPeers())
        asked = [verifier.ask("x", 5, epoch, [WHERE], verify_only=False, knows_abortable=True) for epoch in (1, 2)]
        errors = await asyncio.wait_for(asyncio.gather(*asked), 10)
        assert errors == [{WHERE: ErrorCode.NETWORK_EXCEPTION}] * 2
        verifier.close()

    run_virtual(main(), VirtualClock())

"""Asking a transaction's coordinator whether partitions belong to it, or adding them to it (KIP-890).

With transaction version 1 the producer has added its partitions beforehand, and a partition only makes sure of it;
with version 2 the partition adds itself. The coordinator is this broker or another; for each other one a request is in
flight at a time, and what comes meanwhile goes along with the next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.peers.node_batches import NodeBatches
from riacho.broker.requests.later import Outcome, settled
from riacho.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)

if TYPE_CHECKING:
    from riacho.broker.peers.node_peers import NodePeers
    from riacho.wire.messages.add_partitions_to_txn_response import (
        AddPartitionsToTxnResponse,
        AddPartitionsToTxnResult,
    )

TopicPartition = tuple[str, int]
Errors = dict[TopicPartition, ErrorCode]

_TRANSACTIONS_PER_REQUEST = 1_000
_TIMEOUT_MS = 30_000

_logger = logging.getLogger("riacho.transactions")


class TransactionCoordinator(Protocol):
    """This broker's."""

    def coordinator_node(self, transactional_id: str) -> int:
        """Which broker coordinates; KafkaError when nobody does now."""
        ...

    def add_partitions_of(self, transaction: AddPartitionsToTxnTransaction) -> Outcome[AddPartitionsToTxnResult]: ...


class _Question(NamedTuple):
    transaction: AddPartitionsToTxnTransaction
    answer: asyncio.Future[AddPartitionsToTxnResult]


class TransactionVerifier:
    def __init__(self, node_id: int, transactions: TransactionCoordinator, peers: NodePeers) -> None:
        self._node_id = node_id
        self._transactions = transactions
        self._peers = peers
        self._batches: NodeBatches[_Question] = NodeBatches(self._send, _TRANSACTIONS_PER_REQUEST)

    async def ask(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Iterable[TopicPartition],
        *,
        verify_only: bool,
        knows_abortable: bool,
    ) -> Errors:
        """The partitions that may not be written to, and why. `knows_abortable`: TRANSACTION_ABORTABLE means something
        to the client."""
        asked = list(partitions)
        transaction = _transaction(transactional_id, producer_id, producer_epoch, asked, verify_only)
        try:
            result = await self._result(transaction)
        except KafkaError as error:
            # Clients are not to see that one broker may not ask another.
            hidden = error.code is ErrorCode.CLUSTER_AUTHORIZATION_FAILED
            return dict.fromkeys(asked, ErrorCode.INVALID_TXN_STATE if hidden else error.code)
        return _errors(result, knows_abortable)

    def close(self) -> None:
        self._batches.close()
        self._peers.close()

    async def _result(self, transaction: AddPartitionsToTxnTransaction) -> AddPartitionsToTxnResult:
        node_id = self._transactions.coordinator_node(transaction.transactional_id)
        if node_id == self._node_id:
            return await settled(self._transactions.add_partitions_of(transaction))
        question = _Question(transaction, asyncio.get_running_loop().create_future())
        self._batches.add(node_id, question)
        return await question.answer

    async def _send(self, node_id: int, questions: list[_Question]) -> None:
        """A transaction may be in a request once: another question about it takes the next one."""
        while questions:
            now: dict[str, _Question] = {}
            later = []
            for question in questions:
                if now.setdefault(question.transaction.transactional_id, question) is not question:
                    later.append(question)
            await self._send_distinct(node_id, now)
            questions = later

    async def _send_distinct(self, node_id: int, questions: dict[str, _Question]) -> None:
        request = AddPartitionsToTxnRequest(transactions=[question.transaction for question in questions.values()])
        try:
            response: AddPartitionsToTxnResponse = await self._peers.get(node_id).send(request, timeout_ms=_TIMEOUT_MS)
            if response.error_code:
                raise KafkaError(ErrorCode(response.error_code))
            answers = {result.transactional_id: result for result in response.results_by_transaction}
            failure: KafkaError | None = None
        except KafkaError as error:
            answers, failure = {}, error
        except Exception as error:
            # Each of them holds up a connection: all need an answer.
            _logger.exception("partitions not verified node_id=%d transactions=%d", node_id, len(questions))
            answers, failure = {}, KafkaError(ErrorCode.NETWORK_EXCEPTION, type(error).__name__)
        for transactional_id, question in questions.items():
            if question.answer.done():
                continue
            answer = answers.get(transactional_id)
            if answer is not None:
                question.answer.set_result(answer)
            else:
                question.answer.set_exception(failure or KafkaError(ErrorCode.NETWORK_EXCEPTION, "no answer for it"))


def _transaction(
    transactional_id: str, producer_id: int, producer_epoch: int, partitions: list[TopicPartition], verify_only: bool
) -> AddPartitionsToTxnTransaction:
    by_topic: dict[str, list[int]] = {}
    for topic, index in partitions:
        by_topic.setdefault(topic, []).append(index)
    return AddPartitionsToTxnTransaction(
        transactional_id=transactional_id,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        verify_only=verify_only,
        topics=[AddPartitionsToTxnTopic(name=name, partitions=indexes) for name, indexes in by_topic.items()],
    )


def _errors(result: AddPartitionsToTxnResult, knows_abortable: bool) -> Errors:
    found: Errors = {}
    for topic in result.topic_results:
        for partition in topic.results_by_partition:
            code = ErrorCode(partition.partition_error_code)
            if code is ErrorCode.NONE:
                continue
            if code is ErrorCode.PRODUCER_FENCED:
                code = ErrorCode.INVALID_PRODUCER_EPOCH
            elif code is ErrorCode.TRANSACTION_ABORTABLE and not knows_abortable:
                code = ErrorCode.INVALID_TXN_STATE
            found[(topic.name, partition.partition_index)] = code
    return found

"""One transaction shard driven by hand: a clock that is a number, a log that is a list, and answers by request id.

It does what the broker's driver does with a decision, at once and without a broker. Markers that are due wait in
`due` until `write_markers` plays the leaders that confirm them; `written` remembers them all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, ParamSpec, TypeVar

import msgspec

from riacho.base.coordination import CoordinatorDecision, CoordinatorRecord
from riacho.base.errors import ErrorCode
from riacho.base.operation import Operation
from riacho.transactions.config import TransactionConfig
from riacho.transactions.end import END_TXN
from riacho.transactions.init_producer_id import INIT_PRODUCER_ID
from riacho.transactions.markers import MarkersDue, ProducerIdNeeded
from riacho.transactions.partitions import ADD_OFFSETS, ADD_PARTITIONS, ADD_PARTITIONS_OF, VERIFY_PARTITIONS
from riacho.transactions.records import transaction_record
from riacho.transactions.shard import TransactionShard
from riacho.transactions.transaction import Partition, Transaction
from riacho.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from riacho.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from riacho.wire.messages.end_txn_request import EndTxnRequest
from riacho.wire.messages.end_txn_response import EndTxnResponse
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.init_producer_id_response import InitProducerIdResponse
from riacho.wire.messages.list_transactions_request import ListTransactionsRequest

Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")

ID = "tx"
OFFSETS_PARTITION = 7
OFFSETS = ("__consumer_offsets", OFFSETS_PARTITION)
T0 = ("t", 0)
T1 = ("t", 1)


def durable_state(shard: TransactionShard) -> dict[str, Transaction]:
    """What must be the same in a shard that was loaded from the log."""
    return {
        transactional_id: msgspec.structs.replace(transaction, last_producer_epoch=-1)
        for transactional_id, transaction in shard.transactions.items()
    }


class TransactionWorld:
    def __init__(self, config: TransactionConfig | None = None, transaction_version: int = 2) -> None:
        self.config = config or TransactionConfig()
        self.transaction_version = transaction_version
        self.now_ms = 1_000_000
        self.log: list[CoordinatorRecord] = []
        self.due: list[MarkersDue] = []
        self.written: list[MarkersDue] = []
        self.wanting_id: list[str] = []
        self._request_ids = itertools.count(1)
        self._producer_ids = itertools.count(1_000)
        # What the shard is given when it takes one, and what it took.
        self._at_hand = -1
        self.taken_producer_ids: list[int] = []
        self.shard = self._new_shard()
        self.run(self.shard.finish_loading(self.now_ms))

    def run(self, decision: CoordinatorDecision) -> Any:
        """Perform it; the answer to the request, if it was one."""
        self.log += decision.records
        decision.apply_to(self.shard)
        answers = [response for _, response in decision.reply]
        for effect in decision.effects:
            if isinstance(effect, MarkersDue):
                self.due.append(effect)
            else:
                assert isinstance(effect, ProducerIdNeeded), f"unknown effect {effect}"
                self.wanting_id.append(effect.transactional_id)
        assert len(answers) <= 1
        return answers[0] if answers else None

    def reloaded(self) -> TransactionShard:
        """A shard that has only seen the log."""
        shard = self._new_shard()
        for record in self.log:
            shard.apply(record.key, record.value)
        return shard

    def restart(self) -> None:
        """Lose everything that is not in the log, also the markers on their way."""
        self.run(self.shard.abandon(ErrorCode.NOT_COORDINATOR))
        self.due.clear()
        self.wanting_id.clear()
        self.shard = self.reloaded()
        self.run(self.shard.finish_loading(self.now_ms))

    def pass_time(self, duration_ms: int) -> None:
        """Let every timeout on the way happen at its time."""
        end_ms = self.now_ms + duration_ms
        while (due_ms := self.shard.next_deadline_ms()) is not None and due_ms <= end_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.run(self.shard.expire(self.now_ms))
        self.now_ms = end_ms

    def give_producer_ids(self) -> None:
        """What was asked for by timeouts."""
        wanting, self.wanting_id = self.wanting_id, []
        for transactional_id in wanting:
            self._at_hand = next(self._producer_ids)
            self.run(self.shard.abort_timed_out(transactional_id, self.now_ms))

    def write_markers(self) -> None:
        """Every leader confirms."""
        due, self.due = self.due, []
        for each in due:
            self.written.append(each)
            self.confirm(each, each.partitions)

    def confirm(self, due: MarkersDue, partitions: Iterable[Partition]) -> None:
        self.run(
            self.shard.markers_written(
                due.transactional_id, due.producer_id, due.producer_epoch, partitions, self.now_ms
            )
        )

    def transaction(self, transactional_id: str = ID) -> Transaction:
        return self.shard.transactions[transactional_id]

    @property
    def state(self) -> str:
        return self.transaction().state.label

    @property
    def producer(self) -> tuple[int, int]:
        return self.transaction().producer_id, self.transaction().producer_epoch

    def edit(self, transactional_id: str = ID, **changes: Any) -> None:
        """As if the transaction had come this far by itself; epochs take long to use up otherwise."""
        changed = msgspec.structs.replace(self.transaction(transactional_id), **changes)
        self.run(CoordinatorDecision(records=[transaction_record(changed, self.transaction_version)]))

    # Requests

    def init(
        self,
        transactional_id: str | None = ID,
        *,
        version: int = 5,
        timeout_ms: int = 60_000,
        producer_id: int = -1,
        producer_epoch: int = -1,
        **fields: Any,
    ) -> InitProducerIdResponse:
        request = InitProducerIdRequest(
            transactional_id=transactional_id,
            transaction_timeout_ms=timeout_ms,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            **fields,
        )
        self._at_hand = next(self._producer_ids)
        response: InitProducerIdResponse = self.run(self.decide(INIT_PRODUCER_ID, request, version))
        return response

    def initialised(self, transactional_id: str = ID, **how: Any) -> tuple[int, int]:
        response = self.init(transactional_id, **how)
        assert response.error_code == 0, ErrorCode(response.error_code).name
        return response.producer_id, response.producer_epoch

    def add(
        self,
        producer: tuple[int, int],
        *partitions: Partition,
        transactional_id: str = ID,
        version: int = 5,
        verify_only: bool = False,
    ) -> ErrorCode | dict[Partition, ErrorCode]:
        """By a client up to version 3, by a broker from 4 on. One code where all partitions have the same."""
        if version < 4:
            request = AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=transactional_id,
                v3_and_below_producer_id=producer[0],
                v3_and_below_producer_epoch=producer[1],
                v3_and_below_topics=_topics(partitions),
            )
            decision = self.decide(ADD_PARTITIONS, request, version)
            results = self.run(decision).results_by_topic_v3_and_below
        else:
            transaction = AddPartitionsToTxnTransaction(
                transactional_id=transactional_id,
                producer_id=producer[0],
                producer_epoch=producer[1],
                verify_only=verify_only,
                topics=_topics(partitions),
            )
            decision = self.decide(VERIFY_PARTITIONS if verify_only else ADD_PARTITIONS_OF, transaction)
            result = self.run(decision)
            assert result.transactional_id == transactional_id
            results = result.topic_results
        codes = {
            (topic.name, each.partition_index): ErrorCode(each.partition_error_code)
            for topic in results
            for each in topic.results_by_partition
        }
        assert set(codes) == set(partitions)
        return next(iter(codes.values())) if len(set(codes.values())) == 1 else codes

    def verify(self, producer: tuple[int, int], *partitions: Partition) -> ErrorCode | dict[Partition, ErrorCode]:
        return self.add(producer, *partitions, verify_only=True)

    def add_offsets(self, producer: tuple[int, int], *, version: int = 4, transactional_id: str = ID) -> ErrorCode:
        request = AddOffsetsToTxnRequest(
            transactional_id=transactional_id, producer_id=producer[0], producer_epoch=producer[1], group_id="g"
        )
        decision = self.decide(ADD_OFFSETS, request, OFFSETS_PARTITION, version)
        return ErrorCode(self.run(decision).error_code)

    def ask_end(
        self, producer: tuple[int, int], *, committed: bool, version: int = 5, transactional_id: str = ID
    ) -> EndTxnResponse:
        request = EndTxnRequest(
            transactional_id=transactional_id,
            producer_id=producer[0],
            producer_epoch=producer[1],
            committed=committed,
        )
        self._at_hand = next(self._producer_ids)
        response: EndTxnResponse = self.run(self.decide(END_TXN, request, version))
        return response

    def commit(self, producer: tuple[int, int], version: int = 5) -> ErrorCode:
        return ErrorCode(self.ask_end(producer, committed=True, version=version).error_code)

    def abort(self, producer: tuple[int, int], version: int = 5) -> ErrorCode:
        return ErrorCode(self.ask_end(producer, committed=False, version=version).error_code)

    def listed(self, **filters: Any) -> list[str]:
        return [each.transactional_id for each in self.shard.list(ListTransactionsRequest(**filters), self.now_ms)]

    def decide(
        self, operation: Operation[TransactionShard, Q, P, T], request: Q, /, *args: P.args, **kwargs: P.kwargs
    ) -> CoordinatorDecision:
        return operation.decide(self.shard, next(self._request_ids), self.now_ms, request, *args, **kwargs)

    def _take_producer_id(self) -> int:
        self.taken_producer_ids.append(self._at_hand)
        return self._at_hand

    def _new_shard(self) -> TransactionShard:
        return TransactionShard(self.config, lambda: self.transaction_version, self._take_producer_id)


def _topics(partitions: Iterable[Partition]) -> list[AddPartitionsToTxnTopic]:
    topics: dict[str, list[int]] = {}
    for topic, partition in partitions:
        topics.setdefault(topic, []).append(partition)
    return [AddPartitionsToTxnTopic(name=topic, partitions=numbers) for topic, numbers in topics.items()]

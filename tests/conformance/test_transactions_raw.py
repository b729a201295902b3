"""Transactions request by request: what a broker answers when the steps are missing, late, or out of order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.confluent import create_topic
from conformance.raw import RawConnection, wait_until_served
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode
from riacho.wire.records import Record, build_batch

NONE = ErrorCode.NONE


class RawProducer:
    """One connection to a broker that coordinates and leads everything."""

    def __init__(self, connection: RawConnection, name: str) -> None:
        self.connection = connection
        self.name = name
        self.producer_id = self.epoch = -1

    def initialise(self) -> None:
        eventually(lambda: self._find() == NONE)

        def work() -> bool:
            answer = self.connection.ask("InitProducerId", 4, transactional_id=self.name, transaction_timeout_ms=60_000)
            self.producer_id, self.epoch = answer.producer_id, answer.producer_epoch
            return bool(answer.error_code == NONE)

        eventually(work)

    def _find(self) -> int:
        answer = self.connection.ask("FindCoordinator", 4, key_type=1, coordinator_keys=[self.name])
        code: int = answer.coordinators[0].error_code
        return code

    def add(self, *, epoch: int | None = None, topic: str | None = None) -> int:
        answer = self.connection.ask(
            "AddPartitionsToTxn",
            3,
            v3_and_below_transactional_id=self.name,
            v3_and_below_producer_id=self.producer_id,
            v3_and_below_producer_epoch=self.epoch if epoch is None else epoch,
            v3_and_below_topics=[{"name": topic or self.name, "partitions": [0]}],
        )
        code: int = answer.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code
        return code

    def produce(self, version: int, sequence: int, *, epoch: int | None = None, named: bool = True) -> int:
        batch = build_batch(
            [Record(0, 0, b"k", b"v")],
            base_timestamp=1_000,
            producer_id=self.producer_id,
            producer_epoch=self.epoch if epoch is None else epoch,
            base_sequence=sequence,
            transactional=True,
        )
        data = [{"name": self.name, "partition_data": [{"index": 0, "records": bytes(batch)}]}]
        answer = self.connection.ask(
            "Produce",
            version,
            transactional_id=self.name if named else None,
            acks=-1,
            timeout_ms=5_000,
            topic_data=data,
        )
        code: int = answer.responses[0].partition_responses[0].error_code
        return code

    def end(self, version: int, *, committed: bool = True, epoch: int | None = None) -> Any:
        return self.connection.ask(
            "EndTxn",
            version,
            transactional_id=self.name,
            producer_id=self.producer_id,
            producer_epoch=self.epoch if epoch is None else epoch,
            committed=committed,
        )

    def ended(self) -> None:
        """Until the markers are written."""

        def work() -> bool:
            answer = self.connection.ask("DescribeTransactions", 0, transactional_ids=[self.name])
            return str(answer.transaction_states[0].transaction_state).startswith("Complete")

        eventually(work)


@pytest.fixture
def producer(broker: RunningBroker, name: str) -> Iterator[RawProducer]:
    create_topic(broker.bootstrap, name)
    with RawConnection(broker.address) as connection:
        wait_until_served(connection, name)
        made = RawProducer(connection, name)
        made.initialise()
        yield made


def test_a_write_needs_its_partition_in_the_transaction(producer: RawProducer) -> None:
    assert producer.produce(11, 0) == ErrorCode.TRANSACTION_ABORTABLE
    assert producer.produce(10, 0) == ErrorCode.INVALID_TXN_STATE
    assert producer.add() == NONE
    assert producer.produce(10, 0) == NONE
    # The same request again and again takes the shortest way there is, and must not when the transaction is over.
    assert [producer.produce(10, sequence) for sequence in (1, 2, 3)] == [NONE] * 3
    assert producer.produce(10, 3) == NONE  # a retry
    assert producer.end(3).error_code == NONE
    producer.ended()
    assert producer.produce(10, 4) == ErrorCode.INVALID_TXN_STATE
    assert producer.add() == NONE
    assert producer.produce(10, 4) == NONE


def test_from_version_12_on_a_write_adds_its_partition(producer: RawProducer) -> None:
    assert producer.produce(12, 0) == NONE
    assert producer.produce(12, 1) == NONE
    ended = producer.end(5)
    assert (ended.error_code, ended.producer_id, ended.producer_epoch) == (
        NONE,
        producer.producer_id,
        producer.epoch + 1,
    )
    # A client that missed the answer asks again.
    eventually(lambda: producer.end(5).error_code == NONE)
    assert producer.end(5).producer_epoch == producer.epoch + 1
    # Late data of the transaction that is over.
    assert producer.produce(12, 2) == ErrorCode.INVALID_PRODUCER_EPOCH
    producer.epoch += 1
    assert producer.produce(12, 3) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producer.produce(12, 0) == NONE
    assert producer.end(5, committed=False).error_code == NONE


def test_a_transaction_needs_a_transactional_id(producer: RawProducer) -> None:
    assert producer.add() == NONE
    assert producer.produce(11, 0, named=False) == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert producer.produce(11, 0) == NONE
    assert producer.produce(11, 1, named=False) == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


def test_other_epochs_are_fenced(producer: RawProducer) -> None:
    assert producer.add(epoch=producer.epoch + 1) == ErrorCode.PRODUCER_FENCED
    assert producer.add() == NONE
    assert producer.produce(11, 0) == NONE
    old = producer.epoch
    producer.initialise()
    assert producer.epoch > old
    assert producer.add(epoch=old) == ErrorCode.PRODUCER_FENCED
    assert producer.produce(11, 1, epoch=old) == ErrorCode.INVALID_PRODUCER_EPOCH
    assert producer.end(3, epoch=old).error_code == ErrorCode.PRODUCER_FENCED
    assert producer.end(1, epoch=old).error_code == ErrorCode.INVALID_PRODUCER_EPOCH


def test_what_does_not_exist_is_not_added(producer: RawProducer) -> None:
    assert producer.add(topic=f"{producer.name}-none") == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert producer.end(3).error_code == ErrorCode.INVALID_TXN_STATE


def test_markers_of_version_2_must_raise_the_epoch(producer: RawProducer) -> None:
    assert producer.produce(12, 0) == NONE

    def write(epoch: int, version: int) -> int:
        marker = {
            "producer_id": producer.producer_id,
            "producer_epoch": epoch,
            "transaction_result": False,
            "topics": [{"name": producer.name, "partition_indexes": [0]}],
            "coordinator_epoch": 0,
            "transaction_version": version,
        }
        answer = producer.connection.ask("WriteTxnMarkers", 2, markers=[marker])
        code: int = answer.markers[0].topics[0].partitions[0].error_code
        return code

    assert write(producer.epoch, 2) == ErrorCode.INVALID_PRODUCER_EPOCH
    assert write(producer.epoch + 1, 2) == NONE
    assert write(producer.epoch + 1, 2) == NONE  # once more, as after a lost answer
    assert write(producer.epoch, 0) == ErrorCode.INVALID_PRODUCER_EPOCH

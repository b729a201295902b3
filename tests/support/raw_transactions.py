"""A transactional producer of transaction version 2 (KIP-890), request by request: nothing happens behind one's back.

Every request is repeated as it stands while its error is retriable; any other error is the caller's to see.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import TRANSACTION_KEY_TYPE, Cluster, check
from riacho.client.connection import Connection
from riacho.client.settings import ClientSettings
from riacho.wire.messages.end_txn_request import EndTxnRequest
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.txn_offset_commit_request import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from riacho.wire.records import Record, build_batch
from riacho.wire.schema import Message

TRANSACTION_TIMEOUT_MS = 60_000


class RawTransactions:
    def __init__(self, bootstrap: str, transactional_id: str) -> None:
        addresses = [address.rsplit(":", 1) for address in bootstrap.split(",")]
        self._cluster = Cluster(
            ClientSettings(
                tuple((host, int(port)) for host, port in addresses),
                client_id=transactional_id,
                connect_timeout_ms=2_000,
                request_timeout_ms=5_000,
                api_timeout_ms=60_000,
                retry_backoff_ms=50,
                retry_backoff_max_ms=200,
            )
        )
        self.transactional_id = transactional_id
        self.producer_id = self.producer_epoch = -1
        self._sequences: dict[tuple[str, int], int] = {}

    def __enter__(self) -> RawTransactions:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._cluster.close()

    def initialise(self) -> None:
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id, transaction_timeout_ms=TRANSACTION_TIMEOUT_MS
        )

        def work() -> None:
            response = self._ask(self._coordinator(), request, 5)
            check(response.error_code)
            self._enter(response.producer_id, response.producer_epoch)

        self._cluster.retry(work)

    def produce(self, topic: str, index: int, value: bytes) -> int:
        """The offset."""
        sequence = self._sequences.get((topic, index), 0)
        batch = build_batch(
            [Record(0, 0, b"key", value)],
            base_timestamp=time.time_ns() // 1_000_000,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            base_sequence=sequence,
            transactional=True,
        )
        data = TopicProduceData(name=topic, partition_data=[PartitionProduceData(index=index, records=bytes(batch))])
        request = ProduceRequest(transactional_id=self.transactional_id, acks=-1, timeout_ms=5_000, topic_data=[data])

        def work() -> int:
            found = self._cluster.topics([topic])[topic].partitions
            leader = next(each.leader_id for each in found if each.partition_index == index)
            if leader < 0:
                raise KafkaError(ErrorCode.LEADER_NOT_AVAILABLE)
            response = self._ask(self._cluster.broker(leader), request, 12)
            answer = response.responses[0].partition_responses[0]
            check(answer.error_code, answer.error_message)
            offset: int = answer.base_offset
            return offset

        offset = self._cluster.retry(work)
        self._sequences[topic, index] = sequence + 1
        return offset

    def commit_offset(self, group_id: str, topic: str, index: int, offset: int) -> None:
        partition = TxnOffsetCommitRequestPartition(
            partition_index=index, committed_offset=offset, committed_metadata=""
        )
        request = TxnOffsetCommitRequest(
            transactional_id=self.transactional_id,
            group_id=group_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            topics=[TxnOffsetCommitRequestTopic(name=topic, partitions=[partition])],
        )

        def work() -> None:
            response = self._ask(self._cluster.coordinator(group_id), request, 5)
            check(response.topics[0].partitions[0].error_code)

        self._cluster.retry(work)

    def end(self, committed: bool) -> None:
        request = EndTxnRequest(
            transactional_id=self.transactional_id,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            committed=committed,
        )

        def work() -> None:
            response = self._ask(self._coordinator(), request, 5)
            check(response.error_code)
            self._enter(response.producer_id, response.producer_epoch)

        self._cluster.retry(work)

    def _coordinator(self) -> Connection:
        return self._cluster.coordinator(self.transactional_id, TRANSACTION_KEY_TYPE)

    def _ask(self, connection: Connection, request: Message, version: int) -> Any:
        try:
            return connection.send(request, version)
        except KafkaError:
            # Whatever broke: the next try connects anew.
            self._cluster.close()
            raise

    def _enter(self, producer_id: int, producer_epoch: int) -> None:
        assert (producer_id, producer_epoch) != (self.producer_id, self.producer_epoch)
        self.producer_id, self.producer_epoch = producer_id, producer_epoch
        self._sequences.clear()

"""A producer: one batch after the other to one partition, each sent again until it is acknowledged."""

from __future__ import annotations

import asyncio

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.produce_response import PartitionProduceResponse
from riacho.wire.records import Record, build_batch
from support.simulated_client import SimulatedClient
from support.simulated_history import Acked, History, Value
from support.simulated_time import WALL_START_MS

ACKS_ALL, ACKS_LEADER = -1, 1
_RECORDS_PER_BATCH_MAX = 4


class SimulatedProducer:
    def __init__(
        self,
        client: SimulatedClient,
        history: History,
        topic: str,
        partition: int,
        *,
        acks: int = ACKS_ALL,
        is_idempotent: bool = True,
        pause_s: float = 0.05,
    ) -> None:
        self.client = client
        self.sent_count = 0
        self.is_stopping = False
        self._history = history
        self._topic = topic
        self._partition = partition
        self._acks = acks
        self._pause_s = pause_s
        self._is_idempotent = is_idempotent
        self._producer_id, self._producer_epoch = -1, -1
        if is_idempotent:
            history.idempotent.add(client.name)

    async def run(self) -> None:
        if self._is_idempotent:
            await self._take_producer_id()
        rng = self.client.rng
        while not self.is_stopping:
            count = rng.randint(1, _RECORDS_PER_BATCH_MAX)
            await self._send([Value(self.client.name, self.sent_count + at) for at in range(count)])
            self.sent_count += count
            await asyncio.sleep(rng.uniform(0, 2 * self._pause_s))
        self.client.close()

    async def _take_producer_id(self) -> None:
        while True:
            response = await self.client.ask_any(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=0))
            if not response.error_code:
                self._producer_id, self._producer_epoch = response.producer_id, response.producer_epoch
                return
            self.client.check_passing(ErrorCode(response.error_code))
            await self.client.back_off()

    async def _send(self, values: list[Value]) -> None:
        key = (self._topic, self._partition)
        self._history.sent.update((key, value) for value in values)
        while True:
            answer = await self._attempt(values)
            if answer is not None:
                break
            self.client.forget_leader(*key)
            await self.client.back_off()
        acked = self._history.acked if self._acks == ACKS_ALL else self._history.acked_by_leader
        now_us = self.client.world.loop.now_us
        acked += [Acked(key, answer.base_offset + at, value, now_us) for at, value in enumerate(values)]

    async def _attempt(self, values: list[Value]) -> PartitionProduceResponse | None:
        peer, _ = await self.client.leader(self._topic, self._partition)
        part = PartitionProduceData(index=self._partition, records=self._batch(values))
        topic_id = self.client.topic_ids[self._topic]
        request = ProduceRequest(
            acks=self._acks,
            timeout_ms=1_500,
            topic_data=[TopicProduceData(name=self._topic, topic_id=topic_id, partition_data=[part])],
        )
        # Names up to version 12, ids from 13 on (KIP-516).
        version = 12 if self.client.rng.random() < 0.5 else 13
        try:
            response = await peer.send(request, version=version)
        except KafkaError as error:
            self.client.check_passing(error.code)
            return None
        answer: PartitionProduceResponse = response.responses[0].partition_responses[0]
        if answer.error_code:
            self.client.check_passing(ErrorCode(answer.error_code))
            return None
        return answer

    def _batch(self, values: list[Value]) -> bytearray:
        records = [
            Record(offset_delta=at, timestamp_delta=0, key=None, value=value.encode())
            for at, value in enumerate(values)
        ]
        return build_batch(
            records,
            base_timestamp=WALL_START_MS + self.client.world.loop.now_us // 1_000,
            producer_id=self._producer_id,
            producer_epoch=self._producer_epoch,
            base_sequence=self.sent_count if self._is_idempotent else -1,
        )

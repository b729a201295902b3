"""A producer: some batches at a time to one partition, sent again in their order until each is acknowledged.

What it may meet is strict: no batch is ever out of order, neither one that continues what was acknowledged, nor one of
the last five, nor one that follows a batch which was refused. Only when the leader alone acknowledges may what came
before be gone; then a new epoch begins (KIP-360).
"""

from __future__ import annotations

import asyncio
from itertools import accumulate
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.peer.peer import Peer
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.produce_response import PartitionProduceResponse
from riacho.wire.records import Record, build_batch
from support.simulated_client import SimulatedClient
from support.simulated_history import Acked, History, Value
from support.simulated_time import WALL_START_MS

ACKS_ALL, ACKS_LEADER = -1, 1
# As many as a broker remembers of each producer.
IN_FLIGHT_MAX = 5
_RECORDS_PER_BATCH_MAX = 4
_PAUSE_S_MAX = 2.5
# Between two batches on their way to a leader: enough for it to lose or win its replicated log.
_APART_S_MAX = 0.03


class Batch(NamedTuple):
    values: list[Value]
    sequence: int


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
        in_flight_max: int = 1,
        pause_s: float = 0.05,
    ) -> None:
        self.client = client
        self.sent_count = 0
        self.acked_count = 0
        self.is_stopping = False
        self._history = history
        self._topic = topic
        self._partition = partition
        self._acks = acks
        self._pause_s = pause_s
        self._in_flight_max = in_flight_max
        self._is_idempotent = is_idempotent
        self._producer_id, self._producer_epoch = -1, -1
        self._next_sequence = 0
        # Names up to version 12, ids from 13 on (KIP-516).
        self._version = client.rng.choice((12, 13))
        self._is_cut = False
        if is_idempotent:
            history.ordered.add(client.name)
            if acks == ACKS_ALL:
                history.idempotent.add(client.name)

    async def run(self) -> None:
        if self._is_idempotent:
            await self._take_producer_id()
        rng = self.client.rng
        while not self.is_stopping:
            count = rng.randint(1, self._in_flight_max)
            await self._send([self._new_batch() for _ in range(count)])
            await asyncio.sleep(min(_PAUSE_S_MAX, rng.uniform(0, 2 * self._pause_s) * count))
        self.client.close()

    def _new_batch(self) -> Batch:
        count = self.client.rng.randint(1, _RECORDS_PER_BATCH_MAX)
        values = [Value(self.client.name, self.sent_count + at) for at in range(count)]
        self.sent_count += count
        self._history.sent.update(((self._topic, self._partition), value) for value in values)
        return self._numbered(values)

    def _numbered(self, values: list[Value]) -> Batch:
        sequence = self._next_sequence
        self._next_sequence += len(values)
        return Batch(values, sequence)

    async def _take_producer_id(self) -> None:
        while True:
            response = await self.client.ask_any(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=0))
            if not response.error_code:
                self._producer_id, self._producer_epoch = response.producer_id, response.producer_epoch
                return
            self.client.check_passing(ErrorCode(response.error_code))
            await self.client.back_off()

    async def _send(self, batches: list[Batch]) -> None:
        while batches:
            peer, _ = await self.client.leader(self._topic, self._partition)
            self._is_cut = False
            starts_s = [0.0, *accumulate(self.client.rng.uniform(0, _APART_S_MAX) for _ in batches[1:])]
            attempts = (self._attempt(peer, batch, at_s) for batch, at_s in zip(batches, starts_s, strict=True))
            answers = await asyncio.gather(*attempts)
            batches = self._unacknowledged(batches, answers)
            if batches:
                self.client.forget_leader(self._topic, self._partition)
                await self.client.back_off()
        self.acked_count = self.sent_count

    async def _attempt(self, peer: Peer, batch: Batch, in_s: float) -> PartitionProduceResponse | KafkaError:
        await asyncio.sleep(in_s)
        if self._is_cut:
            # On a connection of its own it would come without those before it.
            return KafkaError(ErrorCode.NETWORK_EXCEPTION)
        part = PartitionProduceData(index=self._partition, records=self._encoded(batch))
        topic_id = self.client.topic_ids[self._topic]
        request = ProduceRequest(
            acks=self._acks,
            timeout_ms=1_500,
            topic_data=[TopicProduceData(name=self._topic, topic_id=topic_id, partition_data=[part])],
        )
        try:
            response = await peer.send(request, version=self._version)
        except KafkaError as error:
            self._is_cut = True
            return error
        answer: PartitionProduceResponse = response.responses[0].partition_responses[0]
        return KafkaError(ErrorCode(answer.error_code)) if answer.error_code else answer

    def _unacknowledged(
        self, batches: list[Batch], answers: list[PartitionProduceResponse | KafkaError]
    ) -> list[Batch]:
        """What has to be sent again."""
        left: list[Batch] = []
        for batch, answer in zip(batches, answers, strict=True):
            if not isinstance(answer, KafkaError):
                self._acknowledged(batch, answer.base_offset)
            elif answer.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER and self._may_be_out_of_order:
                left.append(self._in_new_epoch(batch))
            else:
                self.client.check_passing(answer.code)
                left.append(batch)
        return left

    @property
    def _may_be_out_of_order(self) -> bool:
        """The leader alone had acknowledged, and is gone."""
        return self._acks == ACKS_LEADER and self._in_flight_max == 1

    def _in_new_epoch(self, batch: Batch) -> Batch:
        self._producer_epoch += 1
        self._next_sequence = 0
        self.client.world.event(f"{self.client.name} begins epoch {self._producer_epoch}")
        return self._numbered(batch.values)

    def _acknowledged(self, batch: Batch, base_offset: int) -> None:
        acked = self._history.acked if self._acks == ACKS_ALL else self._history.acked_by_leader
        key, now_us = (self._topic, self._partition), self.client.world.loop.now_us
        acked += [Acked(key, base_offset + at, value, now_us) for at, value in enumerate(batch.values)]

    def _encoded(self, batch: Batch) -> bytearray:
        records = [
            Record(offset_delta=at, timestamp_delta=0, key=None, value=value.encode())
            for at, value in enumerate(batch.values)
        ]
        return build_batch(
            records,
            base_timestamp=WALL_START_MS + self.client.world.loop.now_us // 1_000,
            producer_id=self._producer_id,
            producer_epoch=self._producer_epoch,
            base_sequence=batch.sequence if self._is_idempotent else -1,
        )

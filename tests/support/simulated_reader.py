"""Readers of one partition: one that follows it through the run, and one that reads it whole when all is quiet."""

from __future__ import annotations

from collections.abc import Iterator

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.batch import Buffer, iterate_headers
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from riacho.wire.messages.fetch_response import PartitionData
from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from riacho.wire.records import iterate_records
from support.simulated_client import SimulatedClient
from support.simulated_history import History, Read, Value, Watermark

_LATEST = -1


class SimulatedReader:
    def __init__(self, client: SimulatedClient, history: History, topic: str, partition: int) -> None:
        self.client = client
        self.position = 0
        self.is_stopping = False
        self._history = history
        self._topic = topic
        self._partition = partition

    async def run(self) -> None:
        key = (self._topic, self._partition)
        while not self.is_stopping:
            for offset, value in await self.poll():
                self._history.reads.append(Read(self.client.name, key, offset, value))
        self.client.close()

    async def poll(self) -> list[tuple[int, Value]]:
        """What one fetch brings; the position moves past it."""
        peer, epoch = await self.client.leader(self._topic, self._partition)
        wanted = FetchPartition(
            partition=self._partition,
            current_leader_epoch=epoch,
            fetch_offset=self.position,
            partition_max_bytes=self.client.rng.choice((400, 64 * 1024)),
        )
        topic = FetchTopic(topic=self._topic, topic_id=self.client.topic_ids[self._topic], partitions=[wanted])
        request = FetchRequest(max_wait_ms=500, min_bytes=1, topics=[topic])
        try:
            response = await peer.send(request, version=12 if self.client.rng.random() < 0.5 else 17)
            if response.error_code:
                raise KafkaError(ErrorCode(response.error_code))
            part = response.responses[0].partitions[0]
            if part.error_code:
                raise KafkaError(ErrorCode(part.error_code))
        except KafkaError as error:
            self.client.check_passing(error.code)
            self.client.forget_leader(self._topic, self._partition)
            await self.client.back_off()
            return []
        return self._take(part, epoch)

    def _take(self, part: PartitionData, epoch: int) -> list[tuple[int, Value]]:
        key = (self._topic, self._partition)
        self._history.watermarks.append(Watermark(self.client.name, key, epoch, part.high_watermark))
        found = [(offset, value) for offset, value in _values(part.records) if offset >= self.position]
        if found:
            last, _ = found[-1]
            assert last < part.high_watermark, (
                f"{key} gave offset {last} above its high watermark {part.high_watermark}"
            )
            self.position = last + 1
        return found

    async def read_whole(self) -> None:
        """From the start to the end that there is now."""
        end = await self._end_offset()
        everything: list[tuple[int, Value]] = []
        self.position = 0
        while self.position < end:
            everything += await self.poll()
        self._history.final[self._topic, self._partition] = everything
        self.client.close()

    async def _end_offset(self) -> int:
        while True:
            peer, epoch = await self.client.leader(self._topic, self._partition)
            part = ListOffsetsPartition(partition_index=self._partition, current_leader_epoch=epoch, timestamp=_LATEST)
            topics = [ListOffsetsTopic(name=self._topic, partitions=[part])]
            try:
                response = await peer.send(ListOffsetsRequest(replica_id=-1, topics=topics))
                answer = response.topics[0].partitions[0]
                if not answer.error_code:
                    return int(answer.offset)
                self.client.check_passing(ErrorCode(answer.error_code))
            except KafkaError as error:
                self.client.check_passing(error.code)
            self.client.forget_leader(self._topic, self._partition)
            await self.client.back_off()


def _values(records: Buffer | None) -> Iterator[tuple[int, Value]]:
    """(offset, value) of whole batches; the last one may be cut off."""
    if records is None:
        return
    for position, header in iterate_headers(records):
        if header.is_control:
            continue
        for record in iterate_records(records, position):
            assert record.value is not None
            yield header.base_offset + record.offset_delta, Value.parse(bytes(record.value))

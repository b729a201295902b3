"""Readers of one partition: one that follows it through the run, and one that reads it whole when all is quiet.

A reader that says which rack it is in is sent to the replica there (KIP-392), and goes back to the leader when that one
fails it, or when it has not asked the leader for a while.
"""

from __future__ import annotations

from collections.abc import Iterator

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.peer.peer import Peer
from riacho.wire.batch import Buffer, iterate_headers
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from riacho.wire.messages.fetch_response import PartitionData
from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from riacho.wire.records import iterate_records
from support.simulated_client import SimulatedClient
from support.simulated_history import History, Read, Value, Watermark

_LATEST = -1
_LEADER = -1
_READS_FROM_FOLLOWER_MAX = 10
_MAX_WAIT_MS = 1_000


class SimulatedReader:
    def __init__(
        self, client: SimulatedClient, history: History, topic: str, partition: int, *, rack: str = ""
    ) -> None:
        self.client = client
        self.position = 0
        self.is_stopping = False
        self._history = history
        self.key = (topic, partition)
        self._topic = topic
        self._partition = partition
        self._rack = rack
        self._preferred = _LEADER
        self._reads_left = 0

    async def run(self) -> None:
        while not self.is_stopping:
            for offset, value in await self.poll():
                self._history.reads.append(Read(self.client.name, self.key, offset, value))
        self.client.close()

    async def poll(self) -> list[tuple[int, Value]]:
        """What one fetch brings; the position moves past it."""
        peer, epoch = await self.client.leader(self._topic, self._partition)
        follower = self._follower()
        wanted = FetchPartition(
            partition=self._partition,
            current_leader_epoch=epoch,
            fetch_offset=self.position,
            partition_max_bytes=self.client.rng.choice((400, 64 * 1024)),
        )
        topic = FetchTopic(topic=self._topic, topic_id=self.client.topic_ids[self._topic], partitions=[wanted])
        request = FetchRequest(max_wait_ms=_MAX_WAIT_MS, min_bytes=1, rack_id=self._rack, topics=[topic])
        try:
            response = await (follower or peer).send(request, version=12 if self.client.rng.random() < 0.5 else 17)
            if response.error_code:
                raise KafkaError(ErrorCode(response.error_code))
            part = response.responses[0].partitions[0]
            if part.error_code:
                raise KafkaError(ErrorCode(part.error_code))
        except KafkaError as error:
            if follower is None or error.code is not ErrorCode.OFFSET_OUT_OF_RANGE:
                # A follower may not have come as far as the one before it.
                self.client.check_passing(error.code)
            self._preferred = _LEADER
            self.client.forget_leader(self._topic, self._partition)
            await self.client.back_off()
            return []
        if part.preferred_read_replica >= 0:
            self._preferred, self._reads_left = part.preferred_read_replica, _READS_FROM_FOLLOWER_MAX
            if self.client.broker(self._preferred) is None:
                # It came back since we last asked.
                await self.client.refresh(self._topic)
        if follower is None and part.preferred_read_replica < 0:
            self._history.watermarks.append(Watermark(self.client.name, self.key, epoch, part.high_watermark))
        return self._take(part)

    def _follower(self) -> Peer | None:
        self._reads_left -= 1
        if self._reads_left < 0:
            self._preferred = _LEADER
        return None if self._preferred == _LEADER else self.client.broker(self._preferred)

    def _take(self, part: PartitionData) -> list[tuple[int, Value]]:
        found = [(offset, value) for offset, value in _values(part.records) if offset >= self.position]
        if found:
            last, _ = found[-1]
            assert last < part.high_watermark, (
                f"{self.key} gave offset {last} above its high watermark {part.high_watermark}"
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

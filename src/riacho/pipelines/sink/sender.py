"""Batches to the leaders of their partitions, again and again until each is acknowledged or its time is up.

One round is in flight while the next is encoded. A round has at most one batch of a partition, and the next begins only
when all of it is acknowledged: so batches of a partition stay in order whatever is retried, and sequence numbers make
a batch that was written before its answer got lost count once.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import zip_longest

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import error_of
from riacho.client.connection import Connection
from riacho.pipelines.sink.encoded_batch import Batch, TopicPartition
from riacho.pipelines.sink.errors import Fenced, SinkError, sink_error
from riacho.pipelines.sink.options import SinkOptions
from riacho.pipelines.sink.topic_leaders import TopicLeaders
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse

_PRODUCE = 0
# The last version before brokers take a partition into a transaction by themselves (KIP-890): ours are added before.
_PRODUCE_VERSION_MAX = 11
_LEADERS_AT_ONCE = 8
_GONE = frozenset({ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_ID_MAPPING})
_DONE = frozenset({ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER})

Round = dict[TopicPartition, Batch]


class Sender:
    """`leaders` and their cluster are used by the sender's thread alone while rounds are under way."""

    def __init__(self, leaders: TopicLeaders, options: SinkOptions, transactional_id: str | None) -> None:
        self._cluster = leaders.cluster
        self._options = options
        self._transactional_id = transactional_id
        self._leaders = leaders
        self._thread = ThreadPoolExecutor(1, "riacho-sink-sender")
        self._pool = ThreadPoolExecutor(_LEADERS_AT_ONCE, "riacho-sink-leader")
        self._under_way: Future[None] | None = None

    def send(self, round_: Round) -> None:
        """Returns when the round before this one is acknowledged."""
        self.flush()
        self._under_way = self._thread.submit(self._deliver, round_)

    def flush(self) -> None:
        under_way, self._under_way = self._under_way, None
        if under_way is not None:
            under_way.result()

    def close(self) -> None:
        self._thread.shutdown(wait=True)
        self._pool.shutdown(wait=True)

    # In the sender's thread

    def _deliver(self, round_: Round) -> None:
        waiting = dict(round_)
        settings = self._cluster.settings
        deadline_s = time.monotonic() + self._options.delivery_timeout_ms / 1000
        pauses = Backoff(settings.retry_backoff_ms, settings.retry_backoff_max_ms).pauses_ms()
        pause_ms = next(pauses)
        while True:
            problem = self._try(waiting)
            if not waiting:
                return
            if time.monotonic() + pause_ms / 1000 > deadline_s:
                topic_partition = next(iter(waiting))
                raise SinkError(
                    f"Records for {topic_partition} could not be delivered within "
                    f"{self._options.delivery_timeout_ms} ms (kafka.delivery.timeout.ms). {problem}"
                )
            if problem is not None:
                self._leaders.forget()
                with suppress(KafkaError):
                    self._cluster.live_brokers()
                time.sleep(pause_ms / 1000)
                pause_ms = next(pauses)

    def _try(self, waiting: Round) -> str | None:
        """One attempt at all of them; those that are acknowledged go. What stopped the last of the others, if any."""
        problem = None
        by_leader: dict[int, list[Batch]] = {}
        try:
            for batch in waiting.values():
                by_leader.setdefault(self._leaders.leader(batch.topic_partition), []).append(batch)
        except KafkaError as error:
            return self._passing(error)
        asked = []
        for leader_id, batches in by_leader.items():
            if leader_id < 0:
                problem = f"Partition {batches[0].topic_partition} has no leader."
                continue
            try:
                asked.append(self._pool.submit(self._ask, self._cluster.broker(leader_id), batches))
            except KafkaError as error:
                problem = self._passing(error)
        for future in asked:
            try:
                for batch, answer in future.result():
                    problem = self._settle(waiting, batch, answer) or problem
            except KafkaError as error:
                problem = self._passing(error)
        return problem

    def _ask(self, connection: Connection, batches: list[Batch]) -> list[tuple[Batch, PartitionProduceResponse]]:
        version = min(connection.version_for(_PRODUCE), _PRODUCE_VERSION_MAX)
        answers = []
        for request, part in self._requests(batches):
            response = self._cluster.ask(request, ProduceResponse, connection, version)
            found = {
                TopicPartition(topic.name, each.index): each
                for topic in response.responses
                for each in topic.partition_responses
            }
            answers += [(batch, found[batch.topic_partition]) for batch in part]
        return answers

    def _requests(self, batches: Iterable[Batch]) -> Iterator[tuple[ProduceRequest, list[Batch]]]:
        part: list[Batch] = []
        size_bytes = 0
        for batch in batches:
            if part and size_bytes + len(batch.data) > self._options.request_size_bytes_max:
                yield self._request(part), part
                part, size_bytes = [], 0
            part.append(batch)
            size_bytes += len(batch.data)
        if part:
            yield self._request(part), part

    def _request(self, batches: list[Batch]) -> ProduceRequest:
        topics: dict[str, TopicProduceData] = {}
        for topic_partition, data, _ in batches:
            topic = topics.setdefault(
                topic_partition.topic, TopicProduceData(name=topic_partition.topic, partition_data=[])
            )
            topic.partition_data.append(PartitionProduceData(index=topic_partition.partition, records=data))
        return ProduceRequest(
            transactional_id=self._transactional_id,
            acks=self._options.acks,
            timeout_ms=self._options.request_timeout_ms,
            topic_data=list(topics.values()),
        )

    def _settle(self, waiting: Round, batch: Batch, answer: PartitionProduceResponse) -> str | None:
        code = error_of(answer.error_code)
        topic_partition = batch.topic_partition
        if code in _DONE:
            del waiting[topic_partition]
            return None
        if code is ErrorCode.MESSAGE_TOO_LARGE and batch.rows > 1:
            first, rest = batch.halves()
            self._deliver({topic_partition: first})
            waiting[topic_partition] = rest
            return None
        if code.retriable:
            return answer.error_message or f"The last answer was {code.name}."
        raise _refused(code, topic_partition, len(batch.data), answer.error_message)

    def _passing(self, error: KafkaError) -> str:
        if not error.code.retriable and error.code is not ErrorCode.BROKER_NOT_AVAILABLE:
            raise sink_error(error) from None
        return error.detail


def _refused(code: ErrorCode, topic_partition: TopicPartition, size_bytes: int, message: str | None) -> SinkError:
    if code is ErrorCode.MESSAGE_TOO_LARGE:
        return SinkError(
            f"A record of about {size_bytes} bytes is larger than topic '{topic_partition.topic}' takes "
            "(max.message.bytes)."
        )
    if code is ErrorCode.TOPIC_AUTHORIZATION_FAILED:
        return SinkError(f"These credentials may not write to topic '{topic_partition.topic}'.")
    if code in _GONE:
        return Fenced(
            f"Writing to {topic_partition} was refused: another attempt at this task has taken over, "
            "or its transaction took longer than kafka.transaction.timeout.ms."
        )
    if code is ErrorCode.INVALID_TXN_STATE:
        return SinkError(
            f"Writing to {topic_partition} was refused: the transaction is over; raise kafka.transaction.timeout.ms."
        )
    return SinkError(f"Writing to {topic_partition} was refused: {message or code.name}.")


def rounds(batches: Iterable[Batch]) -> Iterator[Round]:
    """Batches in rounds, each with at most one of a partition; order is kept within a partition."""
    by_partition: dict[TopicPartition, list[Batch]] = {}
    for batch in batches:
        by_partition.setdefault(batch.topic_partition, []).append(batch)
    for together in zip_longest(*by_partition.values()):
        yield {batch.topic_partition: batch for batch in together if batch is not None}

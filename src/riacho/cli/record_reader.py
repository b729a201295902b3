"""Reads records from where to where one likes, without a group or as a member of one.

Without a group the partitions are assigned by hand, each with the offset to start at and, unless it follows, the one to
stop before. A partition is done when a record reaches that offset, or when the broker says that there is no more:
the last offsets may belong to transaction markers or to records that compaction took away, and never come.

As a member of a group the broker says which partitions to read and from where; `mark_read` commits what was shown, not
what was fetched, so nothing is lost when the reading is cut short.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.librdkafka_client import Settings, make_consumer, reach, refused
from riacho.cli.record_text import TextRecord
from riacho.cli.target import Target
from riacho.client.librdkafka.receiving import received

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message

    from riacho.client.offsets import TopicPartition

_POLL_S = 0.2
_BATCH = 500
PATIENCE_S = 30.0
# How long a member waits for its first partitions before it takes an empty group for an answer.
_JOIN_TIMEOUT_S = 30.0


def read_partitions(
    target: Target,
    starts: Mapping[TopicPartition, int],
    ends: Mapping[TopicPartition, int] | None,
    patience_s: float = PATIENCE_S,
) -> Iterator[TextRecord]:
    """From `starts` up to but not including `ends`; for ever where there are no ends."""
    from confluent_kafka import TopicPartition as Place

    open_ends = {p: end for p, end in ends.items() if starts[p] < end} if ends is not None else None
    wanted = [p for p in starts if open_ends is None or p in open_ends]
    if not wanted:
        return
    consumer = make_consumer(target)
    try:
        consumer.assign([Place(topic, partition, starts[topic, partition]) for topic, partition in wanted])
        for message in _messages(consumer, patience_s if open_ends is not None else None):
            place = (message.topic() or "", message.partition() or 0)
            end = open_ends.get(place) if open_ends is not None else None
            if open_ends is not None and end is None:
                continue
            is_end = _is_end_of_partition(message)
            offset = message.offset() or 0
            if not is_end and (end is None or offset < end):
                yield text_record(message)
            if open_ends is not None and end is not None and (is_end or offset >= end - 1):
                del open_ends[place]
                consumer.incremental_unassign([Place(*place)])
                if not open_ends:
                    return
    finally:
        consumer.close()


class GroupReader:
    """A member of a group. Iterate it, and call `mark_read` after each record that was dealt with."""

    def __init__(self, target: Target, group: str, topics: list[str], *, from_start: bool, follow: bool) -> None:
        reset = "earliest" if from_start else "latest"
        self._follow = follow
        self._assigned: set[TopicPartition] = set()
        self._done: set[TopicPartition] = set()
        self._has_joined = False
        settings: Settings = {"auto.offset.reset": reset, "enable.auto.commit": True, "enable.auto.offset.store": False}
        self._consumer = make_consumer(target, group, settings)
        reach(target)
        self._consumer.subscribe(topics, on_assign=self._on_assign, on_revoke=self._on_revoke)

    def __iter__(self) -> Iterator[TextRecord]:
        deadline = time.monotonic() + _JOIN_TIMEOUT_S
        while True:
            for message in _take(self._consumer):
                if _is_end_of_partition(message):
                    self._done.add((message.topic() or "", message.partition() or 0))
                else:
                    self._done.discard((message.topic() or "", message.partition() or 0))
                    yield text_record(message)
            if self._follow:
                continue
            if self._assigned and self._done >= self._assigned:
                return
            # More members than partitions: there is nothing for this one to read.
            if not self._assigned and (self._has_joined or time.monotonic() > deadline):
                return

    def mark_read(self, record: TextRecord) -> None:
        from confluent_kafka import TopicPartition as Place

        self._consumer.store_offsets(offsets=[Place(record.topic, record.partition, record.offset + 1)])

    def close(self) -> None:
        """Commits what was marked, and leaves the group."""
        self._consumer.close()

    def _on_assign(self, consumer: Any, places: list[Any]) -> None:
        self._has_joined = True
        self._assigned = {(place.topic, place.partition) for place in places}
        self._done.clear()

    def _on_revoke(self, consumer: Any, places: list[Any]) -> None:
        self._assigned -= {(place.topic, place.partition) for place in places}


def _messages(consumer: Consumer, patience_s: float | None) -> Iterator[Message]:
    """With patience, silence that lasts so long is an error: what is known to be there should come."""
    deadline = time.monotonic() + (patience_s or 0.0)
    while True:
        for message in _take(consumer):
            deadline = time.monotonic() + (patience_s or 0.0)
            yield message
        if patience_s is not None and time.monotonic() > deadline:
            raise KafkaError(ErrorCode.REQUEST_TIMED_OUT, f"Reading stopped: nothing came for {patience_s:g} s.")


def _take(consumer: Consumer) -> Iterator[Message]:
    """What has come, ends of partitions included. Errors that librdkafka overcomes by itself are passed over."""
    from confluent_kafka import KafkaError as ClientError

    for message in received(consumer, _BATCH, _POLL_S):
        error = message.error()
        if error is None or error.code() == ClientError._PARTITION_EOF:
            yield message
        elif error.fatal() or not _is_passing(error):
            raise refused(error, "Reading stopped")


def _is_passing(error: Any) -> bool:
    from confluent_kafka import KafkaError as ClientError

    local = (ClientError._TRANSPORT, ClientError._ALL_BROKERS_DOWN, ClientError._TIMED_OUT, ClientError._RESOLVE)
    return bool(error.retriable()) or error.code() in local


def _is_end_of_partition(message: Message) -> bool:
    return message.error() is not None


def text_record(message: Any) -> TextRecord:
    _, timestamp_ms = message.timestamp()
    return TextRecord(
        message.topic(),
        message.partition(),
        message.offset(),
        timestamp_ms,
        message.key(),
        message.value(),
        tuple(message.headers() or ()),
    )

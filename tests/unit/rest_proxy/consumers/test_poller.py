"""When the buffer is full: what is paused, and that it goes on."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import TopicPartition

from riacho.rest_proxy.consumers import poller as poller_module
from riacho.rest_proxy.consumers.buffer import Partition, RecordBuffer
from riacho.rest_proxy.consumers.poller import Poller


class _Message:
    def __init__(self, partition: int) -> None:
        self._partition = partition

    def __len__(self) -> int:
        return 1

    def topic(self) -> str:
        return "t"

    def partition(self) -> int:
        return self._partition

    def offset(self) -> int:
        return 0

    def key(self) -> None:
        return None

    def value(self) -> bytes:
        return b"1"

    def error(self) -> None:
        return None


class _Consumer:
    def __init__(self) -> None:
        self.paused: set[Partition] = set()
        self.coming: list[_Message] = []

    def pause(self, partitions: list[TopicPartition]) -> None:
        self.paused |= {(each.topic, each.partition) for each in partitions}

    def resume(self, partitions: list[TopicPartition]) -> None:
        self.paused -= {(each.topic, each.partition) for each in partitions}

    def poll(self, _: float) -> Any:
        ready = [message for message in self.coming if ("t", message.partition()) not in self.paused]
        if not ready:
            return None
        self.coming.remove(ready[0])
        return ready[0]

    def consume(self, _: int, __: float) -> list[Any]:
        return []


def test_a_partition_that_was_not_begun_is_not_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a seek in it would wait for a beginning that never comes."""
    monkeypatch.setattr(poller_module, "_FULL_WAIT_S", 0)
    monkeypatch.setattr(poller_module, "_PAUSED_WAIT_S", 0)
    poller = Poller("test", RecordBuffer(1_000, 1), auto_commit=False, on_change=lambda: None)
    consumer: Any = _Consumer()
    poller._consumer = consumer
    poller.on_assign(consumer, [TopicPartition("t", 0), TopicPartition("t", 1)])
    consumer.coming = [_Message(0)]
    poller._poll()
    assert poller.buffer.is_full
    poller._wait_for_reader()
    assert consumer.paused == {("t", 0)}
    consumer.coming = [_Message(1)]
    poller._wait_for_reader()
    poller._wait_for_reader()
    assert poller.started == consumer.paused == {("t", 0), ("t", 1)}
    assert len(poller.take(1_000).records) == 2
    poller._poll()
    assert consumer.paused == set()


def test_a_partition_that_is_taken_away_comes_back_unpaused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poller_module, "_FULL_WAIT_S", 0)
    poller = Poller("test", RecordBuffer(1_000, 1), auto_commit=False, on_change=lambda: None)
    consumer: Any = _Consumer()
    poller._consumer = consumer
    poller.on_assign(consumer, [TopicPartition("t", 0)])
    consumer.coming = [_Message(0)]
    poller._poll()
    poller._wait_for_reader()
    assert consumer.paused == {("t", 0)}
    poller.on_revoke(consumer, [TopicPartition("t", 0)])
    assert consumer.paused == set()
    assert (len(poller.buffer), poller.started, poller.assignment) == (0, set(), frozenset())

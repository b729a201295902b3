"""Tasks of one worker process, one after the other: connections are used again, and replaced when they are no good."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.running_broker import RunningBroker
from riacho.client.connection import Connection
from riacho.pipelines.source import split_reading
from riacho.pipelines.source.cluster_pool import ClusterPool, Leader, PooledCluster
from riacho.pipelines.source.splits import OffsetRange
from spark.source.conftest import Topics
from spark.source.topics import create_topic, delete_topic, numbered, produce

VALUES = [b"v0", b"v1", b"v2"]


class Worker:
    """What a worker process has, and how often it connects."""

    def __init__(self, bootstrap: str) -> None:
        self.options = {"kafka.bootstrap.servers": bootstrap, "subscribe": "t"}
        self.pool = ClusterPool()
        self.connected = 0

    def read(self, topic: str, end: int = 3) -> list[bytes]:
        batches = split_reading.read_split(self.options, OffsetRange(topic, 0, 0, end), streaming=True)
        return [value for batch in batches for value in batch.column("value").to_pylist()]

    @property
    def pooled(self) -> PooledCluster:
        [(_, _, pooled)] = self.pool._idle
        return pooled


@pytest.fixture
def worker(broker: RunningBroker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    own = Worker(broker.bootstrap)

    def connect(*arguments: Any) -> Connection:
        own.connected += 1
        return Connection(*arguments)

    monkeypatch.setattr("riacho.client.cluster.Connection", connect)
    monkeypatch.setattr(split_reading, "cluster_pool", own.pool)
    yield own
    for _, _, pooled in own.pool._idle:
        pooled.close()


def test_the_second_task_connects_to_nobody(broker: RunningBroker, topic: Topics, worker: Worker) -> None:
    name = topic()
    produce(broker.bootstrap, name, numbered(3, 1))
    assert worker.read(name) == VALUES
    before = worker.connected
    assert worker.read(name) == VALUES
    assert worker.connected == before


def test_a_connection_that_died_is_replaced(broker: RunningBroker, topic: Topics, worker: Worker) -> None:
    name = topic()
    produce(broker.bootstrap, name, numbered(3, 1))
    assert worker.read(name) == VALUES
    before = worker.connected
    for connection in worker.pooled.cluster._connections.values():
        connection._socket.shutdown(socket.SHUT_RDWR)
    assert worker.read(name) == VALUES
    assert worker.connected > before


def test_a_leader_that_moved_is_asked_for_again(broker: RunningBroker, topic: Topics, worker: Worker) -> None:
    name = topic()
    produce(broker.bootstrap, name, numbered(3, 1))
    assert worker.read(name) == VALUES
    leader = worker.pooled.leaders[name, 0]
    worker.pooled.learn((name, 0), Leader(leader.topic_id, 4711))
    assert worker.read(name) == VALUES
    assert worker.pooled.leaders[name, 0] == leader


def test_a_topic_that_was_made_anew_is_read(broker: RunningBroker, topic: Topics, worker: Worker) -> None:
    name = topic()
    produce(broker.bootstrap, name, numbered(3, 1))
    assert worker.read(name) == VALUES
    delete_topic(broker.bootstrap, name)
    create_topic(broker.bootstrap, name, 1)
    produce(broker.bootstrap, name, numbered(2, 1, first=7))
    assert worker.read(name, end=2) == [b"v7", b"v8"]


def test_a_read_that_was_given_up_keeps_nothing(broker: RunningBroker, topic: Topics, worker: Worker) -> None:
    name = topic()
    produce(broker.bootstrap, name, numbered(3, 1))
    batches = split_reading.read_split(worker.options, OffsetRange(name, 0, 0, 3), streaming=True)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    assert worker.pool._idle == []
    assert worker.read(name) == VALUES

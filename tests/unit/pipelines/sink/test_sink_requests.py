"""How many requests an epoch of a few rows takes, and what happens where what a process remembers is old."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pyarrow as pa
import pytest
from confluent_kafka.admin import AdminClient, NewPartitions

from riacho.client.cluster import Cluster
from riacho.client.connection import Connection
from riacho.pipelines.sink.encoded_batch import TopicPartition
from riacho.pipelines.sink.epoch import commit_epoch
from riacho.pipelines.sink.markers import SinkName
from riacho.pipelines.sink.options import SinkOptions, parse_options
from riacho.pipelines.sink.task import write_at_least_once, write_in_transaction
from riacho.pipelines.sink.task_written import TaskRun, TaskWritten
from riacho.pipelines.sink.topic_leaders import AGE_S_MAX, TopicLeaders
from riacho.testing import KafkaCluster
from riacho.wire.schema import Message
from support.spark_sink_reading import committed, text


@pytest.fixture(scope="module")
def brokers() -> Iterator[KafkaCluster]:
    with KafkaCluster(brokers=2) as started:
        yield started


class Query:
    def __init__(self, brokers: KafkaCluster) -> None:
        self.topic = f"t-{uuid4().hex[:8]}"
        self.bootstrap = brokers.bootstrap_servers
        brokers.create_topic(self.topic, partitions=1, replication_factor=2)
        self.name = SinkName(str(uuid4()), "s")

    @property
    def options(self) -> SinkOptions:
        # A client id of its own: processes share what they know among queries.
        given = {"kafka.bootstrap.servers": self.bootstrap, "topic": self.topic, "kafka.client.id": str(self.name)}
        return parse_options(given)

    def task(self, epoch: int, partition: int | None = None) -> TaskWritten:
        columns = {"value": pa.array([str(epoch)]), "partition": pa.array([partition], pa.int32())}
        return write_in_transaction(self.options, [pa.record_batch(columns)], TaskRun(self.name, epoch, 0))

    def run(self, epoch: int, partition: int | None = None) -> None:
        commit_epoch(self.options, [self.task(epoch, partition)])

    def committed(self, partitions: int = 1) -> list[str]:
        return sorted(text(m.value()) for m in committed(self.bootstrap, self.topic, partitions))


@pytest.fixture
def query(brokers: KafkaCluster) -> Query:
    return Query(brokers)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The requests of all threads, in order."""
    names: list[str] = []
    usual = Connection.send

    def send(self: Connection, request: Message, version: int | None = None) -> object:
        name = request.NAME.removesuffix("Request")
        # It is repeated while the coordinator is not done with the epoch before, which depends on the machine.
        if name != "InitProducerId" or names[-1:] != [name]:
            names.append(name)
        return usual(self, request, version)

    monkeypatch.setattr(Connection, "send", send)
    return names


READ_MARKERS = ["Metadata", "ListOffsets", "Fetch"]


def test_an_epoch_after_the_first_asks_nothing_that_is_known(query: Query, asked: list[str]) -> None:
    query.run(0)
    del asked[:]
    written = query.task(1)
    assert asked[:5] == ["InitProducerId", *READ_MARKERS, "AddPartitionsToTxn"]
    # Rows and marker together: one request for each broker that leads one of them.
    assert asked[5:] in (["Produce"], ["Produce"] * 2)
    del asked[:]
    commit_epoch(query.options, [written])
    assert asked == ["InitProducerId", *READ_MARKERS, "AddPartitionsToTxn", "Produce", "EndTxn", "EndTxn"]
    assert query.committed() == ["0", "1"]


def test_coordinators_and_leaders_that_moved_between_epochs(query: Query, brokers: KafkaCluster) -> None:
    query.run(0)
    for epoch, node_id in enumerate((1, 2), 1):
        brokers.restart(node_id)
        brokers.wait_in_sync()
        brokers.move_leader(query.topic, 0)
        query.run(epoch)
    assert query.committed() == ["0", "1", "2"]


def test_a_partition_that_was_added_between_epochs(query: Query) -> None:
    query.run(0)
    admin = AdminClient({"bootstrap.servers": query.bootstrap})
    admin.create_partitions([NewPartitions(query.topic, 2)])[query.topic].result(30)
    query.run(1, partition=1)
    assert query.committed(partitions=2) == ["0", "1"]


@pytest.mark.parametrize("is_transactional", [True, False], ids=["exactly once", "at least once"])
def test_a_topic_that_was_deleted_between_epochs_is_made_again(query: Query, is_transactional: bool) -> None:
    """As it is where nothing is remembered: brokers make a missing topic when they are asked for it."""

    def run(epoch: int) -> None:
        if is_transactional:
            query.run(epoch)
        else:
            batch = pa.record_batch({"value": pa.array([str(epoch)])})
            write_at_least_once(query.options, [batch], 0)

    run(0)
    admin = AdminClient({"bootstrap.servers": query.bootstrap})
    admin.delete_topics([query.topic])[query.topic].result(30)
    run(1)
    assert query.committed() == ["1"]


def test_leaders_are_asked_again_when_they_are_old(query: Query, asked: list[str]) -> None:
    now_s = 0.0
    with Cluster(query.options.settings) as cluster:
        leaders = TopicLeaders(cluster, 5_000, lambda: now_s)

        def requests() -> int:
            del asked[:]
            leaders.begin_task()
            assert leaders.leader(TopicPartition(query.topic, 0)) > 0
            return len(asked)

        assert requests() == 1
        assert requests() == 0
        now_s = AGE_S_MAX + 1
        assert requests() == 1
        # Within a task that has asked, a partition that is not there is asked for once.
        del asked[:]
        assert [leaders.count(query.topic, 7) for _ in range(3)] == [1] * 3
        assert asked == []

"""Leaders that move and brokers that restart while a task writes; and the answers of brokers that refuse."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import uuid4

import pyarrow as pa
import pytest

from riacho.client.transactions import describe_transaction
from riacho.pipelines.sink.epoch import commit_epoch
from riacho.pipelines.sink.errors import Fenced, SinkError
from riacho.pipelines.sink.markers import SinkName
from riacho.pipelines.sink.options import SinkOptions, parse_options
from riacho.pipelines.sink.process_clients import clients
from riacho.pipelines.sink.task import write_at_least_once, write_in_transaction
from riacho.pipelines.sink.task_written import SKIPPED, TaskRun, TaskWritten
from riacho.testing import KafkaCluster
from support.spark_sink_reading import committed, text

ROWS = 300
# Long enough for a busy machine to write in.
TRANSACTION_MS = 8_000
LIMIT_S = 120


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    settings = {
        "auto.create.topics.enable": "false",
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": "50",
    }
    with KafkaCluster(settings, brokers=2) as started:
        yield started


def options(cluster: KafkaCluster, topic: str, **more: str) -> SinkOptions:
    return parse_options({"kafka.bootstrap.servers": cluster.bootstrap_servers, "topic": topic} | more)


def batch(first: int) -> pa.RecordBatch:
    return pa.record_batch({"value": pa.array([str(n) for n in range(first, first + ROWS)])})


def disturbed(cluster: KafkaCluster, topic: str) -> Iterator[pa.RecordBatch]:
    """Between these batches everything that may happen to a leader does."""
    yield batch(0)
    cluster.move_leader(topic, 0)
    yield batch(ROWS)
    for node_id in (1, 2):
        cluster.restart(node_id)
    yield batch(2 * ROWS)


@pytest.mark.parametrize("is_transactional", [False, True], ids=["at least once", "exactly once"])
def test_leaders_that_move_and_restart(cluster: KafkaCluster, is_transactional: bool) -> None:
    topic = f"t-{uuid4().hex[:8]}"
    cluster.create_topic(topic, partitions=1, replication_factor=2)
    given, run = options(cluster, topic), TaskRun(SinkName(str(uuid4()), "s"), 0, 0)
    if is_transactional:
        written = write_in_transaction(given, disturbed(cluster, topic), run)
        commit_epoch(given, [written])
        assert write_in_transaction(given, disturbed(cluster, topic), run).outcome == SKIPPED
    else:
        written = write_at_least_once(given, disturbed(cluster, topic), 0)
    assert written.rows == 3 * ROWS
    # In order, and nothing twice: a batch that was sent again has the sequence number that it had.
    found = [int(text(m.value())) for m in committed(cluster.bootstrap_servers, topic)]
    assert found == list(range(3 * ROWS))


def test_transactions_that_time_out_before_their_commit(cluster: KafkaCluster) -> None:
    topic = f"t-{uuid4().hex[:8]}"
    cluster.create_topic(topic, partitions=1, replication_factor=2)
    name = SinkName(str(uuid4()), "s")
    short = options(cluster, topic, **{"kafka.transaction.timeout.ms": str(TRANSACTION_MS)})
    written = [write_in_transaction(short, [batch(task * ROWS)], TaskRun(name, 0, task)) for task in range(2)]
    deadline_s = time.monotonic() + LIMIT_S
    while any(state_of(short, message) != "CompleteAbort" for message in written):
        assert time.monotonic() < deadline_s, "the transactions are not aborted"
        time.sleep(0.05)
    with pytest.raises(Fenced, match=r"took longer than kafka.transaction.timeout.ms"):
        commit_epoch(short, written)
    given = options(cluster, topic)
    again = [write_in_transaction(given, [batch(task * ROWS)], TaskRun(name, 0, task)) for task in range(2)]
    commit_epoch(given, again)
    found = [int(text(m.value())) for m in committed(cluster.bootstrap_servers, topic)]
    assert found == list(range(2 * ROWS))


def state_of(given: SinkOptions, message: TaskWritten) -> str:
    assert message.transaction is not None
    told = describe_transaction(clients(given).cluster, message.transaction.transactional_id)
    return told.state.transaction_state


def test_a_topic_that_is_not_there(cluster: KafkaCluster) -> None:
    with pytest.raises(SinkError, match="Topic 'missing' does not exist, and the brokers do not create it"):
        write_at_least_once(options(cluster, "missing", **{"kafka.max.block.ms": "300"}), [batch(0)], 0)

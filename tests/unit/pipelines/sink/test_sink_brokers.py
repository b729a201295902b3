"""Leaders that move and brokers that restart while a task writes; and the answers of brokers that refuse."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pyarrow as pa
import pytest

from riacho.pipelines.sink.epoch import commit_epoch
from riacho.pipelines.sink.errors import SinkError
from riacho.pipelines.sink.markers import SinkName
from riacho.pipelines.sink.options import SinkOptions, parse_options
from riacho.pipelines.sink.task import SKIPPED, TaskRun, write_at_least_once, write_in_transaction
from riacho.testing import KafkaCluster
from support.spark_sink_reading import committed, text

ROWS = 300


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster({"auto.create.topics.enable": "false"}, brokers=2) as started:
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


def test_a_topic_that_is_not_there(cluster: KafkaCluster) -> None:
    with pytest.raises(SinkError, match="Topic 'missing' does not exist, and the brokers do not create it"):
        write_at_least_once(options(cluster, "missing", **{"kafka.max.block.ms": "300"}), [batch(0)], 0)

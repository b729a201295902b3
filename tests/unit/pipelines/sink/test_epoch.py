"""Exactly once without Spark: tasks and drivers in one process, in every order that failures can bring about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pytest

from riacho.pipelines.sink.epoch import abort_epoch, commit_epoch
from riacho.pipelines.sink.errors import Fenced, SinkError
from riacho.pipelines.sink.markers import EpochDecision, SinkName
from riacho.pipelines.sink.options import ANY_ROWS, parse_options
from riacho.pipelines.sink.process_clients import clients
from riacho.pipelines.sink.task import write_in_transaction
from riacho.pipelines.sink.task_written import EMPTY, SKIPPED, WRITTEN, TaskRun, TaskWritten
from riacho.pipelines.sink.transaction import Transaction, end
from riacho.testing import KafkaCluster
from support.spark_sink_reading import committed, text

PARTITIONS = 2


class World:
    """A topic and a query that writes to it."""

    def __init__(self, cluster: KafkaCluster, **options: str) -> None:
        self.topic = f"t-{uuid4().hex[:8]}"
        self._bootstrap = cluster.bootstrap_servers
        cluster.create_topic(self.topic, partitions=PARTITIONS)
        self.name = SinkName(str(uuid4()), "s")
        given = {"kafka.bootstrap.servers": self._bootstrap, "topic": self.topic, "kafka.max.block.ms": "60000"}
        self.options = parse_options(given | options)

    def task(self, epoch: int, task: int, rows: Sequence[str]) -> TaskWritten:
        batch = pa.record_batch({"key": pa.array(rows, pa.string()), "value": pa.array(rows, pa.string())})
        return write_in_transaction(self.options, [batch], TaskRun(self.name, epoch, task))

    def epoch(self, epoch: int, parts: Sequence[Sequence[str]]) -> list[TaskWritten]:
        return [self.task(epoch, index, rows) for index, rows in enumerate(parts)]

    def commit(self, messages: Sequence[TaskWritten | None]) -> None:
        commit_epoch(self.options, messages)

    def run(self, epoch: int, parts: Sequence[Sequence[str]]) -> list[str]:
        messages = self.epoch(epoch, parts)
        self.commit(messages)
        return [message.outcome for message in messages]

    def commit_only(self, message: TaskWritten) -> None:
        """What a driver does that is killed after this."""
        assert message.transaction is not None
        end(clients(self.options).cluster, message.transaction, is_commit=True)

    def note(self, messages: Sequence[TaskWritten]) -> None:
        """What a driver does that stops before its first commit."""
        nobody = Transaction(messages[0].run.name.transactional_id(0), 999_999, 0) if messages[0].run else None
        with pytest.raises(Fenced):
            commit_epoch(self.options, [replace(message, transaction=nobody) for message in messages])

    def committed(self) -> list[str]:
        """All that a reader of committed records sees, up to the end. Nothing may be open any more."""
        return sorted(text(m.value()) for m in committed(self._bootstrap, self.topic, PARTITIONS))


@pytest.fixture
def world(kafka_cluster_session: KafkaCluster) -> World:
    return World(kafka_cluster_session)


def test_epochs_follow_each_other(world: World) -> None:
    assert world.run(0, [["a", "b"], [], ["c"]]) == [WRITTEN, EMPTY, WRITTEN]
    assert world.run(1, [[], [], []]) == [EMPTY] * 3
    assert world.run(2, [["d"], ["e"], []]) == [WRITTEN, WRITTEN, EMPTY]
    assert world.committed() == list("abcde")


def test_a_whole_epoch_again_writes_nothing(world: World) -> None:
    world.run(0, [["a"], ["b"]])
    assert world.run(0, [["a"], ["b"]]) == [SKIPPED, SKIPPED]
    assert world.committed() == ["a", "b"]


def test_an_older_copy_of_a_checkpoint_is_refused(world: World) -> None:
    world.run(0, [["a"], ["b"]])
    world.run(1, [["c"], []])
    # The later epoch says that this one is in, for tasks that had no rows there too. But is it the same one?
    again = world.epoch(0, [["a"], ["b", "d"]])
    assert [each.outcome for each in again] == [SKIPPED, SKIPPED]
    with pytest.raises(SinkError, match=r"comes after epoch 1.*or it is an older copy"):
        world.commit(again)
    assert world.committed() == ["a", "b", "c"]


def test_an_epoch_with_other_rows_is_refused(kafka_cluster_session: KafkaCluster) -> None:
    """As when the last file of a checkpoint's offsets was removed: the number is given again, to more rows."""
    world = World(kafka_cluster_session)
    world.run(0, [["a"], ["b"]])
    again = world.epoch(0, [["a"], ["b", "c"]])
    with pytest.raises(SinkError, match="was written with 2 rows and now has 3, of which none were written"):
        world.commit(again)
    # A source that cannot repeat its rows says so.
    world.options = world.options._replace(replay=ANY_ROWS)
    assert world.run(0, [["a"], ["b", "c"]]) == [SKIPPED, SKIPPED]
    assert world.committed() == ["a", "b"]


def test_an_epoch_with_other_offsets_is_refused(kafka_cluster_session: KafkaCluster, tmp_path: Path) -> None:
    """From sources that give what they have now, rows tell nothing; but what Spark noted of the epoch does."""
    noted = tmp_path / "offsets" / "0"
    noted.parent.mkdir()
    noted.write_text("to 5")
    given = {"riacho.checkpoint": f"file://{tmp_path}", "riacho.replay": ANY_ROWS}
    world = World(kafka_cluster_session, **given)
    world.run(0, [["a"], ["b"]])
    assert world.run(0, [["a"], ["b", "c"]]) == [SKIPPED, SKIPPED]
    noted.write_text("to 7")
    again = world.epoch(0, [["a"], ["b"]])
    with pytest.raises(SinkError, match="was written with other offsets than it has now"):
        world.commit(again)
    # Where it cannot be read there is nothing to compare.
    noted.unlink()
    assert world.run(0, [["a"], ["b"]]) == [SKIPPED, SKIPPED]
    assert world.committed() == ["a", "b"]


def test_notes_of_before_rows_were_counted() -> None:
    old = EpochDecision.read({"epoch": 3, "tasks": 2, "written": 1, "what comes later": 7})
    assert EpochDecision.of(3, [5, 0]).repeats(old)
    assert not EpochDecision.of(3, [5, 5]).repeats(old)


def test_as_many_tasks_with_other_cuts_are_refused_where_markers_stand(world: World) -> None:
    first = world.epoch(0, [["a"], ["b"], ["c", "d"]])
    world.task(0, 0, ["a"])
    with pytest.raises(Fenced):
        world.commit(first)
    world.commit_only(first[2])
    second = world.epoch(0, [["a"], ["b", "c"], ["d"]])
    assert [each.outcome for each in second] == [WRITTEN, WRITTEN, SKIPPED]
    with pytest.raises(SinkError, match="partly written in 3 tasks and its 4 rows are now 4, or cut in another way"):
        world.commit(second)
    abort_epoch(world.options, second)
    assert world.run(0, [["a"], ["b"], ["c", "d"]]) == [WRITTEN, WRITTEN, SKIPPED]
    assert world.committed() == ["a", "b", "c", "d"]


def test_a_zombie_whose_tasks_have_no_successors(world: World) -> None:
    """Two drivers, whose cuts have rows in different tasks: neither run's tasks fence the other's."""
    zombie = world.epoch(0, [[], [], ["a", "b"]])
    other = world.epoch(0, [["a"], ["b"]])
    world.note(other)
    # It wakes when the other has made its note and committed nothing, and takes over.
    world.commit(zombie)
    for message in other:
        with pytest.raises(Fenced):
            world.commit_only(message)
    assert world.committed() == ["a", "b"]


def test_driver_killed_before_any_commit(world: World) -> None:
    world.epoch(0, [["a"], ["b"]])
    assert world.run(0, [["a"], ["b"]]) == [WRITTEN, WRITTEN]
    assert world.committed() == ["a", "b"]


def test_driver_killed_between_two_commits(world: World) -> None:
    world.run(0, [["z"], ["y"]])
    first = world.epoch(1, [["a"], ["b"]])
    world.commit_only(first[1])
    # The other one is still open while this replay looks for the marker, and holds the last stable offset back.
    assert world.task(1, 1, ["b"]).outcome == SKIPPED
    assert world.run(1, [["a"], ["b"]]) == [WRITTEN, SKIPPED]
    assert world.committed() == ["a", "b", "y", "z"]


def test_a_task_that_is_run_again_counts_once(world: World) -> None:
    first = world.task(0, 0, ["a"])
    world.commit([world.task(0, 0, ["a"])])
    with pytest.raises(Fenced, match="another attempt at this task or another driver"):
        world.commit([first])
    assert world.committed() == ["a"]


def test_a_zombie_driver_commits_nothing(world: World) -> None:
    zombie = world.epoch(0, [["a"], ["b"], ["c"]])
    assert world.run(0, [["a", "b"], ["c"]]) == [WRITTEN, WRITTEN]
    # It finds the epoch complete, though cut in another way, and gives up what it had open.
    world.commit(zombie)
    assert world.committed() == ["a", "b", "c"]


def test_a_zombie_driver_behind_the_others_is_told(world: World) -> None:
    world.run(0, [["z"], []])
    zombie = world.epoch(1, [[], ["a"]])
    # Not what Spark would do, which runs every epoch again: the note of a later one stops the zombie all the same.
    world.run(2, [["b"], []])
    with pytest.raises(SinkError, match="another driver is at work on the same checkpoint"):
        world.commit(zombie)
    abort_epoch(world.options, zombie)
    assert world.committed() == ["b", "z"]


def test_another_number_of_tasks_is_refused_where_markers_stand(world: World) -> None:
    first = world.epoch(0, [["a"], ["b"], ["c"]])
    world.commit_only(first[2])
    # The driver gets as far as its note: the first task's transaction is not there any more.
    world.task(0, 0, ["a"])
    with pytest.raises(Fenced):
        world.commit(first)
    second = world.epoch(0, [["a"], ["b", "c"]])
    with pytest.raises(SinkError, match="partly written in 3 tasks and is now run in 2"):
        world.commit(second)
    abort_epoch(world.options, second)
    assert world.run(0, [["a"], ["b"], ["c"]]) == [WRITTEN, WRITTEN, SKIPPED]
    assert world.committed() == ["a", "b", "c"]


def test_another_number_of_tasks_where_none_stands_is_written(world: World) -> None:
    first = world.epoch(0, [["a"], ["b"], ["c"]])
    world.task(0, 0, ["a"])
    with pytest.raises(Fenced):
        world.commit(first)
    assert world.run(0, [["a", "b"], ["c"]]) == [WRITTEN, WRITTEN]
    with pytest.raises(Fenced):
        world.commit_only(first[2])
    assert world.committed() == ["a", "b", "c"]


def test_another_number_of_tasks_after_the_whole_epoch_is_in(world: World) -> None:
    world.run(0, [["a"], ["b"], []])
    assert world.run(0, [["a", "b"]]) == [SKIPPED]
    assert world.run(0, [["a"], [], ["b"], []]) == [SKIPPED, EMPTY, WRITTEN, EMPTY]
    assert world.committed() == ["a", "b"]


def test_a_failed_task_leaves_nothing_open(world: World) -> None:
    batches = [pa.record_batch({"value": pa.array(["a"])}), pa.record_batch({"value": pa.array(["b" * 2_000_000])})]
    with pytest.raises(SinkError, match=r"larger than kafka.max.request.size"):
        write_in_transaction(world.options, batches, TaskRun(world.name, 0, 0))
    assert world.committed() == []


def test_batches_larger_than_the_topic_takes(kafka_cluster_session: KafkaCluster) -> None:
    world = World(kafka_cluster_session)
    small = f"small-{uuid4().hex[:8]}"
    kafka_cluster_session.create_topic(small, partitions=1, configs={"max.message.bytes": "2000"})
    options = world.options._replace(topic=small)
    batch = pa.record_batch({"value": pa.array([f"{n:0200d}" for n in range(50)])})
    message = write_in_transaction(options, [batch], TaskRun(world.name, 0, 0))
    commit_epoch(options, [message])
    assert message.rows == 50
    large = pa.record_batch({"value": pa.array(["x" * 3_000])})
    with pytest.raises(SinkError, match=r"larger than topic 'small-.*' takes"):
        write_in_transaction(options, [large], TaskRun(world.name, 1, 0))


def test_a_timeout_that_brokers_do_not_allow(kafka_cluster_session: KafkaCluster) -> None:
    world = World(kafka_cluster_session, **{"kafka.transaction.timeout.ms": "9000000"})
    with pytest.raises(SinkError, match="do not allow transactions of 9000000 ms"):
        world.task(0, 0, ["a"])

"""A share group whose consumers are killed all the time, and then the brokers too: nothing is left undone.

Every record whose write was acknowledged is accepted by some consumer at least once, as far as that one lived to hear
of it: a record whose acknowledgement was under way when somebody died must be finished at the end, and not for having
been tried too often. While only consumers die, no record is given out more often than the group allows, and no two
deliveries of a record have the same number.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, Message, Producer

from cluster.conftest import ClusterMaker
from riacho.client.cluster import Cluster
from riacho.client.settings import client_settings
from riacho.client.share_groups import share_group_offsets
from support.cluster_admin import set_configs
from support.cluster_faults_writers import SILENT
from support.cluster_processes import ProcessCluster
from support.cluster_topics import create_topic

WORKER = Path(__file__).parents[1] / "support" / "share_worker.py"
TOPIC, GROUP = "work", "workers"
PARTITIONS, WORKERS, LIMIT = 3, 4, 10
GROUP_RESOURCE = 32
_AT_WORK_S_MAX = 1.0
PROPERTIES = {
    "group.share.delivery.count.limit": str(LIMIT),
    "group.share.heartbeat.interval.ms": "500",
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.min.session.timeout.ms": "1000",
    "group.share.record.lock.duration.ms": "4000",
    "group.share.session.timeout.ms": "4000",
    "offsets.topic.num.partitions": "2",
    "share.coordinator.state.topic.num.partitions": "3",
    "share.coordinator.snapshot.update.records.per.snapshot": "20",
}
ALONE = {
    "offsets.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
}
pytestmark = pytest.mark.timeout(300)
Place = tuple[int, int]


class Workers:
    """Consumers in processes of their own; whoever dies is replaced."""

    def __init__(self, cluster: ProcessCluster, directory: Path) -> None:
        self._cluster = cluster
        self._directory = directory
        self._random = random.Random(7)
        self.running: list[subprocess.Popen[bytes]] = []
        self._diaries: dict[int, Path] = {}
        self._started = 0

    def start(self) -> None:
        diary = self._directory / f"diary-{self._started}"
        self._started += 1
        command = [sys.executable, str(WORKER), self._cluster.bootstrap, TOPIC, GROUP, str(diary)]
        with open(f"{diary}.err", "wb") as errors:
            self.running.append(subprocess.Popen(command, stdout=errors, stderr=errors))
        self._diaries[self.running[-1].pid] = diary

    def kill_one(self) -> None:
        """One that has records in hand, if there is one soon: kills of those who wait for work would show nothing."""
        deadline_s = time.monotonic() + _AT_WORK_S_MAX
        while not (at_work := [each for each in self.running if self._is_at_work(each)]):
            if time.monotonic() > deadline_s:
                at_work = self.running
                break
        victim = self._random.choice(at_work)
        victim.kill()
        victim.wait()
        self.running.remove(victim)
        self.start()

    def _is_at_work(self, worker: subprocess.Popen[bytes]) -> bool:
        diary = self._diaries[worker.pid]
        return diary.exists() and diary.read_bytes().rpartition(b"\nD ")[2].count(b"\n") == 1

    def close(self) -> None:
        for process in self.running:
            process.kill()
            process.wait()

    def delivered(self) -> dict[Place, list[int]]:
        found: dict[Place, list[int]] = defaultdict(list)
        for partition, offset, count in self._lines("D"):
            found[partition, offset].append(count)
        return found

    def complaints(self) -> str:
        """The last words of each."""
        return "\n".join(path.read_text()[-300:] for path in sorted(self._directory.glob("diary-*.err")))

    def accepted(self) -> set[Place]:
        return {(partition, offset) for partition, offset in self._lines("A")}

    def tried(self) -> set[Place]:
        """With an acknowledgement sent, whatever became of it."""
        return {(partition, offset) for partition, offset in self._lines("T")}

    def _lines(self, kind: str) -> Iterator[tuple[int, ...]]:
        for diary in self._directory.glob("diary-*[0-9]"):
            for line in diary.read_text().splitlines():
                if line.startswith(kind):
                    yield tuple(int(number) for number in line.split()[1:])


class Writer:
    """What it has written, and the broker has acknowledged."""

    def __init__(self, cluster: ProcessCluster) -> None:
        self._producer = Producer({"bootstrap.servers": cluster.bootstrap, "linger.ms": 2}, logger=SILENT)
        self.written: set[Place] = set()

    def write(self, count: int) -> None:
        for at in range(count):
            self._producer.produce(TOPIC, b"%d" % at, partition=at % PARTITIONS, on_delivery=self._noted)
        self._producer.poll(0)

    def flush(self) -> None:
        assert self._producer.flush(60) == 0

    def _noted(self, error: KafkaError | None, message: Message) -> None:
        partition, offset = message.partition(), message.offset()
        if error is None and partition is not None and offset is not None:
            self.written.add((partition, offset))


@pytest.fixture
def workers_of(tmp_path: Path) -> Iterator[Callable[[ProcessCluster], Workers]]:
    made: list[Workers] = []

    def new(cluster: ProcessCluster) -> Workers:
        made.append(Workers(cluster, tmp_path))
        return made[-1]

    yield new
    for each in made:
        each.close()


def until(question: Callable[[], bool], timeout_s: float, what: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not question():
        assert time.monotonic() < deadline_s, what()
        time.sleep(0.2)


def run(cluster: ProcessCluster, workers: Workers, rounds: int, fault: Callable[[int], None]) -> set[Place]:
    """Write in rounds with a fault in each, until all that was written is accepted; what was written."""
    create_topic(cluster, TOPIC, PARTITIONS, replication_factor=min(3, len(cluster.brokers)))
    set_configs(cluster, GROUP_RESOURCE, GROUP, {"share.auto.offset.reset": "earliest"})
    writer = Writer(cluster)
    for _ in range(WORKERS):
        workers.start()
    writer.write(60)
    until(lambda: len(workers.accepted()) > 0, 60, workers.complaints)
    for number in range(rounds):
        writer.write(60)
        goes_on = progress(workers)
        fault(number)
        until(goes_on, 60, workers.complaints)
    writer.flush()
    until(
        lambda: writer.written <= workers.tried() and lag(cluster) == 0,
        90,
        lambda: f"lag {lag(cluster)}, never acknowledged: {sorted(writer.written - workers.tried())[:20]}",
    )
    delivered = workers.delivered()
    for place in writer.written - workers.accepted():
        assert max(count for count in delivered[place]) < LIMIT, f"{place} may have been given up"
    return writer.written


def progress(workers: Workers) -> Callable[[], bool]:
    """Whether anything was accepted since now."""
    before = len(workers.accepted())
    return lambda: len(workers.accepted()) > before


def lag(cluster: ProcessCluster) -> int:
    """Records that the group has not finished."""
    with Cluster(client_settings(cluster.bootstrap, {})) as client:
        return sum(1 if each.lag is None else each.lag for each in share_group_offsets(client, GROUP).values())


def test_killed_consumers_leave_nothing_undone(
    make_cluster: ClusterMaker, workers_of: Callable[[ProcessCluster], Workers]
) -> None:
    cluster = make_cluster(brokers=1, properties=PROPERTIES | ALONE)
    workers = workers_of(cluster)
    written = run(cluster, workers, 15, lambda _: workers.kill_one())
    assert len(written) == 16 * 60
    delivered = workers.delivered()
    assert delivered.keys() >= written
    repeated = sum(len(counts) > 1 for counts in delivered.values())
    for place, counts in delivered.items():
        assert max(counts) <= LIMIT, f"{place} was given out {max(counts)} times"
        assert len(set(counts)) == len(counts), f"{place} has deliveries {counts}"
    # Kills that hit nobody at work would show nothing.
    assert repeated > 0


def test_killed_brokers_leave_nothing_undone(
    make_cluster: ClusterMaker, workers_of: Callable[[ProcessCluster], Workers]
) -> None:
    """A new leader knows no holds, so deliveries under way are not counted; each count is within the limit still."""
    cluster = make_cluster(brokers=3, properties=PROPERTIES)
    workers = workers_of(cluster)

    def fault(number: int) -> None:
        if number % 2:
            workers.kill_one()
            return
        victim = number // 2 % 3 + 1
        cluster.kill(victim)
        cluster.start(victim)

    run(cluster, workers, 6, fault)
    assert max(count for counts in workers.delivered().values() for count in counts) <= LIMIT

"""A disk that breaks under a running broker of a cluster, and replicas that move between disks (KIP-112, 113, 858).

Node 1 has two log directories, `one` with the metadata and `two`. A directory breaks by EIO from every call on its
files (`support.failing_disk`), or by being removed with all that is in it, which the broker notices when it needs a new
file. Its partitions must be led elsewhere, the others stay, and no client that waits for all replicas loses a record.
"""

from __future__ import annotations

import json
import shutil
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException

from cluster.test_kill_under_load import KEYS, Load, check, read_everything
from conformance.raw import RawConnection
from e2e.kafka_scripts import run_script, write_scripts
from riacho.base.errors import ErrorCode
from riacho.base.ids import uuid_from_text
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.snapshot import records_of
from riacho.wire.batch import iterate_headers
from support.cluster_processes import Node
from support.cluster_raw import end_offset, produce, read_log
from support.cluster_topics import create_topic
from support.cluster_view import settled
from support.failing_disk import VARIABLE
from support.ports import free_port
from support.riacho_cluster import SOURCE, RiachoCluster

TOPIC = "numbers"
PARTITIONS = range(3)
PROPERTIES = {
    "offsets.topic.num.partitions": "1",
    "log.segment.delete.delay.ms": "0",
    "replica.high.watermark.checkpoint.interval.ms": "500",  # a new file all the time, in every directory
    "broker.heartbeat.interval.ms": "500",
}
pytestmark = pytest.mark.timeout(300)


class Jbod(RiachoCluster):
    """Three nodes; node 1 over two disks that can break."""

    def __init__(self, directory: Path, *, has_metadata_apart: bool = False) -> None:
        super().__init__(directory, properties=PROPERTIES)
        self.first = self.nodes[1]
        self.one, self.two = self.first.directory / "one", self.first.directory / "two"
        self.metrics_port = free_port()
        self.of_node[1] = {"log.dirs": f"{self.one},{self.two}", "riacho.metrics.port": str(self.metrics_port)}
        if has_metadata_apart:
            for node in self.brokers:
                self.of_node.setdefault(node.node_id, {})["metadata.log.dir"] = str(metadata_of(node))
        self._marker = directory / "broken"

    def command(self, node: Node) -> list[str]:
        program = Path(__file__).parents[1] / "support" / "failing_disk.py"
        return [sys.executable, str(program), "broker", str(node.properties_file)]

    def environment(self) -> dict[str, str]:
        return super().environment() | {VARIABLE: str(self._marker), "PYTHONPATH": str(SOURCE)}

    def breaks(self, path: Path) -> None:
        aside = self._marker.with_suffix(".new")
        aside.write_text(str(path))
        aside.replace(self._marker)

    def heals(self) -> None:
        self._marker.unlink()

    def homes(self) -> dict[int, Path]:
        """Which directory of node 1 has which partition."""
        return {index: each for each in (self.one, self.two) for index in PARTITIONS if at(each, index).is_dir()}

    def metric(self, name: str) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=20) as answer:
            lines = answer.read().decode().splitlines()
        return int(next(line for line in lines if line.startswith(f"{name} ")).split()[1])

    def log_dirs(self) -> dict[str, tuple[int, set[int]]]:
        """DescribeLogDirs of node 1: error code and partitions of each directory, without those on their way."""
        with RawConnection((self.first.host, self.first.port)) as connection:
            told = connection.ask("DescribeLogDirs", 4, topics=None).results
        found = {}
        for each in told:
            partitions = [p for topic in each.topics if topic.name == TOPIC for p in topic.partitions]
            found[each.log_dir] = each.error_code, {p.partition_index for p in partitions if not p.is_future_key}
        return found

    def known_homes(self, node: Node) -> dict[int, bytes]:
        """Directory ids of node 1's replicas as the metadata log of a node has them."""
        image = MetadataImage()
        for path in sorted((node.log_dir / "__cluster_metadata-0").glob("*.log")):
            data = path.read_bytes()
            for position, header in iterate_headers(data):
                if position + header.size_bytes <= len(data):
                    image = image.apply(records_of(data, position), header.last_offset + 1)
        return {index: state.directory_of(1) or b"" for index, state in enumerate(image.topics[TOPIC].partitions)}


def metadata_of(node: Node) -> Path:
    return node.directory / "metadata"


def at(directory: Path, index: int) -> Path:
    return directory / f"{TOPIC}-{index}"


def directory_id(directory: Path) -> bytes:
    lines = (directory / "meta.properties").read_text().splitlines()
    return uuid_from_text(next(line.split("=")[1] for line in lines if line.startswith("directory.id=")))


@contextmanager
def jbod(directory: Path, *, has_metadata_apart: bool = False) -> Iterator[Jbod]:
    cluster = Jbod(directory, has_metadata_apart=has_metadata_apart)
    try:
        cluster.start_all()
        yield cluster
    finally:
        print(cluster.output_tails())
        cluster.close()


class PacedLoad(Load):
    """Some thousand records a second: enough to meet every moment, and few enough to be read again."""

    def _run(self) -> None:
        while not self._stop.wait(0.005) and not self.failed:
            for number in range(KEYS):
                key = b"key-%d" % number
                value = b"%d" % self.sent[key]
                with suppress(BufferError):
                    self._producer.produce(TOPIC, value, key=key, on_delivery=self._on_delivery)
                    self.sent[key] += 1
            self._producer.poll(0)


@contextmanager
def under_load(cluster: Jbod) -> Iterator[Load]:
    """Writers with acks=all from the start to the end, none of which may fail or lose anything."""
    starts = [end_offset(leader_of(cluster, index), TOPIC, index) for index in PARTITIONS]
    load = PacedLoad(cluster.bootstrap)
    try:
        load.wait_for_acks(500)
        yield load
        load.wait_for_acks(500)
    finally:
        load.finish()
    found = read_everything(cluster.bootstrap)
    check(load, {place: record for place, record in found.items() if place[1] >= starts[place[0]]})


def is_created(cluster: Jbod, name: str, replicas: list[int]) -> bool:
    try:
        create_topic(cluster, name, assignment=[replicas])
    except KafkaException as error:
        why = error.args[0]
        if why.code() == KafkaError.TOPIC_ALREADY_EXISTS:
            return True
        assert why.code() in (KafkaError._TRANSPORT, KafkaError._TIMED_OUT), why
        return False
    return True


def leader_of(cluster: Jbod, index: int) -> tuple[str, int]:
    leader = cluster.nodes[cluster.view.leader_of(TOPIC, index)]
    return leader.host, leader.port


def all_in_sync(cluster: Jbod) -> bool:
    return all(state.isr == {1, 2, 3} for state in cluster.view.partitions(TOPIC).values())


def assert_left_alone(cluster: Jbod, gone: list[int], path: Path) -> None:
    """Node 1 is without that directory and does everything else."""
    settled(
        lambda: cluster.view.partitions(TOPIC),
        lambda found: all(found[index].leader in (2, 3) and found[index].isr == {2, 3} for index in gone),
        90,
    )
    for index, state in cluster.view.partitions(TOPIC).items():
        if index not in gone:
            assert state.leader == 1
            assert state.isr == {1, 2, 3}
    assert cluster.view.broker_ids() == {1, 2, 3}
    with RawConnection((cluster.first.host, cluster.first.port)) as connection:
        for index in gone:
            assert produce(connection, TOPIC, b"x", index).error_code == ErrorCode.KAFKA_STORAGE_ERROR
            asked = [{"name": TOPIC, "partitions": [{"partition_index": index, "timestamp": -1}]}]
            [answer] = connection.ask("ListOffsets", 5, replica_id=-1, topics=asked).topics
            assert answer.partitions[0].error_code == ErrorCode.KAFKA_STORAGE_ERROR
    stay = set(PARTITIONS) - set(gone)
    assert cluster.log_dirs() == {str(cluster.one): (0, stay), str(path): (ErrorCode.KAFKA_STORAGE_ERROR, set())}
    assert cluster.metric("riacho_offline_log_dirs") == 1
    assert f"log directory is out of service path={path}" in cluster.first.output_tail(20_000)


def test_a_directory_breaks_and_a_new_disk_takes_its_place(tmp_path: Path) -> None:
    with jbod(tmp_path) as cluster:
        create_topic(cluster, TOPIC, assignment=[[1, 2, 3]] * 3)
        homes = cluster.homes()
        gone = [index for index, home in homes.items() if home == cluster.two]
        assert 0 < len(gone) < 3, "new partitions go where the fewest are"
        # The controllers know where each replica is, or they could not tell what goes with a directory.
        ids = {index: directory_id(home) for index, home in homes.items()}
        settled(lambda: cluster.known_homes(cluster.nodes[2]) == ids, timeout_s=60)
        with under_load(cluster):
            cluster.breaks(cluster.two)
            assert_left_alone(cluster, gone, cluster.two)
        assert cluster.stop(1) == 0, cluster.first.output_tail()
        assert "Traceback" not in cluster.first.output_tail(20_000)

        # The same disk, sound again: what it has is good, the rest is fetched.
        cluster.heals()
        cluster.start(1)
        settled(lambda: all_in_sync(cluster), timeout_s=90)
        assert cluster.homes() == homes

        # Gone with all that was on it.
        with under_load(cluster):
            shutil.rmtree(cluster.two)
            settled(lambda: cluster.metric("riacho_offline_log_dirs") == 1, timeout_s=90)
            settled(
                lambda: cluster.view.partitions(TOPIC),
                lambda found: all(found[index].isr == {2, 3} for index in gone),
                90,
            )
        assert cluster.stop(1) == 0, cluster.first.output_tail()
        cluster.two.mkdir()
        cluster.start(1)
        settled(lambda: all_in_sync(cluster), timeout_s=90)
        assert directory_id(cluster.two) not in ids.values()
        ids = {index: directory_id(home) for index, home in cluster.homes().items()}
        settled(lambda: cluster.known_homes(cluster.nodes[3]) == ids, timeout_s=60)
        for index in gone:
            expected = read_log(leader_of(cluster, index), TOPIC, index)
            assert read_log((cluster.first.host, cluster.first.port), TOPIC, index, until=len(expected)) == expected


def test_a_replica_moves_to_another_directory_under_load(tmp_path: Path) -> None:
    """kafka-reassign-partitions with log_dirs: the leader's own replica, twice, with its offsets."""
    scripts = write_scripts(tmp_path / "bin")
    with jbod(tmp_path / "cluster") as cluster:
        create_topic(cluster, TOPIC, assignment=[[1, 2, 3]] * 3)
        plan = tmp_path / "plan.json"
        with under_load(cluster) as load:
            for target in (cluster.two, cluster.one):
                replicas = {"replicas": [1, 2, 3], "log_dirs": [str(target), "any", "any"]}
                moves = [{"topic": TOPIC, "partition": index, **replicas} for index in PARTITIONS]
                plan.write_text(json.dumps({"version": 1, "partitions": moves}))
                words = ["kafka-reassign-partitions", "--bootstrap-server", cluster.bootstrap]
                words += ["--reassignment-json-file", str(plan)]
                done = run_script(scripts, [*words, "--execute"], timeout=120)
                assert done.returncode == 0, done.stdout + done.stderr
                settled(lambda target=target: cluster.log_dirs()[str(target)] == (0, set(PARTITIONS)), timeout_s=90)
                load.wait_for_acks(300)
                done = run_script(scripts, [*words, "--verify"], timeout=120)
                assert done.returncode == 0, done.stdout + done.stderr
                assert done.stdout.count("completed successfully") == 3, done.stdout
                known = dict.fromkeys(PARTITIONS, directory_id(target))
                settled(lambda known=known: cluster.known_homes(cluster.nodes[2]) == known, timeout_s=60)
        assert all(state.leader == 1 for state in cluster.view.partitions(TOPIC).values())
        settled(lambda: all_in_sync(cluster), timeout_s=60)
        assert cluster.homes() == dict.fromkeys(PARTITIONS, cluster.one)
        done = run_script(scripts, ["kafka-log-dirs", "--bootstrap-server", cluster.bootstrap, "--describe"])
        told = json.loads(done.stdout.splitlines()[-1])
        mine = next(broker for broker in told["brokers"] if broker["broker"] == 1)
        found = {each["logDir"]: {p["partition"] for p in each["partitions"]} for each in mine["logDirs"]}
        assert {f"{TOPIC}-{index}" for index in PARTITIONS} <= found[str(cluster.one)]
        # What was moved is what a restart finds.
        cluster.kill(1)
        cluster.start(1)
        settled(lambda: all_in_sync(cluster), timeout_s=60)
        assert cluster.homes() == dict.fromkeys(PARTITIONS, cluster.one)


@pytest.mark.parametrize("is_active", [True, False])
def test_without_its_metadata_a_node_stops_and_says_why(tmp_path: Path, is_active: bool) -> None:
    """The metadata has a disk of its own here, so that nothing but the quorum finds out."""
    with jbod(tmp_path, has_metadata_apart=True) as cluster:
        create_topic(cluster, TOPIC, assignment=[[1, 2, 3], [2, 3, 1], [3, 1, 2]])
        active = cluster.view.controller()
        victim = cluster.nodes[active if is_active else active % 3 + 1]
        others = {1, 2, 3} - {victim.node_id}
        assert victim.process is not None
        with under_load(cluster):
            cluster.breaks(metadata_of(victim))
            # Decided by another controller, if need be: the broker that was asked keeps asking. The client may have
            # asked the victim itself, which goes down: then it asks again.
            settled(lambda: is_created(cluster, "next", sorted(others)), timeout_s=60)
            assert victim.process.wait(60) == 1
            settled(lambda: cluster.view.broker_ids() == others, timeout_s=60)
        said = victim.output_tail(20_000)
        assert "Traceback" not in said
        last = said.splitlines()[-1]
        assert "__cluster_metadata-0" in last
        assert "Input/output error" in last
        cluster.heals()
        cluster.start(victim.node_id)
        settled(lambda: all_in_sync(cluster), timeout_s=90)

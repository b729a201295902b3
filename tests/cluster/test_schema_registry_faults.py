"""Two schema registries on three brokers, under load, while leaders, followers and brokers are killed, stopped, woken.

Every fault strikes once or so in an order drawn by seeded chance; `RIACHO_REGISTRY_FAULT_TURNS` asks for so many more.
Judged are the log, what callers were told, and what both instances serve, before and after a restart of both.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition

from cluster.conftest import ClusterMaker
from support.cluster_coordinator import GROUP as GROUP_KEY
from support.cluster_coordinator import coordinator_of
from support.cluster_faults_writers import SILENT
from support.cluster_processes import ProcessCluster
from support.cluster_view import settled
from support.registry_load import Load
from support.registry_load_audit import check_log, check_notes, check_served, read_log
from support.service_process import ServiceProcess

TURNS = int(os.environ.get("RIACHO_REGISTRY_FAULT_TURNS", "0"))
SEED = os.environ.get("RIACHO_REGISTRY_FAULT_SEED", "schemas")
PATIENCE_S = 120.0
PROGRESS = 8
GROUP, TOPIC = "schema-registry", "_schemas"
BROKERS = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}
REGISTRY = {
    "schema.compatibility.level": "none",
    # Whoever forwards to a leader that stands still gives up while its caller still waits.
    "leader.read.timeout.ms": "5000",
}
pytestmark = pytest.mark.timeout(600 + 60 * TURNS)


class Pair:
    """Two registries, and who leads them."""

    def __init__(self, cluster: ProcessCluster, directory: Path) -> None:
        self.cluster = cluster
        self.rng = random.Random(SEED)
        self.instances = [
            ServiceProcess("schema-registry", cluster.bootstrap, directory / name, REGISTRY) for name in ("a", "b")
        ]
        for instance in self.instances:
            instance.spawn()
        for instance in self.instances:
            instance.wait_until_ready()
        settings = {"bootstrap.servers": cluster.bootstrap, "group.id": GROUP, "enable.auto.commit": False}
        self._observer = Consumer(settings, logger=SILENT)
        self.load = Load(self.urls, SEED)

    @property
    def urls(self) -> list[str]:
        return [instance.url for instance in self.instances]

    def progress(self) -> None:
        self.load.progress(PROGRESS, PATIENCE_S)

    def leading(self) -> ServiceProcess:
        """By what the leader wrote when it began to lead; asked right after progress, so it leads."""

        def found() -> ServiceProcess | None:
            try:
                place = self._observer.committed([TopicPartition(TOPIC, 0)], 10)[0]
            except KafkaException:
                return None
            return next((each for each in self.instances if each.url == place.metadata), None)

        leader = settled(found, timeout_s=PATIENCE_S)
        assert leader is not None
        return leader

    def following(self) -> ServiceProcess:
        leader = self.leading()
        return next(each for each in self.instances if each is not leader)

    def restart(self, *instances: ServiceProcess) -> None:
        for instance in instances:
            instance.spawn()
        for instance in instances:
            instance.wait_until_ready()

    def close(self) -> None:
        self.load.stop()
        self._observer.close()
        for instance in self.instances:
            if instance.process is not None:
                instance.kill()

    def tails(self) -> str:
        return "\n".join(f"--- {each.url}\n{each.output()[-4_000:]}" for each in self.instances)


def kill_leader(pair: Pair) -> None:
    victim = pair.leading()
    victim.kill()
    pair.restart(victim)
    pair.progress()


def kill_leader_for_long(pair: Pair) -> None:
    victim = pair.leading()
    victim.kill()
    pair.progress()
    pair.restart(victim)
    pair.progress()


def kill_follower(pair: Pair) -> None:
    victim = pair.following()
    victim.kill()
    pair.progress()
    pair.restart(victim)
    pair.progress()


def stop_leader(pair: Pair) -> None:
    """It stands still until the other one has given out ids, and wakes up as a zombie, maybe amid a change."""
    victim = pair.leading()
    victim.pause()
    try:
        pair.progress()
    finally:
        victim.resume()
    pair.progress()


def kill_both(pair: Pair) -> None:
    for instance in pair.instances:
        instance.kill()
    pair.restart(*pair.instances)
    pair.progress()


def kill_log_broker(pair: Pair) -> None:
    _kill_broker(pair, settled(lambda: pair.cluster.view.leader_of(TOPIC), lambda leader: leader > 0, PATIENCE_S))


def kill_coordinator(pair: Pair) -> None:
    _kill_broker(pair, coordinator_of(pair.cluster, GROUP, GROUP_KEY, PATIENCE_S))


def _kill_broker(pair: Pair, victim: int) -> None:
    cluster = pair.cluster
    cluster.kill(victim)
    pair.progress()
    cluster.start(victim)
    settled(
        lambda: cluster.view.partition(TOPIC).isr, lambda isr: len(isr) == len(cluster.brokers), timeout_s=PATIENCE_S
    )


Fault = Callable[[Pair], None]
FAULTS: tuple[Fault, ...] = (
    kill_leader,
    kill_leader_for_long,
    kill_follower,
    stop_leader,
    kill_both,
    kill_log_broker,
    kill_coordinator,
)


def faults(rng: random.Random) -> list[Fault]:
    """What strikes: one of each kind, the brokers' by turns, and as many more as were asked for."""
    chosen: list[Fault] = [kill_leader, kill_follower, stop_leader, rng.choice([kill_log_broker, kill_coordinator])]
    rng.shuffle(chosen)
    return chosen + [rng.choice(FAULTS) for _ in range(TURNS)]


def test_no_id_is_given_twice_and_nothing_acknowledged_is_lost(make_cluster: ClusterMaker, tmp_path: Path) -> None:
    cluster = make_cluster(properties=BROKERS)
    pair = Pair(cluster, tmp_path)
    try:
        pair.load.start()
        pair.progress()
        for fault in faults(pair.rng):
            began_s = time.monotonic()
            fault(pair)
            print(f"{fault.__name__} {time.monotonic() - began_s:.1f} s", flush=True)
        pair.load.stop()
        judge(pair)
    except BaseException:
        print(pair.tails())
        raise
    finally:
        pair.close()


def judge(pair: Pair) -> None:
    notes = pair.load.notes
    log = read_log(pair.cluster.bootstrap)
    check_log(log)
    check_notes(log, notes)
    check_served(log, pair.urls)
    for instance in pair.instances:
        assert instance.stop() == 0
        assert "Traceback" not in instance.output()
    pair.restart(*pair.instances)
    check_served(log, pair.urls)
    assert read_log(pair.cluster.bootstrap) == log
    print(
        f"{len(log)} versions, {notes.ids} ids, {len(notes.registered)} acknowledged, {len(notes.looked_up)} looked up,"
        f" {notes.unknown} calls without an outcome"
    )

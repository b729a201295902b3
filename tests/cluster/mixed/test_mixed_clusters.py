"""Riacho's and Apache Kafka's nodes in one cluster, killed under load: nothing acknowledged is lost, doubled or
reordered, whoever leads partitions and whoever leads the quorum.

All of it runs by `make apache` (`RIACHO_MIXED=1`); `make test` has the first, with a single JVM. Needs Java and Maven.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import cluster_faults as faults
from support.cluster_admin import add_voter
from support.cluster_faults import Arena
from support.cluster_view import settled
from support.java import available
from support.mixed_cluster import MixedCluster

PROPERTIES = {
    "broker.session.timeout.ms": "4000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "6000",
}
pytestmark = [
    pytest.mark.skipif(available() is not None, reason=f"no Apache Kafka to mix with: {available()}"),
    pytest.mark.timeout(900),
]
at_length = pytest.mark.skipif(
    os.environ.get("RIACHO_MIXED") != "1", reason="several JVMs at once: `make apache` runs it (RIACHO_MIXED=1)"
)


class Mixed(MixedCluster):
    """With all voters in the quorum, also where it starts with one."""

    def start_all(self, timeout_s: float | None = None) -> str:
        bootstrap = super().start_all(timeout_s)
        if self.quorum == "dynamic":
            for node in self.voters[1:]:
                settled(lambda n=node: add_voter(self, n) is None, timeout_s=60)
                settled(lambda: self.view.quorum().voters, lambda found, n=node: n.node_id in found, 60)
        return bootstrap


def kill(arena: Arena, node_id: int) -> None:
    arena.note(f"kill -9 {node_id}")
    arena.cluster.kill(node_id)
    arena.progress()
    arena.cluster.start(node_id)
    arena.whole()


def kill_each_in_turn(arena: Arena) -> None:
    for node_id in sorted(arena.cluster.nodes):
        kill(arena, node_id)
    faults.kill_leader(arena)


def test_an_apache_broker_in_a_riacho_cluster(tmp_path: Path) -> None:
    """Broker 3 is Apache Kafka's; the controller and the others are not."""

    def fault(arena: Arena) -> None:
        for node_id in (3, 1):
            kill(arena, node_id)

    with Mixed(tmp_path, 3, PROPERTIES, riacho={101, 1, 2}, controllers=1) as cluster:
        Arena(cluster, "apache-in-riacho", tmp_path).run(fault, seconds=0)


@at_length
def test_a_riacho_broker_in_an_apache_cluster(tmp_path: Path) -> None:
    def fault(arena: Arena) -> None:
        for node_id in (3, 1, 3):
            kill(arena, node_id)

    with Mixed(tmp_path, 3, PROPERTIES, riacho={3}, controllers=1) as cluster:
        Arena(cluster, "riacho-in-apache", tmp_path).run(fault, seconds=0)


@at_length
@pytest.mark.parametrize("riacho", [{1, 2}, {3}], ids=["two-of-three", "one-of-three"])
@pytest.mark.parametrize("quorum", ["static", "dynamic"])
def test_a_mixed_quorum(tmp_path: Path, quorum: str, riacho: set[int]) -> None:
    """Whoever leads the quorum is killed, so that the lead goes from one kind to the other."""
    led_by: set[int] = set()

    def fault(arena: Arena) -> None:
        for _ in range(4):
            led_by.add(arena.controller())
            faults.kill_controller(arena)
        kill_each_in_turn(arena)
        faults.kill_all(arena)

    with Mixed(tmp_path, 3, PROPERTIES, riacho=riacho, quorum=quorum) as cluster:
        Arena(cluster, f"quorum-{quorum}", tmp_path).run(fault, seconds=0)
        print(f"the quorum was led by {sorted(led_by)}, Riacho's are {sorted(riacho)}")
        assert len(led_by) > 1


@at_length
@pytest.mark.parametrize("quorum", ["static", "dynamic"])
def test_directories_go_from_riacho_to_apache_and_back(tmp_path: Path, quorum: str) -> None:
    """Node after node is killed and goes on as the other kind, on the data that it has; all mixtures on the way."""
    with Mixed(tmp_path, 3, PROPERTIES, riacho={1, 2, 3}, quorum=quorum) as cluster:

        def switch_all(arena: Arena) -> None:
            for node_id in _twice(cluster):
                arena.note(f"kill -9 {node_id}, then the other kind")
                cluster.kill(node_id)
                arena.progress()
                cluster.riacho.symmetric_difference_update({node_id})
                cluster.start(node_id)
                arena.whole()

        Arena(cluster, f"directories-{quorum}", tmp_path).run(switch_all, seconds=0)
        assert cluster.riacho == {1, 2, 3}


def _twice(cluster: MixedCluster) -> Iterator[int]:
    for _ in range(2):
        yield from sorted(cluster.nodes)


@at_length
@pytest.mark.parametrize("controllers", [1, 0], ids=["as-broker", "as-voter"])
def test_a_cluster_that_finalised_streams_groups_is_not_joined(tmp_path: Path, controllers: int) -> None:
    """Apache Kafka's own choice of features: Riacho's node ends with the reason, and has taken no part in anything."""
    with_quorum = {"controllers": controllers} if controllers else {"quorum": "dynamic"}
    cluster = MixedCluster(tmp_path, 2, PROPERTIES, riacho={2}, features=None, **with_quorum)
    try:
        for node_id in cluster.nodes:
            cluster.spawn(node_id)
        stranger = cluster.nodes[2].process
        assert stranger is not None
        assert stranger.wait(90) == 1
        told = cluster.nodes[2].output_file.read_text()
        assert "the cluster has finalised streams.version at 1, this node supports 0 to 0" in told.splitlines()[-1]
        assert "leads the metadata quorum" not in told
        assert "registered node_id" not in told
        cluster.wait_for_brokers({1})
    finally:
        print(cluster.output_tails())
        cluster.close()

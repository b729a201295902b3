"""Consume, transform, produce in transactions, with clients and brokers that die: the output equals the input exactly.

Faults strike turn after turn for `RIACHO_FAULT_SECONDS`, at victims drawn by seeded chance: librdkafka's and Java's.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.conftest import ClusterMaker
from conformance.java_program import program
from support.cluster_faults import SECONDS
from support.cluster_processes import CLIENTS, ProcessCluster
from support.cluster_view import settled
from support.exactly_once import Bank
from support.frame_proxy import ProxyNetwork

PROPERTIES = {
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "group.initial.rebalance.delay.ms": "0",
}
END_TXN = 26
# Longer than the workers' transaction.timeout.ms.
PAUSE_TURNS = 3
pytestmark = pytest.mark.timeout(400 + 3 * SECONDS)
Fault = Callable[[Bank], None]


@pytest.fixture(scope="module")
def cluster(make_module_cluster: ClusterMaker) -> ProcessCluster:
    return make_module_cluster.only(properties=PROPERTIES)


def kill_workers(bank: Bank) -> None:
    victim = bank.rng.choice(bank.workers)
    victim.process.kill()
    victim.start()
    bank.progress()


def kill_brokers(bank: Bank) -> None:
    victim = bank.rng.choice(sorted(bank.cluster.nodes))
    bank.cluster.kill(victim)
    bank.progress()
    bank.cluster.start(victim)
    bank.cluster.wait_for_brokers(set(bank.cluster.nodes))


def start_zombies(bank: Bank) -> None:
    """Another process with the same transactional id, while the first still works: it is fenced when it next writes."""
    victim = bank.rng.choice(bank.workers)
    before = victim.process
    victim.start()
    for _ in range(PAUSE_TURNS):
        bank.progress()
    # It may never have found out: without partitions it has nothing to write.
    before.kill()


def pause_workers(bank: Bank) -> None:
    """Past its transaction's timeout; another takes its place meanwhile, and it wakes up as a zombie."""
    victim = bank.rng.choice(bank.workers)
    sleeper = victim.process
    os.kill(sleeper.pid, signal.SIGSTOP)
    victim.start()
    for _ in range(PAUSE_TURNS):
        bank.progress()
    os.kill(sleeper.pid, signal.SIGCONT)
    settled(lambda: sleeper.poll() is not None, timeout_s=60)


@pytest.mark.parametrize(
    "fault", [kill_workers, kill_brokers, start_zombies, pause_workers], ids=lambda fault: fault.__name__
)
def test_librdkafka(cluster: ProcessCluster, fault: Fault, tmp_path: Path) -> None:
    run(Bank(cluster, f"c-{fault.__name__.replace('_', '-')}", tmp_path), fault)


@pytest.mark.parametrize("fault", [kill_workers, kill_brokers, pause_workers], ids=lambda fault: fault.__name__)
def test_java(cluster: ProcessCluster, fault: Fault, tmp_path: Path) -> None:
    command = program("ExactlyOnceWorker")
    run(Bank(cluster, f"java-{fault.__name__.replace('_', '-')}", tmp_path, command), fault)


@pytest.fixture(scope="module")
def proxied(make_module_cluster: ClusterMaker) -> tuple[ProcessCluster, ProxyNetwork]:
    network = ProxyNetwork()
    return make_module_cluster.only(properties=PROPERTIES, wiring=network), network


def test_a_delayed_end(proxied: tuple[ProcessCluster, ProxyNetwork], tmp_path: Path) -> None:
    """EndTxn is held until the transaction has timed out, and arrives when the next one may be open (KIP-890)."""
    cluster, network = proxied

    def delay_ends(bank: Bank) -> None:
        before = sum(worker.committed() for worker in bank.workers)
        for node_id in cluster.nodes:
            network.cut(CLIENTS, node_id, frozenset({END_TXN}))
        timed_out_s = time.monotonic() + 5.0
        settled(lambda: time.monotonic() > timed_out_s, timeout_s=30)
        network.heal()
        assert sum(worker.committed() for worker in bank.workers) <= before + len(bank.workers)
        bank.progress()

    run(Bank(cluster, "delayed", tmp_path), delay_ends)


def run(bank: Bank, fault: Fault) -> None:
    try:
        bank.progress()
        # Half as long as the other faults: a turn takes seconds, and one is enough to go wrong.
        deadline = time.monotonic() + SECONDS / 2
        turns = 0
        while turns == 0 or time.monotonic() < deadline:
            fault(bank)
            turns += 1
        bank.audit()
        print(f"{turns} turns of {fault.__name__}")
    finally:
        bank.close()

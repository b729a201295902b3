"""Two instances of a service whose leader is killed, stopped and woken, on brokers that are killed: nothing is given
twice, nothing acknowledged is lost.

Every fault strikes once, in an order drawn by seeded chance, and then more of them for `RIACHO_FAULT_SECONDS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.conftest import ClusterMaker
from support.cluster_faults import SECONDS
from support.cluster_view import settled
from support.service_log import TOPIC, Service

PROPERTIES = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "group.min.session.timeout.ms": "1000",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}
Fault = Callable[[Service], None]
pytestmark = pytest.mark.timeout(600 + 3 * SECONDS)


def kill_leader(service: Service) -> None:
    victim = service.leading
    victim.kill()
    victim.start()
    service.progress()


def stop_leader(service: Service) -> None:
    """It wakes up when the other one has written, and may be anywhere in a change."""
    victim, other = service.leading, service.following
    victim.pause()
    service.progress(by=other)
    victim.resume()
    service.progress()


def stop_candidate(service: Service) -> None:
    """The leader is gone and back; the other one is stopped while it takes over, wherever that finds it."""
    victim, candidate = service.leading, service.following
    victim.kill()
    victim.start()
    before = candidate.acks()
    strike_s = time.monotonic() + service.rng.uniform(0.0, 6.0)
    settled(lambda: time.monotonic() > strike_s or candidate.acks() > before, timeout_s=60)
    candidate.pause()
    service.progress(by=victim)
    candidate.resume()
    service.progress()


def kill_broker(service: Service) -> None:
    cluster = service.cluster
    leader = cluster.view.leader_of(TOPIC)
    victim = service.rng.choice([leader, *sorted(cluster.nodes)])
    cluster.kill(victim)
    service.progress()
    cluster.start(victim)
    cluster.wait_for_brokers(set(cluster.nodes))


FAULTS = (kill_leader, stop_leader, stop_candidate, kill_broker)


def test_nothing_is_given_twice_and_nothing_is_lost(make_cluster: ClusterMaker, tmp_path: Path) -> None:
    cluster = make_cluster(properties=PROPERTIES)
    service = Service(cluster, tmp_path, seed="leadership")
    try:
        service.progress()
        faults: list[Fault] = [kill_leader, stop_leader, kill_broker]
        service.rng.shuffle(faults)
        deadline_s = time.monotonic() + SECONDS
        while faults or time.monotonic() < deadline_s:
            fault = faults.pop() if faults else service.rng.choice(FAULTS)
            began_s = time.monotonic()
            fault(service)
            print(f"{fault.__name__} {time.monotonic() - began_s:.1f} s")
        print(service.audit())
    except BaseException:
        for instance in service.instances:
            print(instance.tail())
        raise
    finally:
        service.close()

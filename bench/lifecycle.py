"""A broker's life: cold start to the first acknowledged write, idle memory, restart with many partitions."""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.batches import batch_of
from bench.peers import Peer
from bench.plan import RESTART_PARTITIONS
from bench.processes import memory
from bench.requests import Admin, produce, produce_error_position

POLL_S = 0.005


def first_acked_write_s(peer: Peer, timeout_s: float = 60) -> float:
    """Spawn the prepared broker; seconds until it acknowledges a write to a topic that the client makes on the way."""
    topic = "first-write"
    request, error = produce(topic, 0, batch_of(100, 1), 1), produce_error_position(topic)
    started = time.perf_counter()
    peer.spawn()

    def attempt() -> bool:
        with Admin(peer.port, timeout_s=5) as admin:
            if topic not in admin.led_partitions():
                admin.create_topics([topic], 1)
            return admin.ask(request)[error - 4 : error - 2] == b"\0\0"

    _until(attempt, peer, started + timeout_s)
    return time.perf_counter() - started


def idle_memory_mb(peer: Peer, idle_s: float) -> dict[str, float]:
    time.sleep(idle_s)
    used = memory(peer.pid)
    return {"RSS": used.rss_bytes / 1e6, "PSS": used.pss_bytes / 1e6}


def restart_s(peer: Peer, topics: int) -> dict[str, float]:
    """Make the partitions, stop cleanly, and time the way back to answering Metadata with a leader for each."""
    names = [f"many-{number}" for number in range(topics)]
    wanted = dict.fromkeys(names, RESTART_PARTITIONS)
    started = time.perf_counter()
    with Admin(peer.port) as admin:
        for name in names:
            admin.create_topics([name], RESTART_PARTITIONS)
        admin.wait_for_leaders(wanted)
        # A leader's name is not yet a partition with its files: only one that can be read is made.
        for name in names:
            admin.wait_until_read(name, RESTART_PARTITIONS, timeout_s=300)
    created = time.perf_counter()
    peer.stop(timeout_s=120)
    stopped = time.perf_counter()
    peer.spawn()

    def attempt() -> bool:
        with Admin(peer.port, timeout_s=30) as admin:
            led = admin.led_partitions()
            return all(led.get(name, 0) == RESTART_PARTITIONS for name in names)

    _until(attempt, peer, stopped + 180)
    back = time.perf_counter()
    return {"create": created - started, "clean stop": stopped - created, "restart": back - stopped}


def _until(attempt: Callable[[], bool], peer: Peer, deadline: float) -> None:
    while True:
        try:
            if attempt():
                return
        except (OSError, RuntimeError):
            pass  # not listening yet, or listening but refusing: a starting broker does both
        if not peer.is_running:
            raise RuntimeError("the broker ended while it was starting")
        if time.perf_counter() > deadline:
            raise TimeoutError("the broker did not get ready in time")
        time.sleep(POLL_S)

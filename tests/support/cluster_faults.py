"""The arena: a workload on a cluster, faults that strike it while it runs, and the judgement afterwards.

A fault is a function of the arena that does one whole turn: break something, demand progress from what is left (with
replication factor 3 and min ISR 2 one node may be gone), mend it, and wait until every replica is in sync again.
"""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from support.checker import summary, violations
from support.cluster_faults_readers import Poller, read_every_replica
from support.cluster_faults_writers import Bare, KafkaPython, Librdkafka, Writer
from support.cluster_processes import CLIENTS, ProcessCluster
from support.cluster_topics import create_topic
from support.cluster_view import settled
from support.history import History

PARTITIONS = 6
PROGRESS_TIMEOUT_S = 60.0
# Less would prove nothing.
ACKED_MIN = 500
SECONDS = float(os.environ.get("RIACHO_FAULT_SECONDS", "3"))
SEED = int(os.environ.get("RIACHO_FAULT_SEED", "7"))


class Network(Protocol):
    def cut(self, source: int, target: int) -> None: ...
    def heal(self) -> None: ...


class Arena:
    def __init__(self, cluster: ProcessCluster, topic: str, directory: Path, network: Network | None = None) -> None:
        self.cluster, self.topic, self.network = cluster, topic, network
        self.rng = random.Random(SEED)
        self.turns = 0
        self.history_file = directory / f"{topic}.jsonl"
        self._history = History(self.history_file)
        common = (cluster, topic, PARTITIONS, self._history)
        self._writers: list[Writer] = [
            Librdkafka(1, *common, rate=200),
            Librdkafka(2, *common, rate=200),
            KafkaPython(3, *common, rate=40),
            Bare(4, *common, rate=30),
        ]
        self._pollers = [Poller(f"poller-{number}", *common) for number in (1, 2)]

    # What faults use

    def note(self, text: str) -> None:
        self._history.fault(text)

    def leader(self) -> int:
        """The leader of a partition chosen by chance."""
        partition = self.rng.randrange(PARTITIONS)
        return settled(lambda: self.cluster.view.leader_of(self.topic, partition), lambda leader: leader > 0)

    def controller(self) -> int:
        return settled(lambda: self.cluster.view.controller(), lambda leader: leader > 0)

    def progress(self) -> None:
        """New acknowledgements of an idempotent producer in every partition."""
        before = self._acked()
        settled(
            lambda: [now - then for now, then in zip(self._acked(), before, strict=True)],
            lambda gained: min(gained) >= 3,
            PROGRESS_TIMEOUT_S,
        )

    def _acked(self) -> list[int]:
        return list(self._writers[0].acked)

    def whole(self) -> None:
        """Every node up, every partition led, every replica in sync."""
        nodes = {node.node_id for node in self.cluster.brokers}
        self.cluster.wait_for_brokers(nodes)
        settled(
            lambda: self.cluster.view.partitions(self.topic),
            lambda found: (
                len(found) == PARTITIONS
                and all(state.leader > 0 and state.isr == frozenset(state.replicas) for state in found.values())
            ),
            PROGRESS_TIMEOUT_S,
        )

    # The run

    def run(self, fault: Callable[[Arena], None], seconds: float = SECONDS) -> None:
        """The workload with turn after turn of the fault, at least one; then heal, catch up, and judge."""
        create_topic(self.cluster, self.topic, PARTITIONS, {"min.insync.replicas": "2"})
        for part in (*self._pollers, *self._writers):
            part.start()
        try:
            self.progress()
            deadline = time.monotonic() + seconds
            while self.turns == 0 or time.monotonic() < deadline:
                fault(self)
                self.turns += 1
            self.whole()
            self.progress()
            settled(
                lambda: sum(sum(w.acked) for w in self._writers), lambda count: count > ACKED_MIN, PROGRESS_TIMEOUT_S
            )
        finally:
            for writer in self._writers:
                writer.stop()
        for writer in self._writers:
            writer.join(PROGRESS_TIMEOUT_S)
        self._judge()

    def _judge(self) -> None:
        acked = {e.value for e in self._history.events() if e.f == "send" and e.type == "ok"}
        for poller in self._pollers:
            poller.wait_until_seen(acked, PROGRESS_TIMEOUT_S)
            poller.stop()
        read_every_replica(self.cluster, self.topic, PARTITIONS, self._history)
        self._history.close()
        events = self._history.events()
        print(f"{self.cluster.kind}: {self.turns} turns, seed {SEED}: {summary(events)}")
        found = violations(events)
        assert not found, f"{len(found)} violations, history in {self.history_file}: {found[:5]}"
        assert len(acked) > ACKED_MIN, "too little was written to prove anything"


# Processes


def kill_leader(arena: Arena) -> None:
    _kill(arena, arena.leader(), "leader")


def kill_controller(arena: Arena) -> None:
    _kill(arena, arena.controller(), "controller")


def kill_follower(arena: Arena) -> None:
    nodes = {node.node_id for node in arena.cluster.brokers}
    _kill(arena, arena.rng.choice(sorted(nodes - {arena.leader()})), "follower")


def _kill(arena: Arena, victim: int, what: str) -> None:
    arena.note(f"kill -9 {what} {victim}")
    arena.cluster.kill(victim)
    arena.progress()
    arena.note(f"start {victim}")
    arena.cluster.start(victim)
    arena.whole()


def kill_all(arena: Arena) -> None:
    """Nothing survives but the files; the page cache does."""
    arena.note("kill -9 everyone")
    for node_id in arena.cluster.nodes:
        arena.cluster.kill(node_id)
    for node_id in arena.cluster.nodes:
        arena.cluster.spawn(node_id)
    arena.whole()
    arena.progress()


def pause_leader(arena: Arena) -> None:
    """SIGSTOP until others lead, then the old leader wakes up in a world that went on."""
    victim = arena.leader()
    arena.note(f"SIGSTOP {victim}")
    arena.cluster.pause(victim)
    try:
        arena.progress()
    finally:
        arena.note(f"SIGCONT {victim}")
        arena.cluster.resume(victim)
    arena.whole()


def rolling_restart(arena: Arena) -> None:
    for node_id in sorted(arena.cluster.nodes):
        arena.note(f"SIGTERM {node_id}")
        arena.cluster.stop(node_id)
        arena.progress()
        arena.cluster.start(node_id)
        arena.whole()


# The network


def cut_off_leader(arena: Arena) -> None:
    """From everybody, both ways."""
    _isolate(arena, arena.leader(), "leader", others=[CLIENTS, *arena.cluster.nodes])


def cut_off_controller(arena: Arena) -> None:
    _isolate(arena, arena.controller(), "controller", others=[CLIENTS, *arena.cluster.nodes])


def cut_leader_from_brokers(arena: Arena) -> None:
    """Clients still reach it: it must not acknowledge what nobody else will have."""
    _isolate(arena, arena.leader(), "leader (clients reach it)", others=list(arena.cluster.nodes))


def deafen_leader(arena: Arena) -> None:
    """One way: it talks, and hears nobody."""
    victim = arena.leader()
    _cut(arena, f"deaf {victim}", [(other, victim) for other in [CLIENTS, *arena.cluster.nodes] if other != victim])


def mute_controller(arena: Arena) -> None:
    """One way: it hears the others, who do not hear it."""
    victim = arena.controller()
    _cut(arena, f"mute {victim}", [(victim, other) for other in arena.cluster.nodes if other != victim])


def _isolate(arena: Arena, victim: int, what: str, others: list[int]) -> None:
    pairs = [pair for other in others if other != victim for pair in itertools.permutations((victim, other))]
    _cut(arena, f"cut off {what} {victim}", pairs)


def _cut(arena: Arena, what: str, pairs: list[tuple[int, int]]) -> None:
    assert arena.network is not None, "this cluster has no network that could be cut"
    arena.note(what)
    try:
        for source, target in pairs:
            arena.network.cut(source, target)
        arena.progress()
    finally:
        arena.note("heal")
        arena.network.heal()
    arena.whole()

"""Replicas of one partition under a controller: logs, fetches, acknowledgements, crashes, late metadata.

A model of the data plane that is just faithful enough to tell whether the controller's elections keep what was
acknowledged. Every broker acts on its own view of the metadata, which it catches up with when a test says so. A leader
appends; a follower with the same leader epoch truncates to what it shares with the leader and copies the rest; the
high watermark follows the slowest of the leader's ISR, and only while that is as large as min.insync.replicas; what
is below it is acknowledged. A crash can keep the log (the process was killed) or lose its end (the machine was).

An unclean election gives up what its leader lacks. That includes what the leader before it, which has not heard of it
yet, acknowledges with those that are in sync with it, itself alone where min.insync.replicas is 1. No controller can
prevent that, in Apache Kafka neither: a clean election can, for the new leader is one of those.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import RECOVERING, Partition
from riacho.metadata.partitions.leadership import MIN_ISR, LeadershipRules
from riacho.wire.messages.alter_partition_request import BrokerState
from support.metadata_world import MetadataWorld, topic

TOPIC = "a"


@dataclass
class Replica:
    """One broker process with its log; what a restart forgets is forgotten by `stop`."""

    id: int
    view: MetadataImage
    log: list[int] = field(default_factory=list)
    high_watermark: int = 0
    is_up: bool = True
    # Whether it will find the mark of an orderly stop, and whether the end of its log is gone.
    is_orderly: bool = False
    has_lost: bool = False
    # Of a leader: how far each follower came in this leader epoch, and as which incarnation it last fetched.
    caught_up: dict[int, int] = field(default_factory=dict)
    broker_epochs: dict[int, int] = field(default_factory=dict)
    caught_up_epoch: int = -1

    @property
    def partition(self) -> Partition:
        return self.view.topics[TOPIC].partitions[0]


class ReplicaWorld:
    def __init__(
        self, brokers: int, replicas: list[int], min_isr: int, *, may_lose: bool = True, may_elect_unclean: bool = False
    ) -> None:
        self.world = MetadataWorld(brokers)
        self.world.create(topic(TOPIC, configs={MIN_ISR: str(min_isr)}, assignments={0: replicas}))
        self.replicas = {id: Replica(id, self.world.image) for id in self.world.image.brokers}
        self.acked: list[int] = []
        self.may_lose = may_lose
        self.may_elect_unclean = may_elect_unclean
        # Of the last unclean election: its leader epoch, and what its leader had.
        self._unclean_epoch = -1
        self._kept: set[int] = set()
        self._numbers = itertools.count(1)
        self._epochs: dict[int, int] = {}
        self._leader_epoch = 0

    @property
    def partition(self) -> Partition:
        return self.world.partition(TOPIC)

    # The data plane

    def produce(self, id: int) -> None:
        leader = self.replicas[id]
        if leader.is_up and leader.partition.leader == id:
            leader.log.append(next(self._numbers))
            self._epochs[leader.log[-1]] = leader.partition.leader_epoch
            self._advance(leader)

    def fetch(self, id: int) -> None:
        """A follower copies from whom it believes to lead, if that one agrees."""
        follower = self.replicas[id]
        leader = self.replicas.get(follower.partition.leader)
        if leader is None or leader is follower or not leader.is_up or not follower.is_up:
            return
        epoch = leader.partition.leader_epoch
        if leader.partition.leader != leader.id or follower.partition.leader_epoch != epoch:
            return
        if id not in leader.partition.replicas:
            return
        follower.log[:] = leader.log
        follower.high_watermark = min(len(follower.log), max(follower.high_watermark, leader.high_watermark))
        if leader.caught_up_epoch != epoch:
            leader.caught_up, leader.caught_up_epoch = {}, epoch
        leader.caught_up[id] = len(leader.log)
        leader.broker_epochs[id] = follower.view.brokers[id].epoch
        self._advance(leader)

    def _advance(self, leader: Replica) -> None:
        partition = leader.partition
        known = leader.caught_up if leader.caught_up_epoch == partition.leader_epoch else {}
        # Its settings are as old as the rest of what it knows.
        configured = LeadershipRules(leader.view, self.world.values).min_isr(leader.view.topics[TOPIC])
        min_isr = min(configured, len(partition.replicas))
        if len(partition.isr) < min_isr:
            return
        everywhere = min(len(leader.log) if member == leader.id else known.get(member, 0) for member in partition.isr)
        if everywhere > leader.high_watermark:
            acked = leader.log[leader.high_watermark : everywhere]
            is_given_up = partition.leader_epoch < self._unclean_epoch
            self.acked += [number for number in acked if not is_given_up or number in self._kept]
            leader.high_watermark = everywhere

    def propose_isr(self, id: int, members: set[int]) -> None:
        """The leader proposes those of `members` that are caught up, and itself; its view follows the answer."""
        leader = self.replicas[id]
        partition = leader.partition
        if not leader.is_up or partition.leader != id:
            return
        known = leader.caught_up if leader.caught_up_epoch == partition.leader_epoch else {}
        isr = [
            member
            for member in partition.replicas
            if member == id
            or (member in members and (member in partition.isr or known.get(member, -1) >= leader.high_watermark))
        ]
        if partition.leader_recovery_state == RECOVERING:
            isr = [id]
        epochs = {member: broker.epoch for member, broker in leader.view.brokers.items()} | leader.broker_epochs
        self.world.alter_isr(
            isr,
            TOPIC,
            broker_id=id,
            broker_epoch=leader.view.brokers[id].epoch,
            leader_epoch=partition.leader_epoch,
            partition_epoch=partition.partition_epoch,
            new_isr_with_epochs=[BrokerState(broker_id=member, broker_epoch=epochs.get(member, -1)) for member in isr],
        )
        self.learn(id)

    # Brokers

    def learn(self, id: int) -> None:
        """The broker catches up with the metadata."""
        replica = self.replicas[id]
        if replica.is_up:
            replica.view = self.world.image
            self._advance_if_leading(replica)

    def _advance_if_leading(self, replica: Replica) -> None:
        if replica.partition.leader == replica.id:
            self._advance(replica)

    def stop(self, id: int, *, orderly: bool, lose: int = 0) -> None:
        """`orderly`: it will say that it has all it had, as after a stop or where the machine went on."""
        replica = self.replicas[id]
        if not replica.is_up:
            return
        replica.is_up, replica.is_orderly = False, orderly
        if lose:
            del replica.log[max(0, len(replica.log) - lose) :]
            replica.has_lost = True
        replica.high_watermark = min(replica.high_watermark, len(replica.log))
        replica.caught_up, replica.broker_epochs = {}, {}

    def start(self, id: int) -> None:
        """A new incarnation registers: refused by none, as its old session is over."""
        replica = self.replicas[id]
        if replica.is_up:
            return
        self.world.heartbeats.remove(id)
        before = self.world.image.brokers.get(id)
        previous = before.epoch if before is not None and replica.is_orderly else -1
        self.world.register(id, previous_broker_epoch=previous)
        replica.is_up, replica.has_lost = True, False
        replica.view = self.world.image

    def beat(self, id: int, **changes: object) -> None:
        replica = self.replicas[id]
        broker = self.world.image.brokers.get(id)
        if replica.is_up and broker is not None and broker.epoch == replica.view.brokers[id].epoch:
            self.world.beat(id, **changes)

    def recover(self) -> None:
        """The controller asks who is there where their logs end, having waited long enough for the others."""
        before, brokers = self.partition, self.world.image.brokers
        ends = {
            id: (self._epochs.get(replica.log[-1], -1) if replica.log else -1, len(replica.log))
            for id, replica in self.replicas.items()
            if replica.is_up
            and id in before.replicas
            and id in brokers
            and brokers[id].is_active
            # One that died and came back unnoticed does not answer for the one that is on record.
            and brokers[id].epoch == replica.view.brokers[id].epoch
        }
        whole = [id for id in ends if set(self.acked) <= set(self.replicas[id].log)]
        self.world.recover(ends, TOPIC)
        leader = self.partition.leader
        if leader != before.leader and whole:
            missing = set(self.acked) - set(self.replicas[leader].log)
            assert not missing, f"{leader} leads and lacks {sorted(missing)}, which {whole} have: {before} {ends}"

    # What must hold

    def check(self) -> None:
        partition = self.partition
        members = set(partition.replicas)
        assert set(partition.isr) <= members
        assert set(partition.eligible_leader_replicas) <= members - set(partition.isr)
        assert set(partition.last_known_elr) <= members
        assert partition.leader == -1 or partition.leader in partition.isr
        is_new = partition.leader_epoch > self._leader_epoch and partition.leader != -1
        if is_new and partition.leader_recovery_state == RECOVERING:
            self._forgive()
        self._leader_epoch = partition.leader_epoch
        for id in (*partition.isr, *partition.eligible_leader_replicas):
            replica = self.replicas[id]
            if not replica.has_lost:
                missing = set(self.acked) - set(replica.log)
                assert not missing, f"replica {id} of {partition} lacks {sorted(missing)}"

    def _forgive(self) -> None:
        """After an unclean election only what the new leader has can be asked for."""
        kept = set(self.replicas[self.partition.leader].log)
        assert self.may_lose or set(self.acked) <= kept, f"the last known leader lacks {set(self.acked) - kept}"
        self.acked = [number for number in self.acked if number in kept]
        if self.may_elect_unclean:
            self._unclean_epoch, self._kept = self.partition.leader_epoch, kept

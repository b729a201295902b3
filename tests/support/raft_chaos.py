"""A seeded story of a quorum: what it is made of, what befalls it, and what must be true when all is well again."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from riacho.raft.events import KRaftVersionRequested, Resign
from riacho.raft.roles import Role
from riacho.raft.voters import VoterSet
from riacho.wire.messages import add_raft_voter_request as add
from riacho.wire.messages.add_raft_voter_request import AddRaftVoterRequest
from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from riacho.wire.messages.vote_request import VoteRequest
from riacho.wire.messages.vote_response import VoteResponse
from riacho.wire.schema import Message
from support.raft_bench import vote_request
from support.raft_hostile import STRANGER, hostile_frame
from support.raft_invariants import all_invariants
from support.raft_world import CLUSTER_ID, Host, Silent, Weather, World, dynamic_voters, static_voters

CHAOS_MS = 5_000
HEALING_MS = 15_000
ATTEMPT_MS = 3_000


class Amnesia(Silent):
    """Processes that die just after they voted, for themselves or for another, and are back before the election is
    over: what they did not write down they do not know."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._stood: set[tuple[int, int]] = set()

    def stepped(self, host: Host) -> None:
        stands = (host.node_id, host.node.epoch)
        if host.node.role is Role.CANDIDATE and stands not in self._stood:
            self._stood.add(stands)
            self._perhaps(host, 0.15)

    def replied(self, host: Host, request: Message, response: Message) -> None:
        if isinstance(request, VoteRequest) and isinstance(response, VoteResponse) and response.topics:
            is_vote = response.topics[0].partitions[0].vote_granted and not request.topics[0].partitions[0].pre_vote
            self._perhaps(host, 0.3 if is_vote else 0)

    def _perhaps(self, host: Host, chance: float) -> None:
        world = self._story.world
        if self._story.is_forgetful and self._story.random.random() < chance:
            world.after(0, lambda: world.crash(host))
            world.after(self._story.random.randrange(1, 30), lambda: self._story.start(host))


class Story:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed * 7919 + 1)
        witnesses, self.committed = all_invariants()
        self.world = World(seed, (*witnesses, Amnesia(self)), is_on_the_wire=seed % 10 == 0)
        self.written = 0
        self.removal_at_ms = -10_000.0
        self.is_forgetful = self.random.random() < 0.5
        self.is_dynamic = self.random.random() < 0.4
        self.is_upgrading = not self.is_dynamic and self.random.random() < 0.2
        self._build()

    def _build(self) -> None:
        config: dict[str, Any] = {}
        if self.random.random() < 0.5:
            config = {"fetch_size_bytes_max": 250, "snapshot_fetch_size_bytes_max": 200}
        if self.random.random() < 0.6:
            # Shorter epochs: more of them meet in one story.
            config |= {"election_timeout_ms": 150, "fetch_timeout_ms": 300, "request_timeout_ms": 300}
            config |= {"fetch_wait_ms_max": 100, "election_backoff_ms_max": 150}
        count = self.random.choice([1, 3, 3, 3, 3, 5, 5])
        if self.is_dynamic:
            config["is_auto_joining"] = self.random.random() < 0.5
            count = max(3, count)
            voters = dynamic_voters(count)
            for node_id in voters.ids:
                self.world.add(node_id, voters, 1, **config)
            for node_id in range(count + 1, count + 1 + self.random.randrange(3)):
                self.world.add(node_id, VoterSet(), 1, **config)
        else:
            voters = static_voters(count)
            for node_id in voters.ids:
                self.world.add(node_id, voters, **config)
        if self.random.random() < 0.5:
            self.world.add(9, VoterSet() if self.is_dynamic else voters, int(self.is_dynamic), False, **config)

    def run(self) -> None:
        for host in self.world.hosts.values():
            self.world.after(self.random.randrange(200), lambda host=host: self.start(host))
        self.world.run(300)
        end_ms = self.world.now_ms + CHAOS_MS
        while self.world.now_ms < end_ms:
            self._misfortune()
            for _ in range(self.random.randrange(1, 8)):
                self._write()
                self.world.run(self.random.randrange(1, 120))
        self._heal()
        self._demand_progress()

    # What befalls it

    def _misfortune(self) -> None:
        fates: list[tuple[int, Callable[[], None]]] = [
            (4, self._crash),
            (6, self._restart_some),
            (3, self._cut),
            (3, self._mend),
            (2, self._bad_weather),
            (1, self._fair_weather),
            (2, self._clock),
            (3, self._snapshot),
            (1, self._resign),
            (2, self._fill_or_free),
            (1, self._wipe),
            (3, self._haunt),
            (3, self._change_voters if self.is_dynamic else self._upgrade),
        ]
        self.random.choices([act for _, act in fates], [weight for weight, _ in fates])[0]()

    def start(self, host: Host) -> None:
        if host.raft is None:
            self.world.start(host)

    def _some_host(self) -> Host:
        return self.random.choice(list(self.world.hosts.values()))

    def _crash(self) -> None:
        leader = self.world.leader()
        host = leader if leader is not None and self.random.random() < 0.5 else self._some_host()
        if host.raft is not None:
            self.world.crash(host)

    def _restart_some(self) -> None:
        for host in self.world.hosts.values():
            if host.raft is None and self.random.random() < 0.7:
                self.world.start(host)

    def _cut(self) -> None:
        one = self._some_host().node_id
        others = [node_id for node_id in self.world.hosts if node_id != one]
        kind = self.random.randrange(4)
        cut = self.world.weather.cut
        if kind == 0:
            cut.update((one, other) for other in others)
        elif kind == 1:
            cut.update((other, one) for other in others)
        elif kind == 2:
            cut.update(pair for other in others for pair in ((one, other), (other, one)))
        else:
            side = set(self.random.sample(list(self.world.hosts), len(self.world.hosts) // 2))
            cut.update((a, b) for a in self.world.hosts for b in self.world.hosts if (a in side) != (b in side))

    def _mend(self) -> None:
        self.world.weather.cut.clear()

    def _bad_weather(self) -> None:
        weather = self.world.weather
        weather.loss = self.random.choice([0.0, 0.05, 0.2])
        weather.double = self.random.choice([0.0, 0.05, 0.2])
        weather.delay_ms = self.random.choice([(1, 5), (1, 60), (1, 400)])

    def _fair_weather(self) -> None:
        self.world.weather = Weather()

    def _clock(self) -> None:
        rate = self.random.choice([0.5, 0.9, 1.0, 1.1, 2.0])
        self.world.set_clock(self._some_host(), rate, self.random.choice([0, 0, -2_000, 500, 5_000]))

    def _snapshot(self) -> None:
        host = self._some_host()
        if host.raft is not None:
            self.world.snapshot(host, is_cutting=self.random.random() < 0.7)

    def _resign(self) -> None:
        leader = self.world.leader()
        if leader is not None:
            self.world.step(leader, Resign())

    def _fill_or_free(self) -> None:
        """A disk that stays full to the end of the story keeps a node from standing, and the quorum from nothing."""
        host = self._some_host()
        host.log.has_free_space = not host.log.has_free_space
        if not host.log.has_free_space and host.raft is not None and host.node.is_leader:
            self.world.step(host, Resign())

    def _write(self) -> None:
        for host in self.world.up():
            if host.node.is_leader:
                self.written += 1
                self.world.append(host, f"{host.node_id}:{self.written}")

    def _haunt(self) -> None:
        """Somebody who is no voter speaks to whoever is up."""
        for _ in range(self.random.randrange(1, 20)):
            host = self._some_host()
            if host.raft is not None:
                self._ask(host, hostile_frame(self.random, host))

    # Losing a disk

    def _wipe(self) -> None:
        host = self._some_host()
        if not host.can_vote or self.is_upgrading or not self._may_wipe(host):
            return
        if host.raft is not None:
            self.world.crash(host)
        self.world.wipe(host)
        self.world.start(host)

    def _may_wipe(self, host: Host) -> bool:
        if self.is_dynamic:
            # A voter that comes back with another directory is no voter any more: neither its votes nor its log are
            # counted twice, so any minority may go at any time. Only a majority of every set known must stay.
            return self.world.now_ms - self.removal_at_ms > 5_000 and all(
                self._alive(voters, without=host) >= voters.majority for voters in self._known_sets()
            )
        # A static voter is known by its id alone: it would vote again, and vote for logs that lack what it had. That
        # is harmless only while a majority without it follows the leader of the highest epoch and has all that is
        # committed, and all that it had itself: a fetch of its that is still on its way may commit that (seed 8198).
        others = [each for each in self.world.hosts.values() if each is not host and each.can_vote]
        leader, epochs = (
            self.world.leader(),
            [each.state.leader_epoch for each in self.world.hosts.values() if each.state],
        )
        if leader is None or leader is host or leader.node.epoch < max(epochs):
            return False
        sound = [
            each
            for each in others
            if each.raft is not None
            and (each.node.epoch, each.node.leader_id) == (leader.node.epoch, leader.node_id)
            and each.log.end_offset >= max(self.committed.end_offset, host.log.end_offset)
            and each.log.latest_epoch == leader.node.epoch
        ]
        return len(sound) >= leader.node.voters.majority

    def _known_sets(self) -> list[VoterSet]:
        logged = [entry.voters for host in self.world.hosts.values() for entry in host.log.voter_history()]
        return logged + [host.voters for host in self.world.hosts.values() if len(host.voters)]

    def _alive(self, voters: VoterSet, without: Host | None = None) -> int:
        keys = {(host.node_id, host.directory_id) for host in self.world.hosts.values() if host is not without}
        return sum(voter.key in keys for voter in voters)

    # Changing the voters

    def _change_voters(self) -> None:
        leader = self.world.leader()
        if leader is None:
            return
        voters = leader.node.voters
        if self.random.random() < 0.5 and len(voters) > 1:
            victim = self.random.choice(list(voters))
            if all(self._alive(known.without(victim.node_id)) >= known.majority for known in [voters]):
                self.removal_at_ms = self.world.now_ms
                key = {"voter_id": victim.node_id, "voter_directory_id": victim.directory_id}
                self._ask(leader, RemoveRaftVoterRequest(cluster_id=CLUSTER_ID, **key))
            return
        idle = [host for host in self.world.up() if host.can_vote and voters.get(host.node_id) is None]
        if idle:
            self._ask(leader, addition(self.random.choice(idle)))

    def _upgrade(self) -> None:
        leader = self.world.leader()
        if self.is_upgrading and leader is not None:
            self.world.step(leader, KRaftVersionRequested(-1, 1))

    def _ask(self, host: Host, request: Message) -> None:
        self.world.request(host, request, lambda response: None)

    # All is well again

    def _heal(self) -> None:
        self.is_forgetful = False
        self.world.weather = Weather()
        for host in self.world.hosts.values():
            self.world.set_clock(host, 1.0)
            if host.raft is None:
                self.world.start(host)

    def _demand_progress(self) -> None:
        """A leader emerges and commits; what it commits reaches everybody. An epoch that was about to end may take the
        first record with it, so it is written again until one stays."""
        end_ms = self.world.now_ms + HEALING_MS
        while not self._has_committed_everywhere():
            assert self.world.now_ms < end_ms, f"no progress: {self.picture()}"
        assert self.world.run(HEALING_MS, self._agree_on_voters), f"voters differ: {self.picture()}"

    def _agree_on_voters(self) -> bool:
        """One set everywhere; with controllers that join by themselves, all of them and no voter of a lost disk."""
        known = {host.node.voters for host in self.world.up()}
        controllers = [host for host in self.world.up() if host.can_vote]
        if len(known) == 1 and controllers[0].config.is_auto_joining:
            return all(host.node.is_voter for host in controllers)
        return len(known) == 1

    def _has_committed_everywhere(self) -> bool:
        world = self.world
        world.run(ATTEMPT_MS, self._has_settled)
        leader = world.leader()
        if leader is None:
            return False
        world.append(leader, "last")
        end_offset = leader.log.end_offset
        return world.run(ATTEMPT_MS, lambda: all(host.node.high_watermark >= end_offset for host in world.up()))

    def _has_settled(self) -> bool:
        leader = self.world.leader()
        return leader is not None and leader.node.high_watermark > leader.node.epoch_start_offset

    def picture(self) -> str:
        return "; ".join(
            f"{host.node_id} {host.node.role.value} epoch {host.node.epoch} leader {host.node.leader_id} "
            f"log {host.log.start_offset}-{host.log.end_offset} committed {host.node.high_watermark} "
            f"voters {host.node.voters.ids}"
            for host in self.world.up()
        )


class Astray(Story):
    """Voters come and go, and strangers with believable epochs ask everybody for votes: those who were removed unseen
    are led into epochs that no voter is in."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        assert self.is_dynamic, f"nobody is removed in the story of seed {seed}"

    def _misfortune(self) -> None:
        chance = self.random.random()
        if chance < 0.3:
            self._haunt()
        elif chance < 0.45:
            self._change_voters()
        else:
            super()._misfortune()

    def _haunt(self) -> None:
        for _ in range(self.random.randrange(1, 20)):
            host = self._some_host()
            if host.raft is not None:
                epoch = host.node.epoch + self.random.randrange(1, 6)
                self._ask(host, vote_request(STRANGER, epoch, epoch, 1 << 40, voter_id=host.node_id))


def addition(host: Host) -> AddRaftVoterRequest:
    name, address, port = host.endpoint
    return AddRaftVoterRequest(
        cluster_id=CLUSTER_ID,
        timeout_ms=2_000,
        voter_id=host.node_id,
        voter_directory_id=host.directory_id,
        listeners=[add.Listener(name=name, host=address, port=port)],
    )

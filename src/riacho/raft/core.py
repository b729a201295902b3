"""What a node knows, and every change of its role: the one place.

A higher epoch is persisted before anything is said in it; a vote before it is given. The parts of the protocol
(`election`, `begin_epoch`, `fetching`, `leadership`, `reconfiguration`) work on this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from riacho.base.backoff import Backoff
from riacho.raft import control_records
from riacho.raft.answers import LeaderInfo
from riacho.raft.config import RaftConfig
from riacho.raft.effects import (
    AppendControl,
    BecameLeader,
    Destination,
    Effect,
    HighWatermark,
    LeaderChanged,
    PersistState,
    Send,
)
from riacho.raft.leader_state import Leader
from riacho.raft.log_view import LogView
from riacho.raft.quorum_state import NOBODY, QuorumState
from riacho.raft.roles import Asked, Ballot, Candidate, Fetching, Follower, Observed, Prospective, Resigned, Unattached
from riacho.raft.voter_history import BEFORE_THE_LOG, VoterHistory, VotersAt
from riacho.raft.voters import Endpoint, ReplicaKey, Voter, VoterSet
from riacho.wire.messages.kraft_version_record import KRaftVersionRecord
from riacho.wire.messages.voters_record import VotersRecord
from riacho.wire.schema import Message

State: TypeAlias = Unattached | Prospective | Candidate | Follower | Leader | Resigned

BACKOFF_START_MS = 50
# Far below the end of the 32 bits that an epoch has on the wire and on disk: see `claims`.
EPOCH_LAST = (1 << 31) - (1 << 20)


class Core:
    def __init__(
        self,
        key: ReplicaKey,
        cluster_id: str,
        config: RaftConfig,
        log: LogView,
        state: QuorumState | None,
        history: VoterHistory,
        bootstrap: tuple[tuple[str, int], ...],
        can_vote: bool,
        own_endpoints: tuple[Endpoint, ...],
        rng: Callable[[int], int],
        now_ms: int,
    ) -> None:
        self.key = key
        self.cluster_id = cluster_id
        self.config = config
        self.log = log
        self.history = history
        self.bootstrap = bootstrap
        self.can_vote = can_vote
        self.own_endpoints = own_endpoints
        self.rng = rng
        self.now_ms = now_ms
        self.out: list[Effect] = []
        # The effects on the log of this step are not done: `log` still shows it as it was.
        self.is_log_pending = False
        self.elections_lost = 0
        # Since it had room, or stood.
        self.elections_left_out = 0
        snapshot = log.latest_snapshot()
        self.high_watermark = max(log.start_offset, snapshot.end_offset if snapshot else 0)
        self.persisted = state or QuorumState()
        self.epoch = max(self.persisted.leader_epoch, log.latest_epoch)
        is_current = self.epoch == self.persisted.leader_epoch
        self.voted: ReplicaKey | None = None
        if not is_current:
            # The state file was lost beside a log that knows a later epoch: it may have voted then, so not again.
            self.voted = key
        elif self.persisted.voted_id != NOBODY:
            self.voted = ReplicaKey(self.persisted.voted_id, self.persisted.voted_directory_id)
        self.leader_id = NOBODY
        self.leader: Destination | None = None
        self.observed: Observed | None = None
        self._announced = (NOBODY, self.epoch)
        self.state: State = Unattached(None, Fetching(now_ms))
        self._start(self.persisted.leader_id if is_current else NOBODY)

    def _start(self, leader_id: int) -> None:
        low, high = self.config.initial_election_ms
        soon_ms = self.now_ms + low + self.rng(high - low + 1)
        leader = self.voters.get(leader_id)
        if self.is_only_voter:
            self.state = Unattached(self.now_ms, Fetching(self.now_ms))
        elif leader_id == self.key.node_id and self.is_voter:
            # It led before it stopped. It may not lead this epoch again; saying so hastens the next election.
            unacknowledged = {voter.node_id: Asked(voter, self.now_ms) for voter in self.voters.others(self.key)}
            self.state = Resigned(soon_ms, unacknowledged)
        elif leader is not None and leader_id != self.key.node_id and leader.endpoint() is not None:
            self.leader_id = leader_id
            self.leader = self.destination(leader)
            assert self.leader is not None
            self.state = Follower(self.leader, Fetching(self.now_ms), self._fetch_deadline_ms())
        else:
            self.state = Unattached(soon_ms if self.is_voter else None, Fetching(self.now_ms))

    # What it knows

    @property
    def voters(self) -> VoterSet:
        return self.history.latest.voters

    @property
    def kraft_version(self) -> int:
        return self.history.latest.kraft_version

    @property
    def is_voter(self) -> bool:
        return self.can_vote and self.voters.has(self.key)

    @property
    def is_only_voter(self) -> bool:
        return self.is_voter and len(self.voters) == 1

    @property
    def source(self) -> Follower | Observed | None:
        """Whose log this node reads."""
        return self.state if isinstance(self.state, Follower) else self.observed

    def leader_info(self) -> LeaderInfo:
        if self.leader_id == self.key.node_id:
            own = self._own_endpoint()
            return LeaderInfo(self.leader_id, self.epoch, own.host if own else "", own.port if own else 0)
        if self.leader is None:
            return LeaderInfo(self.leader_id, self.epoch)
        return LeaderInfo(self.leader_id, self.epoch, self.leader.host, self.leader.port)

    def destination(self, voter: Voter) -> Destination | None:
        endpoint = voter.endpoint(self.config.listener_name)
        return Destination(voter.node_id, endpoint.host, endpoint.port) if endpoint else None

    def _own_endpoint(self) -> Endpoint | None:
        if self.own_endpoints:
            return self.own_endpoints[0]
        voter = self.voters.get(self.key.node_id)
        return voter.endpoint(self.config.listener_name) if voter else None

    # What it does

    def emit(self, effect: Effect) -> None:
        self.out.append(effect)

    def send(self, to: Destination, request: Message) -> None:
        self.emit(Send(to, request, self.config.request_timeout_ms))

    def append_control(self, records: list[tuple[int, Message]]) -> int:
        """Append as leader; a voter set rules from here on. The offset of the first record."""
        base_offset = self.log.end_offset
        self.emit(AppendControl(records))
        for delta, (_, value) in enumerate(records):
            latest = self.history.latest
            if isinstance(value, KRaftVersionRecord):
                self.history.add(VotersAt(base_offset + delta, latest.voters, value.kraft_version))
            elif isinstance(value, VotersRecord):
                self.history.add(VotersAt(base_offset + delta, VoterSet.from_record(value), latest.kraft_version))
        return base_offset

    def raise_high_watermark(self, offset: int) -> bool:
        if offset <= self.high_watermark:
            return False
        self.high_watermark = offset
        self.emit(HighWatermark(offset))
        return True

    def election_timeout_ms(self) -> int:
        """From one to two election timeouts, so that voters seldom stand at the same time."""
        return self.config.election_timeout_ms + self.rng(self.config.election_timeout_ms)

    def fetch_timeout_ms(self) -> int:
        """With a tenth of chance: followers that lose a silent leader together do not stand together."""
        return self.config.fetch_timeout_ms + self.rng(self.config.fetch_timeout_ms // 10 + 1)

    def backoff_ms(self) -> int:
        backoff = Backoff(BACKOFF_START_MS, max(1, self.config.election_backoff_ms_max))
        return backoff.drawn_ms(self.elections_lost + 1, self.rng)

    # Changes of role

    def become_unattached(self, epoch: int, election_deadline_ms: int | None = None) -> None:
        """Leaderless; in a higher epoch also without a vote. An election that was due before stays due."""
        if election_deadline_ms is None and isinstance(self.state, Unattached | Prospective | Candidate):
            election_deadline_ms = self._election_due_ms()
        if election_deadline_ms is None:
            election_deadline_ms = self.now_ms + self.election_timeout_ms()
        self._enter_epoch(epoch, NOBODY, None)
        self.state = Unattached(election_deadline_ms if self.is_voter else None, Fetching(self.now_ms))

    def become_follower(self, epoch: int, leader: Destination) -> None:
        self.observed = None
        self._enter_epoch(epoch, leader.node_id, leader)
        self.state = Follower(leader, Fetching(self.now_ms), self._fetch_deadline_ms())

    def become_prospective(self) -> None:
        assert self.is_voter
        self.state = Prospective(self._ballot(), self.now_ms + self.election_timeout_ms())

    def become_candidate(self) -> None:
        assert self.is_voter
        # Others vote for the log as it is now: nothing may be cut off it until they have.
        self.observed = None
        self.vote(self.epoch + 1, self.key)
        self.state = Candidate(self._ballot(), self.now_ms + self.election_timeout_ms())

    def become_leader(self, granted_ids: set[int]) -> None:
        assert isinstance(self.state, Candidate)
        self.elections_lost = 0
        own = self._own_endpoint()
        address = Destination(self.key.node_id, own.host, own.port) if own else None
        self._enter_epoch(self.epoch, self.key.node_id, address)
        records = self._start_of_epoch_records(granted_ids)
        self.state = Leader(self.append_control(records), self.log.end_offset, self.now_ms)
        self.emit(BecameLeader(self.epoch))

    def become_resigned(self) -> None:
        assert isinstance(self.state, Leader)
        unacknowledged = {voter.node_id: Asked(voter, self.now_ms) for voter in self.voters.others(self.key)}
        self.state = Resigned(self.now_ms + self.election_timeout_ms(), unacknowledged)
        self._announce(NOBODY, None)

    def observe(self, observed: Observed | None) -> None:
        """No change of role: whoever has a part in elections keeps it."""
        self.observed = observed
        self._announce(self.leader_id, self.leader)

    def vote(self, epoch: int, replica: ReplicaKey) -> None:
        """At most once in an epoch; on disk before it is sent."""
        assert epoch > self.epoch or self.voted in (None, replica)
        self.epoch = epoch
        self.voted = replica
        self._persist(NOBODY)
        self._announce(NOBODY, None)

    def _start_of_epoch_records(self, granted_ids: set[int]) -> list[tuple[int, Message]]:
        latest = self.history.latest
        granting = [voter for voter in latest.voters if voter.node_id in granted_ids]
        records = [control_records.leader_change_record(self.key.node_id, latest.voters, granting)]
        if latest.kraft_version >= 1 and latest.offset == BEFORE_THE_LOG:
            # The voters that storage was formatted with are not in the log yet: others learn them from there.
            records.append(control_records.kraft_version_record(latest.kraft_version))
            records.append(control_records.voters_record(latest.voters))
        return records

    def _ballot(self) -> Ballot:
        others = self.voters.others(self.key)
        asked = {voter.node_id: Asked(voter, self.now_ms) for voter in others}
        return Ballot(asked, self.voters.majority, {self.key.node_id})

    def _election_due_ms(self) -> int | None:
        if isinstance(self.state, Unattached):
            return self.state.election_deadline_ms
        return self.state.deadline_ms if isinstance(self.state, Prospective | Candidate) else None

    def _fetch_deadline_ms(self) -> int:
        return self.now_ms + self.fetch_timeout_ms()

    def _enter_epoch(self, epoch: int, leader_id: int, leader: Destination | None) -> None:
        assert epoch >= self.epoch, f"epoch {epoch} after {self.epoch}"
        if epoch > self.epoch:
            self.voted = None
        self.epoch = epoch
        self._persist(leader_id)
        self._announce(leader_id, leader)

    def _persist(self, leader_id: int) -> None:
        voted = self.voted or ReplicaKey(NOBODY)
        wanted = QuorumState(leader_id, self.epoch, voted.node_id, voted.directory_id)
        if wanted != self.persisted:
            self.persisted = wanted
            self.emit(PersistState(wanted))

    def _announce(self, leader_id: int, leader: Destination | None) -> None:
        self.leader_id, self.leader = leader_id, leader
        known = (leader_id, self.epoch)
        if leader_id == NOBODY and self.observed is not None:
            known = (self.observed.leader.node_id, self.observed.epoch)
        if self._announced != known:
            self._announced = known
            self.emit(LeaderChanged(*known))

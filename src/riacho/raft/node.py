"""One node of the metadata quorum: events in, effects out.

`step` takes what happened, lets the part of the protocol that it concerns act on it, and then does whatever is due by
now. The driver performs the effects in order, then steps `Appended` or `LogChanged` if the log changed, before it steps
anything else; and steps `Tick` at `next_deadline_ms`. Time never runs backwards here, whatever the clock does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.raft import (
    answers,
    begin_epoch,
    describe,
    election,
    fetching,
    leadership,
    reconfiguration,
    snapshot,
    voter_update,
)
from riacho.raft.config import RaftConfig
from riacho.raft.core import Core
from riacho.raft.effects import Destination, Effect
from riacho.raft.events import (
    Abandoned,
    Answered,
    Appended,
    Event,
    Failed,
    KRaftVersionRequested,
    LogChanged,
    Requested,
    Resign,
    SnapshotWritten,
    Tick,
    VotersSeen,
)
from riacho.raft.leader_state import Leader
from riacho.raft.log_view import LogView
from riacho.raft.quorum_state import NOBODY, QuorumState
from riacho.raft.roles import Follower, Resigned, Role
from riacho.raft.voter_history import VoterHistory, VotersAt
from riacho.raft.voters import Endpoint, ReplicaKey, VoterSet
from riacho.wire.messages.add_raft_voter_request import AddRaftVoterRequest
from riacho.wire.messages.begin_quorum_epoch_request import BeginQuorumEpochRequest
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest
from riacho.wire.messages.end_quorum_epoch_request import EndQuorumEpochRequest
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.fetch_snapshot_request import FetchSnapshotRequest
from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from riacho.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest
from riacho.wire.messages.vote_request import VoteRequest
from riacho.wire.schema import Message

HANDLERS: dict[type[Message], Callable[[Core, Requested], None]] = {
    VoteRequest: election.handle_vote,
    BeginQuorumEpochRequest: begin_epoch.handle_begin,
    EndQuorumEpochRequest: begin_epoch.handle_end,
    FetchRequest: leadership.handle_fetch,
    FetchSnapshotRequest: snapshot.handle_fetch_snapshot,
    DescribeQuorumRequest: describe.handle_describe,
    AddRaftVoterRequest: reconfiguration.handle_add,
    RemoveRaftVoterRequest: reconfiguration.handle_remove,
    UpdateRaftVoterRequest: reconfiguration.handle_update,
}


class RaftNode:
    def __init__(
        self,
        node_id: int,
        directory_id: bytes,
        cluster_id: str,
        config: RaftConfig,
        log: LogView,
        state: QuorumState | None,
        voters: VoterSet,
        kraft_version: int,
        bootstrap: tuple[tuple[str, int], ...] = (),
        can_vote: bool = True,
        own_endpoints: tuple[Endpoint, ...] = (),
        rng: Callable[[int], int] = lambda n: 0,
        now_ms: int = 0,
        history: tuple[VotersAt, ...] = (),
    ) -> None:
        """`voters` and `kraft_version` are those of the configuration, or of the snapshot that storage was formatted
        with; `history` what the latest snapshot and the log hold, if they hold any."""
        known = VoterHistory(voters, kraft_version)
        known.replace(history)
        key = ReplicaKey(node_id, directory_id)
        self._core = Core(key, cluster_id, config, log, state, known, bootstrap, can_vote, own_endpoints, rng, now_ms)

    # What others may know

    @property
    def node_id(self) -> int:
        return self._core.key.node_id

    @property
    def directory_id(self) -> bytes:
        return self._core.key.directory_id

    @property
    def role(self) -> Role:
        return self._core.state.role

    @property
    def epoch(self) -> int:
        return self._core.epoch

    @property
    def leader_id(self) -> int:
        """Whoever leads as far as this node knows: also in an epoch below its own, if it only reads along."""
        core = self._core
        return core.observed.leader.node_id if core.leader_id == NOBODY and core.observed else core.leader_id

    @property
    def is_leader(self) -> bool:
        return isinstance(self._core.state, Leader)

    @property
    def is_voter(self) -> bool:
        return self._core.is_voter

    @property
    def high_watermark(self) -> int:
        return self._core.high_watermark

    @property
    def leader_high_watermark(self) -> int:
        """As the leader sent it last: what is committed beyond this node's log is on its way. -1 when none did."""
        return self._core.source.leader_high_watermark if self._core.source else -1

    @property
    def voters(self) -> VoterSet:
        return self._core.voters

    @property
    def kraft_version(self) -> int:
        return self._core.kraft_version

    @property
    def epoch_start_offset(self) -> int:
        """Where the epoch of this leader starts; -1 when it does not lead."""
        return self._core.state.epoch_start_offset if isinstance(self._core.state, Leader) else -1

    def leader_endpoint(self) -> Destination | None:
        core = self._core
        return core.observed.leader if core.leader is None and core.observed else core.leader

    def voters_at(self, end_offset: int) -> VotersAt:
        """The voters and kraft.version that a snapshot which ends at this offset must hold."""
        return self._core.history.at(end_offset)

    # Stepping

    def step(self, event: Event, now_ms: int) -> list[Effect]:
        core = self._core
        core.now_ms = max(core.now_ms, now_ms)
        core.out = []
        before = core.state
        self._take(event)
        self._close(before)
        before = core.state
        self._advance()
        self._close(before)
        return core.out

    def next_deadline_ms(self) -> int | None:
        core, state = self._core, self._core.state
        deadlines = [election.next_deadline_ms(core), fetching.next_deadline_ms(core)]
        if isinstance(state, Leader):
            deadlines += [leadership.next_deadline_ms(core, state), reconfiguration.next_deadline_ms(state)]
        elif isinstance(state, Resigned):
            deadlines += begin_epoch.next_farewell_ms(state)
        return min((each for each in deadlines if each is not None), default=None)

    def _take(self, event: Event) -> None:
        core = self._core
        match event:
            case Requested():
                HANDLERS[type(event.request)](core, event)
            case Answered():
                self._answered(event)
            case Failed():
                self._failed(event)
            case Appended() | SnapshotWritten():
                if isinstance(core.state, Leader):
                    leadership.appended(core, core.state)
            case LogChanged():
                fetching.log_changed(core)
            case VotersSeen():
                core.history.replace(event.history)
            case Abandoned():
                if isinstance(core.state, Leader):
                    core.state.parked.pop(event.request_id, None)
                    reconfiguration.abandoned(core.state, event.request_id)
            case Resign():
                if isinstance(core.state, Leader):
                    leadership.resign(core, core.state)
            case KRaftVersionRequested():
                reconfiguration.handle_kraft_version(core, event)
            case Tick():
                pass

    def _answered(self, event: Answered) -> None:
        core, request, response = self._core, event.request, event.response
        if isinstance(request, AddRaftVoterRequest | RemoveRaftVoterRequest | UpdateRaftVoterRequest):
            voter_update.ended(core, request, response.error_code)
            return
        leader = answers.leader_in(response)
        if leader is not None:
            begin_epoch.observe(core, leader)
        match request:
            case VoteRequest():
                election.answered(core, request, response)
            case FetchRequest():
                fetching.answered(core, request, response)
            case FetchSnapshotRequest():
                if snapshot.answered(core, request, response) and isinstance(core.state, Follower):
                    fetching.record_leader_contact(core, core.state)
            case EndQuorumEpochRequest():
                begin_epoch.end_answered(core, request)

    def _failed(self, event: Failed) -> None:
        core, request = self._core, event.request
        match request:
            case VoteRequest():
                election.failed(core, request, event.is_refused)
            case FetchRequest() | FetchSnapshotRequest():
                fetching.failed(core, request, event.is_refused)
            case EndQuorumEpochRequest():
                begin_epoch.end_failed(core, request)
            case _:
                voter_update.ended(core, request, None)

    def _advance(self) -> None:
        core = self._core
        election.advance(core)
        if isinstance(core.state, Leader):
            leadership.advance(core, core.state)
        if isinstance(core.state, Leader):
            reconfiguration.advance(core, core.state)
        if isinstance(core.state, Resigned):
            begin_epoch.advance_resigned(core, core.state)
        fetching.advance(core)

    def _close(self, before: Any) -> None:
        if isinstance(before, Leader) and self._core.state is not before:
            leadership.ended(self._core, before)
            reconfiguration.ended(self._core, before)

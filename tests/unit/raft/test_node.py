from __future__ import annotations

from riacho.raft.effects import Destination, LeaderChanged
from riacho.raft.events import Abandoned, Appended, SnapshotWritten, VotersSeen
from riacho.raft.quorum_state import QuorumState
from riacho.raft.roles import Role
from riacho.raft.voter_history import VotersAt
from riacho.raft.voters import VoterSet
from riacho.wire.messages.begin_quorum_epoch_request import BeginQuorumEpochRequest
from riacho.wire.messages.fetch_request import FetchRequest
from support.raft_bench import Bench, of, vote_request
from support.raft_world import directory, dynamic_voters, static_voters


def test_a_follower_finds_its_leader_again_after_a_restart() -> None:
    bench = Bench(state=QuorumState(3, 6, 2, directory(2)))
    assert (bench.raft.role, bench.raft.leader_id, bench.raft.epoch) == (Role.FOLLOWER, 3, 6)
    assert bench.raft.leader_endpoint() == Destination(3, "host3", 9093)
    assert bench.fetched()[0].node_id == 3


def test_a_voter_asks_around_before_it_stands() -> None:
    bench = Bench(initial_election_ms=(200, 200))
    assert bench.raft.next_deadline_ms() == 200
    assert len(bench.taken(FetchRequest)) == 1
    bench.wait(190)
    assert bench.raft.role is Role.UNATTACHED
    bench.wait_for(Role.PROSPECTIVE, 20)


def test_leaders_are_announced_once() -> None:
    bench = Bench()
    bench.lead()
    assert of(bench.host.effects, LeaderChanged) == [LeaderChanged(1, 1)]
    assert of(bench.happen(SnapshotWritten()), LeaderChanged) == []


def test_voters_of_a_replayed_log_rule() -> None:
    bench = Bench(VoterSet(), kraft_version=1)
    assert not bench.raft.is_voter
    bench.happen(VotersSeen((VotersAt(3, dynamic_voters(3), 1), VotersAt(8, dynamic_voters(4), 1))))
    assert bench.raft.is_voter
    assert bench.raft.voters == dynamic_voters(4)
    assert bench.raft.voters_at(8).voters == dynamic_voters(3)
    # From now on it stands for election.
    bench.wait_for(Role.PROSPECTIVE)


def test_what_does_not_concern_a_follower_changes_nothing() -> None:
    bench = Bench()
    bench.follow(2, epoch=1)
    for event in (Appended(), SnapshotWritten(), Abandoned(5)):
        assert bench.happen(event) == []
    assert bench.raft.epoch_start_offset == -1


def test_a_committed_offset_is_known_from_the_snapshot_after_a_restart() -> None:
    bench = Bench()
    bench.lead()
    bench.replicate(2)
    bench.snapshot(bench.host, is_cutting=False)
    bench.crash(bench.host)
    bench.start(bench.host)
    assert bench.raft.high_watermark == 1


def test_a_leader_reaches_voters_at_the_listener_it_was_told() -> None:
    bench = Bench(static_voters(3), listener_name="CONTROLLER")
    bench.lead()
    assert {to.host for to, _ in bench.taken(BeginQuorumEpochRequest)} == {"host2", "host3"}


def test_every_epoch_is_on_disk() -> None:
    bench = Bench()
    for epoch in (3, 7, 8):
        bench.ask(vote_request(2, epoch, is_pre_vote=True))
        assert bench.host.state is not None
        assert bench.host.state.leader_epoch == epoch

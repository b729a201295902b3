from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.raft import answers
from riacho.raft.answers import LeaderInfo
from riacho.raft.claims import EPOCHS_AHEAD_MAX
from riacho.raft.core import EPOCH_LAST
from riacho.raft.effects import PersistState
from riacho.raft.events import Answered
from riacho.raft.quorum_state import QuorumState
from riacho.raft.roles import Role
from support.raft_bench import Bench, begin_request, fetch_request, vote_request
from support.raft_world import dynamic_voters

INT32_MAX = (1 << 31) - 1
STRANGER = 66


def code(response: object) -> ErrorCode:
    return ErrorCode(response.topics[0].partitions[0].error_code)  # type: ignore[attr-defined]


def is_granted(response: object) -> bool:
    return bool(response.topics[0].partitions[0].vote_granted)  # type: ignore[attr-defined]


def heard(bench: Bench, leader_id: int, epoch: int) -> None:
    """Follows, and has fetched."""
    bench.follow(leader_id, epoch=epoch)
    to, request = bench.fetched()
    bench.answer(to, request, answers.fetch_response(LeaderInfo(leader_id, epoch, f"host{leader_id}", 9093), 0, 0))


@pytest.mark.parametrize("sender", [2, STRANGER])
@pytest.mark.parametrize("epoch", [INT32_MAX, INT32_MAX - 1, EPOCHS_AHEAD_MAX + 5])
def test_an_epoch_far_ahead_is_not_taken(sender: int, epoch: int) -> None:
    bench = Bench()
    bench.follow(2, epoch=4)
    before = bench.host.state
    assert code(bench.ask(vote_request(sender, epoch, 4, 9))) is ErrorCode.UNKNOWN_LEADER_EPOCH
    assert code(bench.ask(vote_request(sender, epoch, 4, 9, is_pre_vote=True))) is ErrorCode.UNKNOWN_LEADER_EPOCH
    assert code(bench.ask(begin_request(sender, epoch))) is not ErrorCode.NONE
    assert (bench.raft.epoch, bench.raft.leader_id, bench.host.state) == (4, 2, before)


def test_a_voter_that_stood_often_is_believed() -> None:
    bench = Bench()
    bench.follow(2, epoch=4)
    assert is_granted(bench.ask(vote_request(3, 4 + EPOCHS_AHEAD_MAX, 4, 9)))
    assert bench.raft.epoch == 4 + EPOCHS_AHEAD_MAX


def test_a_stranger_gets_no_vote_while_there_is_a_leader() -> None:
    bench = Bench()
    heard(bench, 2, 4)
    assert code(bench.ask(vote_request(STRANGER, 5, 4, 9))) is ErrorCode.INCONSISTENT_VOTER_SET
    assert (bench.raft.epoch, bench.raft.leader_id) == (4, 2)
    leading = Bench()
    leading.lead()
    epoch = leading.raft.epoch
    assert code(leading.ask(vote_request(STRANGER, epoch + 1, epoch, 9))) is ErrorCode.INCONSISTENT_VOTER_SET
    assert leading.raft.is_leader


def test_a_voter_of_another_disk_is_a_stranger() -> None:
    bench = Bench(dynamic_voters(3), kraft_version=1)
    heard(bench, 2, 4)
    request = vote_request(3, 5, 4, 9)
    request.topics[0].partitions[0].replica_directory_id = b"\x09" * 16
    assert code(bench.ask(request)) is ErrorCode.INCONSISTENT_VOTER_SET
    assert is_granted(bench.ask(vote_request(3, 5, 4, 9)))


def test_a_stranger_may_have_joined_meanwhile_and_gets_the_vote_where_nobody_leads() -> None:
    bench = Bench()
    assert is_granted(bench.ask(vote_request(STRANGER, 1, 0, 0)))
    assert bench.raft.epoch == 1


def test_a_leader_that_is_no_voter_is_not_followed_on_its_own_word() -> None:
    bench = Bench()
    assert code(bench.ask(begin_request(STRANGER, 3))) is ErrorCode.INCONSISTENT_VOTER_SET
    assert (bench.raft.epoch, bench.raft.leader_id) == (0, -1)
    # A voter that names it is believed: this node asked it.
    bench.wait(30)
    to, request = bench.fetched()
    bench.answer(to, request, answers.fetch_response(LeaderInfo(STRANGER, 3, "host66", 9093), 6))
    assert (bench.raft.role, bench.raft.leader_id, bench.raft.epoch) == (Role.FOLLOWER, STRANGER, 3)


def test_a_node_that_was_away_for_long_learns_the_epoch_from_answers() -> None:
    bench = Bench()
    bench.wait_for(Role.PROSPECTIVE)
    to, request = bench.sends[-1].to, bench.sends[-1].request
    fenced = answers.vote_response(LeaderInfo(2, 5_000_000, "host2", 9093), ErrorCode.FENCED_LEADER_EPOCH)
    bench.answer(to, request, fenced)
    assert (bench.raft.epoch, bench.raft.leader_id) == (5_000_000, 2)


@pytest.mark.parametrize("cluster_id", [None, "another"])
def test_the_cluster_id_must_be_there(cluster_id: str | None) -> None:
    bench = Bench()
    bench.lead()
    epoch = bench.raft.epoch
    for request in (vote_request(2, epoch + 1), begin_request(2, epoch + 1), fetch_request(2, epoch, 0, 0)):
        request.cluster_id = cluster_id
        assert bench.ask(request).error_code == ErrorCode.INCONSISTENT_CLUSTER_ID
    assert bench.raft.is_leader
    assert bench.raft.epoch == epoch


def test_a_reader_that_is_no_replica_need_not_name_the_cluster() -> None:
    bench = Bench()
    bench.lead()
    request = fetch_request(-1, bench.raft.epoch, 0, 0, directory_id=bytes(16), max_wait_ms=0)
    request.cluster_id = None
    assert bench.ask(request).error_code == 0


def test_nobody_stands_for_an_epoch_that_cannot_be_told() -> None:
    bench = Bench(state=QuorumState(-1, EPOCH_LAST))
    bench.wait(60_000)
    assert bench.raft.epoch == EPOCH_LAST
    assert bench.raft.role is Role.UNATTACHED
    persisted = [effect for effect in bench.host.effects if isinstance(effect, PersistState)]
    assert all(effect.state.leader_epoch <= EPOCH_LAST for effect in persisted)


def test_an_answer_with_an_impossible_epoch_is_not_believed() -> None:
    bench = Bench()
    bench.wait(30)
    to, request = bench.fetched()
    bench.happen(Answered(to, request, answers.fetch_response(LeaderInfo(2, INT32_MAX, "host2", 9093), 6)))
    assert bench.raft.epoch == 0

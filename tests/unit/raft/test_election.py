from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.raft import answers
from riacho.raft.answers import LeaderInfo
from riacho.raft.effects import BecameLeader, PersistState, Reply, Send
from riacho.raft.election import LEFT_OUT_MAX
from riacho.raft.events import Requested, Tick
from riacho.raft.quorum_state import QuorumState
from riacho.raft.roles import Role
from riacho.wire.messages.vote_request import VoteRequest
from support.raft_bench import Bench, of, vote_request
from support.raft_log import MemoryLog, data_batch
from support.raft_world import directory, dynamic_voters, static_voters


def granted(response: object) -> bool:
    return bool(response.topics[0].partitions[0].vote_granted)  # type: ignore[attr-defined]


def code(response: object) -> ErrorCode:
    return ErrorCode(response.topics[0].partitions[0].error_code)  # type: ignore[attr-defined]


def log_of(*epochs: int) -> MemoryLog:
    log = MemoryLog()
    for offset, epoch in enumerate(epochs):
        log.append(data_batch("x", offset, epoch))
    return log


def test_a_lone_voter_leads_on_the_first_tick() -> None:
    bench = Bench(static_voters(1))
    assert bench.raft.is_leader
    assert (bench.raft.epoch, bench.raft.leader_id, bench.raft.high_watermark) == (1, 1, 1)
    assert bench.sends == []


def test_a_lone_voter_leads_again_after_a_restart() -> None:
    bench = Bench(static_voters(1))
    bench.crash(bench.host)
    bench.start(bench.host)
    assert bench.raft.is_leader
    assert (bench.raft.epoch, bench.raft.high_watermark) == (2, 2)


def test_before_an_election_the_epoch_stays() -> None:
    bench = Bench()
    bench.wait_for(Role.PROSPECTIVE, 400)
    asked = [request.topics[0].partitions[0] for _, request in bench.taken(VoteRequest)]
    assert [(each.pre_vote, each.replica_epoch) for each in asked] == [(True, 0), (True, 0)]
    assert bench.raft.epoch == 0


def test_from_prospect_to_leader() -> None:
    bench = Bench()
    bench.wait_for(Role.PROSPECTIVE)
    (to, request), _ = bench.taken(VoteRequest)
    effects = bench.answer(to, request, answers.vote_response(LeaderInfo(-1, 0), 0, True))
    assert (bench.raft.role, bench.raft.epoch) == (Role.CANDIDATE, 1)
    # On disk before anybody hears of it.
    kinds = [type(effect) for effect in effects]
    assert kinds.index(PersistState) < kinds.index(Send)
    assert bench.host.state == QuorumState(-1, 1, 1, directory(1))
    (to, request), _ = bench.taken(VoteRequest)
    assert not request.topics[0].partitions[0].pre_vote
    effects = bench.answer(to, request, answers.vote_response(LeaderInfo(-1, 1), 0, True))
    assert of(effects, BecameLeader) == [BecameLeader(1)]
    assert bench.host.state == QuorumState(1, 1, 1, directory(1))
    assert bench.raft.epoch_start_offset == 0


def test_a_vote_is_given_once_in_an_epoch() -> None:
    bench = Bench()
    assert granted(bench.ask(vote_request(2, 5)))
    assert bench.host.state == QuorumState(-1, 5, 2, directory(2))
    assert not granted(bench.ask(vote_request(3, 5)))
    assert granted(bench.ask(vote_request(2, 5)))
    assert granted(bench.ask(vote_request(3, 6)))


def test_a_vote_is_on_disk_before_it_is_given() -> None:
    bench = Bench()
    effects = bench.happen(Requested(1, vote_request(2, 5), 2))
    kinds = [type(effect) for effect in effects]
    assert kinds.index(PersistState) < kinds.index(Reply)


def test_a_vote_is_remembered_across_a_restart() -> None:
    bench = Bench()
    bench.ask(vote_request(2, 5))
    bench.crash(bench.host)
    bench.start(bench.host)
    assert bench.raft.epoch == 5
    assert not granted(bench.ask(vote_request(3, 5)))


@pytest.mark.parametrize(
    ("last_epoch", "last_offset", "expected"),
    [(2, 3, True), (2, 4, True), (3, 1, True), (2, 2, False), (1, 9, False)],
)
@pytest.mark.parametrize("is_pre_vote", [True, False])
def test_no_vote_for_a_log_that_is_behind(last_epoch: int, last_offset: int, expected: bool, is_pre_vote: bool) -> None:
    bench = Bench(log=log_of(1, 2, 2))
    assert granted(bench.ask(vote_request(2, 4, last_epoch, last_offset, is_pre_vote=is_pre_vote))) is expected
    # The epoch is taken over all the same.
    assert bench.raft.epoch == 4


def test_a_lost_state_file_gives_no_second_vote() -> None:
    bench = Bench(log=log_of(1, 2, 2), state=None)
    assert bench.raft.epoch == 2
    assert not granted(bench.ask(vote_request(2, 2, 2, 3)))
    assert granted(bench.ask(vote_request(2, 3, 2, 3)))


def test_a_follower_that_hears_its_leader_says_no_beforehand() -> None:
    bench = Bench()
    bench.follow(2, epoch=3)
    assert granted(bench.ask(vote_request(3, 3, is_pre_vote=True)))  # it has not heard from it yet
    bench.wait(30)
    to, request = bench.fetched()
    bench.answer(to, request, answers.fetch_response(LeaderInfo(2, 3, "host2", 9093), 0, 0))
    assert not granted(bench.ask(vote_request(3, 3, is_pre_vote=True)))
    assert bench.raft.role is Role.FOLLOWER


def test_a_leader_says_no_beforehand() -> None:
    bench = Bench()
    bench.lead()
    assert not granted(bench.ask(vote_request(3, 1, 1, 9, is_pre_vote=True)))
    assert bench.raft.is_leader


def test_old_epochs_are_fenced_and_told_the_new() -> None:
    bench = Bench()
    bench.follow(2, epoch=7)
    response = bench.ask(vote_request(3, 6))
    assert code(response) is ErrorCode.FENCED_LEADER_EPOCH
    partition = response.topics[0].partitions[0]
    assert (partition.leader_id, partition.leader_epoch) == (2, 7)
    assert [(each.node_id, each.host) for each in response.node_endpoints] == [(2, "host2")]


def test_requests_that_are_not_for_this_node() -> None:
    bench = Bench(dynamic_voters(3), kraft_version=1)
    assert bench.ask(vote_request(2, 1, cluster_id="another")).error_code == ErrorCode.INCONSISTENT_CLUSTER_ID
    assert code(bench.ask(vote_request(2, 1, voter_id=3))) is ErrorCode.INVALID_VOTER_KEY
    other_disk = vote_request(2, 1, voter_directory_id=directory(1, life=4))
    assert code(bench.ask(other_disk)) is ErrorCode.INVALID_VOTER_KEY
    assert code(bench.ask(vote_request(2, 1, last_epoch=2))) is ErrorCode.INVALID_REQUEST
    assert bench.raft.epoch == 0
    assert granted(bench.ask(vote_request(2, 1, voter_directory_id=directory(1))))


def test_an_observer_does_not_vote_or_stand() -> None:
    bench = Bench(can_vote=False, node_id=9)
    assert not granted(bench.ask(vote_request(2, 1, voter_id=9)))
    bench.wait(20_000)
    assert bench.taken(VoteRequest) == []


def test_a_prospect_asks_again_whoever_said_no() -> None:
    bench = Bench()
    bench.wait_for(Role.PROSPECTIVE)
    (to, request), _ = bench.taken(VoteRequest)
    bench.answer(to, request, answers.vote_response(LeaderInfo(-1, 0), 0, False))
    assert bench.raft.role is Role.PROSPECTIVE
    bench.wait(250)
    assert to in [destination for destination, _ in bench.taken(VoteRequest)]


def test_refused_by_a_majority_it_waits() -> None:
    bench = Bench()
    bench.wait_for(Role.PROSPECTIVE)
    for to, request in bench.taken(VoteRequest):
        bench.answer(to, request, answers.vote_response(LeaderInfo(-1, 0), 0, False))
    assert bench.raft.role is Role.UNATTACHED
    bench.wait_for(Role.PROSPECTIVE, 300)


def test_an_answer_that_names_a_leader_ends_the_election() -> None:
    bench = Bench()
    bench.wait_for(Role.PROSPECTIVE)
    (to, request), _ = bench.taken(VoteRequest)
    bench.answer(to, request, answers.vote_response(LeaderInfo(3, 4, "host3", 9093), 74, False))
    assert (bench.raft.role, bench.raft.leader_id, bench.raft.epoch) == (Role.FOLLOWER, 3, 4)


def test_a_split_vote_with_one_absent_is_over_soon() -> None:
    bench = Bench()
    bench.wait_for(Role.PROSPECTIVE)
    (to, request), other = bench.taken(VoteRequest)
    bench.answer(to, request, answers.vote_response(LeaderInfo(-1, 0), 0, True))
    assert bench.raft.role is Role.CANDIDATE
    bench.fail(*other, is_refused=True)
    (two, asked_two), (three, asked_three) = bench.taken(VoteRequest)
    bench.fail(three, asked_three, is_refused=True)
    assert bench.raft.role is Role.CANDIDATE
    bench.answer(two, asked_two, answers.vote_response(LeaderInfo(-1, 1), 0, False))
    assert bench.raft.role is Role.UNATTACHED
    bench.wait_for(Role.PROSPECTIVE, 300)


def test_answers_to_an_older_election_do_not_count() -> None:
    bench = Bench()
    bench.wait_for(Role.PROSPECTIVE)
    (to, old), _ = bench.taken(VoteRequest)
    bench.ask(vote_request(2, 9))
    bench.answer(to, old, answers.vote_response(LeaderInfo(-1, 0), 0, True))
    assert (bench.raft.role, bench.raft.epoch) == (Role.UNATTACHED, 9)


def test_time_that_runs_backwards_is_not_followed() -> None:
    bench = Bench()
    bench.raft.step(Tick(), 50)
    deadline_ms = bench.raft.next_deadline_ms()
    bench.raft.step(Tick(), 10)
    assert bench.raft.next_deadline_ms() == deadline_ms


def test_a_node_without_room_lets_others_stand_and_votes_for_them() -> None:
    log = log_of(1, 1)
    log.has_free_space = False
    bench = Bench(log=log)
    longest_ms = bench.host.config.election_timeout_ms * 2
    bench.wait(longest_ms)
    assert bench.taken(VoteRequest) == []
    assert granted(bench.ask(vote_request(2, epoch=2, last_epoch=1, last_offset=2)))
    bench.wait_for(Role.PROSPECTIVE, longest_ms * (LEFT_OUT_MAX + 2))
    assert bench.raft.epoch == 2, "it may be the only one whose log is whole"


def test_a_node_that_has_room_again_stands_at_once() -> None:
    log = log_of(1, 1)
    log.has_free_space = False
    bench = Bench(log=log)
    longest_ms = bench.host.config.election_timeout_ms * 2
    bench.wait(longest_ms)
    log.has_free_space = True
    bench.wait_for(Role.PROSPECTIVE, longest_ms)


def test_a_lone_voter_stands_without_room() -> None:
    log = log_of(1)
    log.has_free_space = False
    assert Bench(static_voters(1), log=log).raft.is_leader

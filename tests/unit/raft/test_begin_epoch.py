from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.raft import answers
from riacho.raft.answers import LeaderInfo
from riacho.raft.effects import LeaderChanged
from riacho.raft.events import Resign
from riacho.raft.quorum_state import QuorumState
from riacho.raft.roles import Role
from riacho.wire.messages import end_quorum_epoch_request as end
from riacho.wire.messages.begin_quorum_epoch_request import BeginQuorumEpochRequest
from riacho.wire.messages.end_quorum_epoch_request import EndQuorumEpochRequest
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.vote_request import VoteRequest
from support.raft_bench import Bench, begin_request, fetch_request, of
from support.raft_world import CLUSTER_ID, directory


def end_request(leader_id: int, epoch: int, *successors: int) -> EndQuorumEpochRequest:
    candidates = [end.ReplicaInfo(candidate_id=each, candidate_directory_id=directory(each)) for each in successors]
    partition = end.PartitionData(leader_id=leader_id, leader_epoch=epoch, preferred_candidates=candidates)
    topic = end.TopicData(topic_name=answers.TOPIC, partitions=[partition])
    return EndQuorumEpochRequest(cluster_id=CLUSTER_ID, topics=[topic])


def test_a_new_leader_is_followed_and_remembered() -> None:
    bench = Bench()
    response = bench.ask(begin_request(2, 4))
    assert response.topics[0].partitions[0].error_code == 0
    assert (bench.raft.role, bench.raft.leader_id, bench.raft.epoch) == (Role.FOLLOWER, 2, 4)
    assert bench.host.state == QuorumState(2, 4)
    assert bench.raft.leader_endpoint() == (2, "host2", 9093)
    to, request = bench.fetched()
    assert to.node_id == 2
    assert request.topics[0].partitions[0].current_leader_epoch == 4


def test_an_old_leader_is_fenced() -> None:
    bench = Bench()
    bench.follow(2, epoch=4)
    response = bench.ask(begin_request(3, 3))
    assert response.topics[0].partitions[0].error_code == ErrorCode.FENCED_LEADER_EPOCH
    assert response.topics[0].partitions[0].leader_id == 2
    assert bench.raft.leader_id == 2


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"cluster_id": "another"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        ({"voter_id": 3}, ErrorCode.INVALID_VOTER_KEY),
        ({"topics": []}, ErrorCode.INVALID_REQUEST),
    ],
)
def test_requests_that_are_not_for_this_node(change: dict[str, object], code: ErrorCode) -> None:
    bench = Bench()
    request = begin_request(2, 4)
    for name, value in change.items():
        setattr(request, name, value)
    response = bench.ask(request)
    assert code in (response.error_code, *(topic.partitions[0].error_code for topic in response.topics))
    assert bench.raft.epoch == 0


def test_a_leader_tells_voters_until_they_fetch() -> None:
    bench = Bench()
    bench.lead()
    told = bench.taken(BeginQuorumEpochRequest)
    assert sorted(to.node_id for to, _ in told) == [2, 3]
    bench.replicate(2)
    bench.wait(1_100)
    assert sorted(to.node_id for to, _ in bench.taken(BeginQuorumEpochRequest)) == [2, 3]
    for _ in range(4):
        bench.replicate(2)
        bench.wait(600)
    assert {to.node_id for to, _ in bench.taken(BeginQuorumEpochRequest)} == {3}


def test_resigning_names_the_best_successor_first() -> None:
    bench = Bench()
    bench.lead()
    bench.replicate(2)
    bench.append(bench.host, "x")
    bench.replicate(3)
    effects = bench.happen(Resign())
    assert bench.raft.role is Role.RESIGNED
    assert of(effects, LeaderChanged) == [LeaderChanged(-1, 1)]
    sent = bench.taken(EndQuorumEpochRequest)
    assert [to.node_id for to, _ in sent] == [3, 2]
    partition = sent[0][1].topics[0].partitions[0]
    assert [each.candidate_id for each in partition.preferred_candidates] == [3, 2]
    assert partition.preferred_successors == [3, 2]


def test_a_farewell_is_repeated_until_acknowledged() -> None:
    bench = Bench()
    bench.lead()
    bench.happen(Resign())
    (one, first), (two, second) = bench.taken(EndQuorumEpochRequest)
    bench.answer(one, first, answers.end_response(LeaderInfo(1, 1), 0))
    bench.fail(two, second)
    bench.wait(300)
    assert [to for to, _ in bench.taken(EndQuorumEpochRequest)] == [two]


def test_a_resigned_leader_follows_or_stands_in_a_later_epoch() -> None:
    bench = Bench()
    bench.lead()
    bench.happen(Resign())
    assert bench.ask(fetch_request(2, 1, 0, 0)).responses[0].partitions[0].error_code == (
        ErrorCode.NOT_LEADER_OR_FOLLOWER
    )
    bench.taken(VoteRequest)
    bench.wait_for(Role.PROSPECTIVE)
    bench.win_votes(2)
    assert bench.raft.is_leader
    assert bench.raft.epoch == 2


def test_a_leader_that_restarts_does_not_lead_its_epoch_again() -> None:
    bench = Bench(state=QuorumState(1, 5, 1, directory(1)))
    assert bench.raft.role is Role.RESIGNED
    assert {to.node_id for to, _ in bench.taken(EndQuorumEpochRequest)} == {2, 3}
    bench.wait_for(Role.PROSPECTIVE, 600)
    bench.win_votes(2)
    assert bench.raft.epoch == 6


def test_the_first_successor_stands_at_once() -> None:
    bench = Bench()
    bench.follow(2, epoch=4)
    bench.ask(end_request(2, 4, 1, 3))
    assert bench.raft.role is Role.PROSPECTIVE


def test_the_second_successor_waits_a_little() -> None:
    bench = Bench()
    bench.follow(2, epoch=4)
    bench.ask(end_request(2, 4, 3, 1))
    assert bench.raft.role is Role.FOLLOWER
    bench.wait_for(Role.PROSPECTIVE, 110)


def test_a_farewell_of_an_old_epoch_changes_nothing() -> None:
    bench = Bench()
    bench.follow(2, epoch=4)
    response = bench.ask(end_request(3, 3, 1))
    assert response.topics[0].partitions[0].error_code == ErrorCode.FENCED_LEADER_EPOCH
    bench.wait(200)
    assert bench.raft.role is Role.FOLLOWER


def test_a_prospect_whose_leader_speaks_up_follows_it_again() -> None:
    bench = Bench()
    bench.follow(2, epoch=4)
    bench.wait_for(Role.PROSPECTIVE)
    bench.ask(begin_request(2, 4))
    assert bench.raft.role is Role.FOLLOWER
    assert bench.taken(FetchRequest)[-1][0].node_id == 2


def test_one_that_is_told_it_led_gives_no_second_vote() -> None:
    bench = Bench()
    bench.wait(30)
    to, request = bench.fetched()
    bench.answer(to, request, answers.fetch_response(LeaderInfo(1, 8), ErrorCode.FENCED_LEADER_EPOCH))
    assert bench.raft.epoch == 8
    assert bench.host.state == QuorumState(-1, 8, 1, directory(1))

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.raft import answers
from riacho.raft.answers import LeaderInfo
from riacho.raft.effects import KRaftVersionDecided
from riacho.raft.events import KRaftVersionRequested
from riacho.raft.roles import Role
from riacho.raft.voters import VoterSet
from riacho.wire.messages import add_raft_voter_request as add
from riacho.wire.messages import update_raft_voter_request as update
from riacho.wire.messages.add_raft_voter_request import AddRaftVoterRequest
from riacho.wire.messages.fetch_response import EpochEndOffset
from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from riacho.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest
from support.raft_bench import Bench, fetch_request, of, vote_request
from support.raft_world import CLUSTER_ID, directory, dynamic_voters, static_voters


def leader() -> Bench:
    """One that has committed in its epoch."""
    bench = Bench(dynamic_voters(3), kraft_version=1)
    bench.lead()
    bench.replicate(2)
    bench.replicate(3)
    assert bench.raft.high_watermark == bench.log.end_offset
    return bench


def addition(node_id: int, **options: Any) -> AddRaftVoterRequest:
    listener = add.Listener(name="CONTROLLER", host=f"host{node_id}", port=9093)
    request = AddRaftVoterRequest(
        cluster_id=CLUSTER_ID,
        timeout_ms=1_000,
        voter_id=node_id,
        voter_directory_id=directory(node_id),
        listeners=[listener],
    )
    for name, value in options.items():
        setattr(request, name, value)
    return request


def removal(node_id: int, life: int = 0) -> RemoveRaftVoterRequest:
    return RemoveRaftVoterRequest(cluster_id=CLUSTER_ID, voter_id=node_id, voter_directory_id=directory(node_id, life))


def news(node_id: int, host: str, epoch: int) -> UpdateRaftVoterRequest:
    return UpdateRaftVoterRequest(
        cluster_id=CLUSTER_ID,
        current_leader_epoch=epoch,
        voter_id=node_id,
        voter_directory_id=directory(node_id),
        listeners=[update.Listener(name="CONTROLLER", host=host, port=9093)],
        kraft_version_feature=update.KRaftVersionFeature(min_supported_version=0, max_supported_version=1),
    )


def test_the_first_leader_writes_the_voters_into_the_log() -> None:
    bench = leader()
    assert [(entry.offset, entry.kraft_version) for entry in bench.log.voter_history()] == [(1, 1), (2, 1)]
    assert bench.log.voter_history()[-1].voters == dynamic_voters(3)


def test_a_voter_that_caught_up_is_added_when_committed() -> None:
    bench = leader()
    bench.replicate(4)
    assert bench.ask(addition(4)) is None
    request_id = bench.last_request_id
    # It rules from its append on: three of four have to have it.
    assert bench.raft.voters.ids == [1, 2, 3, 4]
    bench.replicate(2)
    assert request_id not in bench.replies
    bench.replicate(4)
    assert bench.replies[request_id].error_code == 0
    assert bench.raft.high_watermark == bench.log.end_offset


def test_the_answer_need_not_wait_for_the_commit() -> None:
    bench = leader()
    bench.replicate(4)
    assert bench.ask(addition(4, ack_when_committed=False)).error_code == 0
    assert bench.raft.voters.ids == [1, 2, 3, 4]


def test_one_that_has_not_caught_up_is_not_added() -> None:
    bench = leader()
    assert bench.ask(addition(4)).error_code == ErrorCode.REQUEST_TIMED_OUT
    bench.ask(fetch_request(4, bench.raft.epoch, 0, 0))
    assert bench.ask(addition(4)).error_code == ErrorCode.REQUEST_TIMED_OUT
    assert bench.raft.voters.ids == [1, 2, 3]


def test_one_change_at_a_time() -> None:
    bench = leader()
    bench.replicate(4)
    bench.ask(addition(4))
    assert bench.ask(removal(3)).error_code == ErrorCode.REQUEST_TIMED_OUT
    assert bench.raft.voters.ids == [1, 2, 3, 4]


def test_no_change_before_the_epoch_has_committed() -> None:
    bench = Bench(dynamic_voters(3), kraft_version=1)
    bench.wait_for(Role.PROSPECTIVE)
    bench.win_votes(2)
    assert bench.raft.is_leader
    assert bench.ask(removal(3)).error_code == ErrorCode.REQUEST_TIMED_OUT


@pytest.mark.parametrize(
    ("request_of", "code"),
    [
        (lambda: addition(4, cluster_id="another"), ErrorCode.INCONSISTENT_CLUSTER_ID),
        (lambda: addition(2), ErrorCode.DUPLICATE_VOTER),
        (lambda: addition(4, listeners=[]), ErrorCode.INVALID_REQUEST),
        (lambda: addition(4, voter_directory_id=bytes(16)), ErrorCode.INVALID_REQUEST),
        (lambda: removal(4), ErrorCode.VOTER_NOT_FOUND),
        (lambda: removal(2, life=1), ErrorCode.VOTER_NOT_FOUND),
    ],
)
def test_refusals(request_of: Any, code: ErrorCode) -> None:
    bench = leader()
    assert bench.ask(request_of()).error_code == code
    assert bench.raft.voters == dynamic_voters(3)


def test_the_last_voter_stays() -> None:
    bench = Bench(dynamic_voters(1), kraft_version=1)
    assert bench.raft.is_leader
    assert bench.ask(removal(1)).error_code == ErrorCode.VOTER_NOT_FOUND


def test_only_the_leader_changes_voters() -> None:
    bench = Bench(dynamic_voters(3), kraft_version=1)
    bench.follow(2, epoch=1)
    for request in (addition(4), removal(3), news(3, "elsewhere", 1)):
        assert bench.ask(request).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_static_voters_are_not_changed() -> None:
    bench = Bench()
    bench.lead()
    bench.replicate(2)
    assert bench.ask(addition(4)).error_code == ErrorCode.UNSUPPORTED_VERSION
    assert bench.ask(removal(3)).error_code == ErrorCode.UNSUPPORTED_VERSION


def test_a_change_that_takes_too_long_is_answered_and_goes_on() -> None:
    bench = leader()
    bench.replicate(4)
    bench.ask(addition(4))
    request_id = bench.last_request_id
    bench.wait(1_010)
    assert bench.replies[request_id].error_code == ErrorCode.REQUEST_TIMED_OUT
    assert bench.raft.voters.ids == [1, 2, 3, 4]


def test_who_waits_is_told_when_the_leader_steps_down() -> None:
    bench = leader()
    bench.ask(removal(3))
    request_id = bench.last_request_id
    bench.ask(vote_request(2, 9, 1, 99, voter_directory_id=directory(1)))
    assert bench.replies[request_id].error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_leader_that_is_removed_leads_until_that_is_committed() -> None:
    bench = leader()
    bench.ask(removal(1))
    request_id = bench.last_request_id
    bench.replicate(2)
    # The two others are the majority now; the leader does not count itself.
    assert bench.raft.is_leader
    bench.replicate(3)
    assert bench.replies[request_id].error_code == 0
    assert bench.raft.role is Role.RESIGNED
    bench.wait(3_000)
    assert bench.raft.role is Role.UNATTACHED
    assert not bench.raft.is_voter


def test_truncation_restores_the_former_voters() -> None:
    bench = leader()
    bench.ask(removal(3))
    assert bench.raft.voters.ids == [1, 2]
    bench.follow(2, epoch=5)
    response = answers.fetch_response(LeaderInfo(2, 5), 0, 0)
    response.responses[0].partitions[0].diverging_epoch = EpochEndOffset(epoch=1, end_offset=3)
    bench.answer(*bench.fetched(), response)
    assert bench.raft.voters.ids == [1, 2, 3]


def test_a_voter_tells_of_a_new_address() -> None:
    bench = leader()
    assert bench.ask(news(2, "host2", 1)).error_code == 0  # nothing new
    assert bench.ask(news(2, "elsewhere", 1)) is None
    request_id = bench.last_request_id
    bench.replicate(2)
    assert bench.replies[request_id].error_code == 0
    voter = bench.raft.voters.get(2)
    assert voter is not None
    assert voter.endpoints[0].host == "elsewhere"
    assert bench.ask(news(2, "host2", 0)).error_code == ErrorCode.FENCED_LEADER_EPOCH
    assert bench.ask(news(4, "host4", 1)).error_code == ErrorCode.VOTER_NOT_FOUND


def test_kraft_version_rises_when_all_voters_have_told_their_directories() -> None:
    bench = Bench()
    bench.lead()
    bench.replicate(2)
    early = of(bench.happen(KRaftVersionRequested(77, 1)), KRaftVersionDecided)
    assert [each.error_code for each in early] == [ErrorCode.INVALID_UPDATE_VERSION]
    for node_id in (2, 3):
        assert bench.ask(news(node_id, f"host{node_id}", 1)).error_code == 0
    assert of(bench.happen(KRaftVersionRequested(78, 1, is_validate_only=True)), KRaftVersionDecided) == [
        KRaftVersionDecided(78, 0)
    ]
    assert bench.raft.kraft_version == 0
    assert of(bench.happen(KRaftVersionRequested(79, 1)), KRaftVersionDecided) == []
    assert (bench.raft.kraft_version, bench.raft.voters) == (1, dynamic_voters(3))
    bench.host.effects.clear()
    bench.replicate(2)
    assert of(bench.host.effects, KRaftVersionDecided) == [KRaftVersionDecided(79, 0)]


@pytest.mark.parametrize(("version", "code"), [(0, ErrorCode.INVALID_UPDATE_VERSION), (1, 0), (2, 95)])
def test_kraft_version_never_falls(version: int, code: int) -> None:
    bench = leader()
    (decided,) = of(bench.happen(KRaftVersionRequested(5, version)), KRaftVersionDecided)
    assert decided.error_code == code


def test_a_follower_tells_its_address_once_it_has_fetched() -> None:
    bench = Bench(static_voters(3))
    bench.follow(2, epoch=1)
    bench.answer(*bench.fetched(), answers.fetch_response(LeaderInfo(2, 1), 0, 0))
    ((to, request),) = bench.taken(UpdateRaftVoterRequest)
    assert (to.node_id, request.voter_id, request.voter_directory_id) == (2, 1, directory(1))
    assert [each.host for each in request.listeners] == ["host1"]


def test_a_controller_joins_by_itself_when_told_to() -> None:
    bench = Bench(dynamic_voters(3), kraft_version=1, node_id=4, is_auto_joining=True)
    bench.follow(2, epoch=1)
    bench.answer(*bench.fetched(), answers.fetch_response(LeaderInfo(2, 1), 0, 0))
    ((_, request),) = bench.taken(AddRaftVoterRequest)
    assert (request.voter_id, request.ack_when_committed) == (4, False)


def test_one_with_a_new_disk_removes_its_old_self_first() -> None:
    voters = VoterSet(voter._replace(directory_id=directory(voter.node_id, 1)) for voter in dynamic_voters(3))
    bench = Bench(voters, kraft_version=1, is_auto_joining=True)
    bench.follow(2, epoch=1)
    bench.answer(*bench.fetched(), answers.fetch_response(LeaderInfo(2, 1), 0, 0))
    ((_, request),) = bench.taken(RemoveRaftVoterRequest)
    assert (request.voter_id, request.voter_directory_id) == (1, directory(1, 1))

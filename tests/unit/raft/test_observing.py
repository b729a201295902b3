from __future__ import annotations

from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.raft import answers
from riacho.raft.answers import LeaderInfo
from riacho.raft.control_records import build_control_batch, voters_record
from riacho.raft.effects import FinishSnapshot, HighWatermark, LeaderChanged, Truncate
from riacho.raft.log_view import SnapshotId
from riacho.raft.quorum_state import QuorumState
from riacho.raft.roles import Role
from riacho.raft.voters import VoterSet
from riacho.wire.messages import fetch_response as fetch
from riacho.wire.messages.add_raft_voter_request import AddRaftVoterRequest
from riacho.wire.messages.add_raft_voter_response import AddRaftVoterResponse
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.fetch_response import EpochEndOffset, FetchResponse
from riacho.wire.messages.fetch_snapshot_request import FetchSnapshotRequest
from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from riacho.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest
from riacho.wire.messages.vote_request import VoteRequest
from support.raft_bench import Bench, begin_request, of, vote_request
from support.raft_log import MemoryLog, data_batch
from support.raft_world import CLUSTER_ID, World, directory, dynamic_voters

STRANGER = 66
# The voters' leader, and the epoch that the node on the bench has promised.
LEADER = LeaderInfo(2, 4, "host2", 9093)
PROMISED = QuorumState(-1, 9, STRANGER, directory(STRANGER))


def lonely(*epochs: int, **options: Any) -> Bench:
    """Voted for a stranger in epoch 9; a voter by its own log, of these epochs."""
    log = MemoryLog()
    for offset, epoch in enumerate(epochs):
        log.append(data_batch("old", offset, epoch))
    # Elections are another test's matter.
    options = {"initial_election_ms": (100_000, 100_000), **options}
    return Bench(dynamic_voters(3), kraft_version=1, state=PROMISED, log=log, **options)


def refused(leader: LeaderInfo = LEADER) -> FetchResponse:
    return answers.fetch_response(leader, ErrorCode.UNKNOWN_LEADER_EPOCH)


def response(records: bytes = b"", high_watermark: int = 0, leader: LeaderInfo = LEADER) -> FetchResponse:
    found = answers.fetch_response(leader, 0, high_watermark)
    found.responses[0].partitions[0].records = records
    return found


def diverging(epoch: int, end_offset: int) -> FetchResponse:
    found = response()
    found.responses[0].partitions[0].diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end_offset)
    return found


def removal(offset: int, epoch: int = 4) -> bytes:
    voters = dynamic_voters(3).without(1)
    return build_control_batch([voters_record(voters)], base_offset=offset, leader_epoch=epoch, timestamp_ms=0)


def seen(request: FetchRequest) -> tuple[int, int, int]:
    """In which epoch, from where and in whose name it fetches."""
    partition = request.topics[0].partitions[0]
    return partition.current_leader_epoch, partition.fetch_offset, request.replica_state.replica_id


def reading(bench: Bench) -> Bench:
    """Told of the leader that refuses it."""
    bench.wait(100)
    bench.answer(*bench.fetched(), refused())
    return bench


def test_a_removed_voter_in_a_strangers_epoch_learns_of_its_removal_and_keeps_its_promise() -> None:
    bench = reading(lonely())
    to, request = bench.fetched()
    assert (to.node_id, seen(request)) == (2, (4, 0, -1))
    effects = bench.answer(to, request, response(data_batch("a", 0, 4) + removal(1), high_watermark=2))
    assert of(effects, HighWatermark) == [HighWatermark(2)]
    assert not bench.raft.is_voter
    assert bench.raft.voters.ids == [2, 3]
    assert (bench.raft.role, bench.raft.epoch, bench.host.state) == (Role.UNATTACHED, 9, PROMISED)
    # Back after a crash it has the same promise, and reads on.
    bench.crash(bench.host)
    bench.start(bench.host)
    assert bench.raft.epoch == 9
    reading(bench)
    assert seen(bench.fetched()[1]) == (4, 2, -1)


def test_it_gives_its_name_only_for_what_is_committed_and_when_it_is_no_voter() -> None:
    bench = reading(lonely())
    # All of it is committed, but by its own log it is a voter.
    bench.answer(*bench.fetched(), response(data_batch("a", 0, 4), high_watermark=1))
    to, request = bench.fetched()
    assert seen(request) == (4, 1, -1)
    # It is none any more, but the record that says so may still be replaced.
    bench.answer(to, request, response(removal(1), high_watermark=1))
    to, request = bench.fetched()
    assert (bench.raft.is_voter, seen(request)) == (False, (4, 2, -1))
    bench.answer(to, request, response(high_watermark=2))
    to, request = bench.fetched()
    assert seen(request) == (4, 2, 1)
    bench.answer(to, request, response(data_batch("b", 2, 4), high_watermark=2))
    assert seen(bench.fetched()[1]) == (4, 3, -1)


def test_others_are_not_told_that_this_leader_leads_this_nodes_epoch() -> None:
    bench = reading(lonely())
    assert (bench.raft.leader_id, bench.raft.leader_endpoint()) == (2, bench.fetched()[0])
    told = bench.ask(vote_request(3, 9, 9, 9)).topics[0].partitions[0]
    assert (told.leader_id, told.leader_epoch, told.vote_granted) == (-1, 9, False)


def test_who_forwards_to_the_leader_hears_of_it_and_of_its_end() -> None:
    bench = lonely()
    bench.wait(100)
    assert of(bench.answer(*bench.fetched(), refused()), LeaderChanged) == [LeaderChanged(2, 4)]
    assert of(bench.fail(*bench.fetched()), LeaderChanged) == [LeaderChanged(-1, 9)]
    assert bench.raft.leader_endpoint() is None
    # It looks for the next one, and follows if that one's epoch is its own.
    bench.wait(100)
    bench.answer(*bench.fetched(), refused(LeaderInfo(3, 9, "host3", 9093)))
    assert (bench.raft.role, bench.raft.leader_id) == (Role.FOLLOWER, 3)
    assert seen(bench.fetched()[1]) == (9, 0, 1)


def test_a_later_leader_takes_the_place_of_the_one_before() -> None:
    bench = reading(lonely())
    bench.answer(*bench.fetched(), refused(LeaderInfo(3, 6, "host3", 9093)))
    to, request = bench.fetched()
    assert (to.node_id, seen(request)) == (3, (6, 0, -1))
    bench.answer(to, request, response(data_batch("a", 0, 6), 1, LeaderInfo(3, 6, "host3", 9093)))
    assert bench.log.end_offset == 1


def test_nothing_of_a_later_epoch_is_given_up_for_an_older_leader() -> None:
    bench = reading(lonely(5))
    bench.wait(200)
    assert all(seen(request) == (9, 1, 1) for _, request in bench.taken(FetchRequest))
    assert bench.raft.leader_id == -1


def test_nothing_of_a_later_epoch_is_taken_from_it() -> None:
    bench = reading(lonely())
    bench.answer(*bench.fetched(), response(data_batch("a", 0, 4) + data_batch("b", 1, 5)))
    assert bench.log.end_offset == 1


def test_what_diverges_is_cut_but_nothing_that_is_committed() -> None:
    bench = reading(lonely(3, 3))
    assert of(bench.answer(*bench.fetched(), diverging(3, 1)), Truncate) == [Truncate(1)]
    bench.answer(*bench.fetched(), response(high_watermark=1))
    assert bench.raft.high_watermark == 1
    effects = bench.answer(*bench.fetched(), diverging(3, 0))
    assert not of(effects, Truncate)
    assert (bench.log.end_offset, bench.raft.leader_id) == (1, -1)


@pytest.mark.parametrize(("end_offset", "is_taken"), [(7, True), (1, False)])
def test_a_snapshot_is_taken_unless_it_ends_before_what_is_committed(end_offset: int, is_taken: bool) -> None:
    bench = reading(lonely(3, 3))
    bench.answer(*bench.fetched(), response(high_watermark=2))
    found = response()
    found.responses[0].partitions[0].snapshot_id = fetch.SnapshotId(end_offset=end_offset, epoch=3)
    bench.answer(*bench.fetched(), found)
    requests = bench.taken(FetchSnapshotRequest)
    assert bool(requests) is is_taken
    for to, request in requests:
        partition = request.topics[0].partitions[0]
        assert (request.replica_id, partition.current_leader_epoch) == (-1, 4)
        log = MemoryLog()
        for offset in range(end_offset):
            log.append(data_batch("x", offset, 3))
        log.write_snapshot(end_offset, bench.raft.voters_at(0), is_cutting=True)
        assert log.snapshot is not None
        chunk = answers.fetch_snapshot_response(LEADER, 0, log.snapshot.snapshot_id, 0)
        chunk.topics[0].partitions[0].size = len(log.snapshot.data)
        chunk.topics[0].partitions[0].unaligned_records = log.snapshot.data
        effects = bench.answer(to, request, chunk)
        assert of(effects, FinishSnapshot) == [FinishSnapshot(SnapshotId(end_offset, 3))]
        assert bench.raft.high_watermark == end_offset


def test_it_stands_beside_reading_and_a_candidates_log_stays_as_it_is() -> None:
    bench = reading(lonely(3, 3, initial_election_ms=(300, 300)))
    to, request = bench.fetched()
    bench.wait_for(Role.PROSPECTIVE)
    bench.answer(to, request, response(data_batch("a", 2, 4)))
    assert (bench.raft.role, bench.log.end_offset) == (Role.PROSPECTIVE, 3)
    to, request = bench.fetched()
    for voter, vote in bench.taken(VoteRequest):
        bench.answer(voter, vote, answers.vote_response(LeaderInfo(-1, 9), 0, True))
    assert (bench.raft.role, bench.raft.epoch) == (Role.CANDIDATE, 10)
    assert not of(bench.answer(to, request, diverging(3, 1)), Truncate)
    assert bench.log.end_offset == 3


def test_it_does_not_stand_before_its_log_is_what_it_will_be() -> None:
    bench = reading(lonely(3, 3, initial_election_ms=(300, 300)))
    to, request = bench.fetched()
    # It is told to cut its log in the moment in which it is to stand.
    bench.now_ms += 1_000
    assert of(bench.answer(to, request, diverging(3, 1)), Truncate) == [Truncate(1)]
    votes = bench.taken(VoteRequest)
    assert [vote.topics[0].partitions[0].last_offset for _, vote in votes] == [1, 1]


def test_strangers_get_no_further_epoch_while_a_leader_is_read() -> None:
    bench = reading(lonely())
    bench.answer(*bench.fetched(), response())
    answer = bench.ask(vote_request(STRANGER, 10, 9, 9)).topics[0].partitions[0]
    assert ErrorCode(answer.error_code) is ErrorCode.INCONSISTENT_VOTER_SET
    assert bench.raft.epoch == 9
    # A voter is heard.
    assert bench.ask(vote_request(3, 10, 9, 9)).topics[0].partitions[0].vote_granted


def test_nobody_who_was_not_asked_can_name_such_a_leader() -> None:
    bench = lonely()
    told = bench.ask(begin_request(2, 4)).topics[0].partitions[0]
    assert ErrorCode(told.error_code) is ErrorCode.FENCED_LEADER_EPOCH
    assert bench.raft.leader_id == -1


def test_who_joins_by_itself_asks_to_be_added_and_a_voter_does_not_report() -> None:
    bench = reading(lonely(is_auto_joining=True))
    bench.answer(*bench.fetched(), response(data_batch("a", 0, 4), high_watermark=1))
    assert not bench.taken(UpdateRaftVoterRequest)
    bench.answer(*bench.fetched(), response(removal(1), high_watermark=2))
    ((to, request),) = bench.taken(AddRaftVoterRequest)
    assert (to.node_id, request.voter_id) == (2, 1)
    bench.answer(to, request, AddRaftVoterResponse(error_code=ErrorCode.REQUEST_TIMED_OUT))
    bench.answer(*bench.fetched(), response(high_watermark=2))
    assert not bench.taken(AddRaftVoterRequest)
    bench.run(bench.host.config.fetch_timeout_ms)
    bench.answer(*bench.fetched(), response(high_watermark=2))
    assert len(bench.taken(AddRaftVoterRequest)) == 1


@pytest.mark.parametrize("is_auto_joining", [False, True])
def test_a_removed_voter_whom_a_stranger_led_astray_is_back(is_auto_joining: bool) -> None:
    world = World(1)
    voters = dynamic_voters(3)
    for node_id in voters.ids:
        world.start(world.add(node_id, voters, 1, is_auto_joining=is_auto_joining))
    hosts = list(world.hosts.values())
    assert world.run(5_000, lambda: all(host.node.high_watermark > 0 for host in hosts))
    leader = world.leader()
    assert leader is not None
    epoch, victim = leader.node.epoch, next(host for host in hosts if host is not leader)
    # Away when it is removed; back with a vote for a stranger, 900 epochs later.
    world.crash(victim)
    victim.state = QuorumState(-1, epoch + 900, STRANGER, directory(STRANGER))
    without: VoterSet = leader.node.voters.without(victim.node_id)
    world.request(leader, _remove(victim.node_id), lambda response: None)
    assert world.run(5_000, lambda: leader.node.voters == without and leader.node.high_watermark > 3)
    world.start(victim)
    assert world.run(5_000, lambda: victim.node.high_watermark >= leader.log.end_offset)
    if is_auto_joining:
        # As a voter it is heard: one election, above what it promised.
        assert world.run(10_000, lambda: all(host.node.epoch > epoch + 900 for host in hosts))
        assert world.run(10_000, lambda: all(len(host.node.voters) == 3 for host in hosts))
    else:
        assert not victim.node.is_voter
        world.run(10_000)
        assert (world.leader(), leader.node.epoch, victim.node.epoch) == (leader, epoch, epoch + 900)
        end_offset = world.append(leader, "more") + 1
        assert world.run(1_000, lambda: victim.node.high_watermark >= end_offset)


def _remove(node_id: int) -> RemoveRaftVoterRequest:
    return RemoveRaftVoterRequest(cluster_id=CLUSTER_ID, voter_id=node_id, voter_directory_id=directory(node_id))

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.raft import answers
from riacho.raft.answers import LeaderInfo
from riacho.raft.effects import AppendFetched, HighWatermark, Send, Truncate
from riacho.raft.events import Tick, VotersSeen
from riacho.raft.node import RaftNode
from riacho.raft.roles import Role
from riacho.raft.voter_history import VotersAt
from riacho.raft.voters import VoterSet
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.fetch_response import EpochEndOffset, FetchResponse
from riacho.wire.messages.vote_request import VoteRequest
from support.raft_bench import Bench, of
from support.raft_log import MemoryLog, data_batch
from support.raft_world import CLUSTER_ID, dynamic_voters

LEADER = LeaderInfo(2, 3, "host2", 9093)


def follower(*epochs: int, **options: Any) -> Bench:
    log = MemoryLog()
    for offset, epoch in enumerate(epochs):
        log.append(data_batch("old", offset, epoch))
    bench = Bench(log=log, **options)
    bench.follow(2, epoch=3)
    return bench


def response(records: bytes = b"", high_watermark: int = 0) -> FetchResponse:
    found = answers.fetch_response(LEADER, 0, high_watermark)
    found.responses[0].partitions[0].records = records
    return found


def test_a_fetch_says_where_the_log_ends_and_what_is_known() -> None:
    bench = follower(1, 1, 2)
    _, request = bench.fetched()
    partition = request.topics[0].partitions[0]
    assert (partition.fetch_offset, partition.last_fetched_epoch, partition.current_leader_epoch) == (3, 2, 3)
    assert partition.high_watermark == 0
    assert request.replica_state.replica_id == 1
    assert request.max_wait_ms == 500


def test_records_are_appended_then_committed_then_more_is_fetched() -> None:
    bench = follower()
    to, request = bench.fetched()
    records = data_batch("a", 0, 3) + data_batch("b", 1, 3)
    effects = bench.answer(to, request, response(records, high_watermark=1))
    assert [bytes(each.records) for each in of(effects, AppendFetched)] == [records]
    assert of(effects, HighWatermark) == [HighWatermark(1)]
    assert bench.log.end_offset == 2
    _, request = bench.fetched()
    partition = request.topics[0].partitions[0]
    assert (partition.fetch_offset, partition.last_fetched_epoch, partition.high_watermark) == (2, 3, 1)


def test_the_high_watermark_stays_within_the_log() -> None:
    bench = follower()
    effects = bench.answer(*bench.fetched(), response(data_batch("a", 0, 3), high_watermark=9))
    assert of(effects, HighWatermark) == [HighWatermark(1)]


def test_only_whole_and_sound_batches_are_taken() -> None:
    bench = follower()
    broken = bytearray(data_batch("b", 1, 3))
    broken[-1] ^= 1
    bench.answer(*bench.fetched(), response(data_batch("a", 0, 3) + bytes(broken)))
    assert bench.log.end_offset == 1
    bench.answer(*bench.fetched(), response(data_batch("b", 1, 3) + data_batch("c", 2, 3)[:40]))
    assert bench.log.end_offset == 2
    bench.answer(*bench.fetched(), response(data_batch("d", 7, 3)))
    assert bench.log.end_offset == 2


def test_a_second_answer_to_the_same_request_is_no_news() -> None:
    bench = follower()
    to, request = bench.fetched()
    bench.answer(to, request, response(data_batch("a", 0, 3)))
    effects = bench.answer(to, request, response(data_batch("a", 0, 3)))
    assert of(effects, AppendFetched) == []
    assert bench.log.end_offset == 1


def test_a_log_that_diverges_is_cut() -> None:
    bench = follower(1, 1, 2, 2)
    diverging = response()
    diverging.responses[0].partitions[0].diverging_epoch = EpochEndOffset(epoch=1, end_offset=5)
    effects = bench.answer(*bench.fetched(), diverging)
    assert of(effects, Truncate) == [Truncate(2)]
    partition = bench.fetched()[1].topics[0].partitions[0]
    assert (partition.fetch_offset, partition.last_fetched_epoch) == (2, 1)


def test_the_leaders_shorter_epoch_cuts_the_own_one() -> None:
    bench = follower(1, 1, 1)
    diverging = response()
    diverging.responses[0].partitions[0].diverging_epoch = EpochEndOffset(epoch=1, end_offset=1)
    assert of(bench.answer(*bench.fetched(), diverging), Truncate) == [Truncate(1)]


def test_nothing_committed_is_ever_cut() -> None:
    bench = follower()
    bench.answer(*bench.fetched(), response(data_batch("a", 0, 3), high_watermark=1))
    diverging = response()
    diverging.responses[0].partitions[0].diverging_epoch = EpochEndOffset(epoch=0, end_offset=0)
    to, request = bench.fetched()
    with pytest.raises(AssertionError, match="below the high watermark"):
        bench.answer(to, request, diverging)


def test_a_leader_whose_port_refuses_is_replaced_at_once() -> None:
    bench = follower()
    bench.fail(*bench.fetched(), is_refused=True)
    bench.wait_for(Role.PROSPECTIVE, 110)


def test_a_lost_connection_alone_is_no_reason() -> None:
    bench = follower()
    bench.fail(*bench.fetched())
    bench.wait(50)
    assert bench.raft.role is Role.FOLLOWER
    assert bench.fetched()[0].node_id == 2


def test_a_silent_leader_is_replaced_after_the_fetch_timeout() -> None:
    bench = follower()
    bench.fetched()
    bench.wait(1_990)
    assert bench.raft.role is Role.FOLLOWER
    bench.wait_for(Role.PROSPECTIVE, 250)
    assert len(bench.taken(VoteRequest)) == 2


def test_a_leader_that_leads_no_more_is_replaced_at_once() -> None:
    bench = follower()
    refusal = answers.fetch_response(LeaderInfo(-1, 3), ErrorCode.NOT_LEADER_OR_FOLLOWER)
    bench.answer(*bench.fetched(), refusal)
    bench.wait_for(Role.PROSPECTIVE, 110)


def test_a_refusal_that_names_the_new_leader_is_followed() -> None:
    bench = follower()
    refusal = answers.fetch_response(LeaderInfo(3, 4, "host3", 9093), ErrorCode.FENCED_LEADER_EPOCH)
    bench.answer(*bench.fetched(), refusal)
    assert (bench.raft.leader_id, bench.raft.epoch) == (3, 4)
    assert bench.fetched()[0].node_id == 3


def test_an_observer_finds_the_leader_by_bootstrap_servers() -> None:
    bench = Bench(VoterSet(), kraft_version=1, can_vote=False, node_id=9)
    assert bench.sends == []  # nobody to ask
    bench.add(1, VoterSet())
    bench.crash(bench.host)
    bench.start(bench.host)
    to, request = bench.fetched()
    assert (to.node_id, to.host) == (-1, "host1")
    assert request.max_wait_ms == 0
    bench.answer(to, request, answers.fetch_response(LEADER, ErrorCode.FENCED_LEADER_EPOCH))
    assert (bench.raft.role, bench.raft.leader_id) == (Role.FOLLOWER, 2)
    bench.fail(*bench.fetched(), is_refused=True)
    assert bench.raft.role is Role.UNATTACHED
    bench.wait(100)
    assert bench.fetched()[0].host == "host1"


def test_an_observer_with_a_silent_leader_asks_around_again() -> None:
    bench = follower(can_vote=False, node_id=9)
    bench.taken(FetchRequest)
    bench.wait(2_300)
    assert bench.raft.role is Role.UNATTACHED
    assert bench.taken(FetchRequest)


def test_nobody_asks_itself() -> None:
    bench = Bench(VoterSet(), kraft_version=1, can_vote=False, node_id=9)
    servers = (("host9", 9093), ("host1", 9093))
    raft = RaftNode(
        9,
        bench.host.directory_id,
        CLUSTER_ID,
        bench.host.config,
        bench.log,
        None,
        VoterSet(),
        1,
        bootstrap=servers,
        can_vote=False,
        own_endpoints=(bench.host.endpoint,),
    )
    assert [effect.to.host for effect in of(raft.step(Tick(), 0), Send)] == ["host1"]


def test_a_voter_that_is_removed_while_its_leader_is_gone_does_not_spin() -> None:
    bench = Bench(dynamic_voters(3), kraft_version=1)
    bench.follow(2, epoch=3)
    bench.fail(*bench.fetched(), is_refused=True)
    bench.happen(VotersSeen((VotersAt(5, dynamic_voters(3).without(1), 1),)))
    bench.wait(150)
    assert bench.raft.role is Role.FOLLOWER
    deadline_ms = bench.raft.next_deadline_ms()
    assert deadline_ms is not None
    assert deadline_ms > bench.clock_ms(bench.host)

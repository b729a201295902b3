from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.raft import answers
from riacho.raft.answers import LeaderInfo
from riacho.raft.effects import HighWatermark
from riacho.raft.events import Abandoned, Resign
from riacho.raft.roles import Role
from riacho.wire.batch import iterate_headers
from riacho.wire.messages.vote_request import VoteRequest
from support.raft_bench import Bench, fetch_request, of, vote_request
from support.raft_log import MemoryLog, data_batch
from support.raft_world import static_voters


def leader(*epochs: int, **options: Any) -> Bench:
    log = MemoryLog()
    for offset, epoch in enumerate(epochs):
        log.append(data_batch("old", offset, epoch))
    bench = Bench(log=log, **options)
    bench.lead()
    return bench


def part(response: Any) -> Any:
    return response.responses[0].partitions[0]


def test_a_majority_commits() -> None:
    bench = leader()
    assert bench.raft.high_watermark == 0
    bench.replicate(2)
    assert bench.raft.high_watermark == 1


def test_only_the_own_epoch_commits_older_ones_with_it() -> None:
    bench = leader(1, 1)
    assert (bench.raft.epoch, bench.raft.epoch_start_offset) == (2, 2)
    bench.ask(fetch_request(2, 2, 2, 1))
    # A majority has the records of epoch 1, and a leader of an epoch in between could still replace them.
    assert bench.raft.high_watermark == 0
    bench.ask(fetch_request(2, 2, 3, 2))
    assert bench.raft.high_watermark == 3


def test_observers_do_not_commit() -> None:
    bench = leader()
    bench.replicate(9)
    assert bench.raft.high_watermark == 0


def test_data_is_read_by_the_driver() -> None:
    bench = leader()
    found = part(bench.ask(fetch_request(2, 1, 0, 0)))
    ((_, header),) = iterate_headers(found.records)
    assert (header.base_offset, header.partition_leader_epoch, header.is_control) == (0, 1, True)
    assert (found.current_leader.leader_id, found.current_leader.leader_epoch) == (1, 1)


def test_a_fetch_at_the_end_waits_for_data() -> None:
    bench = leader()
    assert bench.replicate(2) is None
    request_id = bench.last_request_id
    bench.append(bench.host, "x")
    assert len(part(bench.replies[request_id]).records) > 0


def test_a_fetch_waits_for_a_high_watermark_that_it_does_not_know() -> None:
    bench = leader()
    assert bench.ask(fetch_request(9, 1, 1, 1, high_watermark=0)) is None
    request_id = bench.last_request_id
    bench.replicate(2)
    assert part(bench.replies[request_id]).high_watermark == 1
    assert part(bench.ask(fetch_request(9, 1, 1, 1, high_watermark=0))).high_watermark == 1
    assert bench.ask(fetch_request(9, 1, 1, 1, high_watermark=1)) is None


def test_a_fetch_waits_no_longer_than_it_said() -> None:
    bench = leader()
    assert bench.replicate(2) is None
    request_id = bench.last_request_id
    bench.wait(490)
    assert request_id not in bench.replies
    bench.wait(20)
    assert len(part(bench.replies[request_id]).records) == 0


def test_who_waits_is_told_of_the_end() -> None:
    bench = leader()
    bench.replicate(2)
    request_id = bench.last_request_id
    bench.happen(Resign())
    assert part(bench.replies[request_id]).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_who_left_is_not_answered() -> None:
    bench = leader()
    bench.replicate(2)
    bench.happen(Abandoned(bench.last_request_id))
    bench.wait(1_000)
    assert bench.last_request_id not in bench.replies


def test_a_log_that_diverges_is_told_where() -> None:
    bench = leader(1, 1, 2)
    found = part(bench.ask(fetch_request(2, 3, 3, 1)))
    assert (found.diverging_epoch.epoch, found.diverging_epoch.end_offset) == (1, 2)
    found = part(bench.ask(fetch_request(2, 3, 9, 2)))
    assert (found.diverging_epoch.epoch, found.diverging_epoch.end_offset) == (2, 3)
    assert bench.raft.high_watermark == 0


def test_a_log_with_nothing_in_common_starts_over() -> None:
    bench = leader(4)
    found = part(bench.ask(fetch_request(2, 5, 2, 3)))
    assert (found.diverging_epoch.epoch, found.diverging_epoch.end_offset) == (0, 0)


def test_below_the_start_of_the_log_there_is_a_snapshot() -> None:
    bench = leader()
    bench.replicate(2)
    bench.append(bench.host, "x")
    bench.replicate(2)
    bench.snapshot(bench.host, is_cutting=True)
    assert bench.log.start_offset == 2
    found = part(bench.ask(fetch_request(3, 1, 0, 0)))
    assert (found.snapshot_id.end_offset, found.snapshot_id.epoch) == (2, 1)
    assert bench.ask(fetch_request(3, 1, 2, 1)) is None  # exactly there: nothing to load


def test_epochs_are_checked() -> None:
    bench = leader(1)
    assert part(bench.ask(fetch_request(2, 1, 0, 0))).error_code == ErrorCode.FENCED_LEADER_EPOCH
    assert part(bench.ask(fetch_request(2, 3, 0, 0))).error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    assert part(bench.ask(fetch_request(2, 2, -1, 0))).error_code == ErrorCode.INVALID_REQUEST
    request = fetch_request(2, 2, 0, 0)
    request.cluster_id = "another"
    assert bench.ask(request).error_code == ErrorCode.INCONSISTENT_CLUSTER_ID


def test_others_name_the_leader() -> None:
    bench = Bench()
    bench.follow(3, epoch=2)
    response = bench.ask(fetch_request(2, 2, 0, 0))
    assert part(response).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert [(each.node_id, each.host, each.port) for each in response.node_endpoints] == [(3, "host3", 9093)]


def test_a_leader_without_a_majority_resigns() -> None:
    bench = leader()
    for _ in range(4):
        bench.wait(1_000)
        bench.replicate(2)
    assert bench.raft.is_leader
    bench.wait(2_990)
    assert bench.raft.is_leader
    bench.wait(20)
    assert bench.raft.role is Role.RESIGNED


def test_observers_keep_no_leader_in_office() -> None:
    bench = leader()
    for _ in range(4):
        bench.replicate(9)
        bench.wait(1_000)
    assert not bench.raft.is_leader


def test_a_leader_steps_down_for_a_higher_epoch() -> None:
    bench = leader()
    bench.replicate(2)
    request_id = bench.last_request_id
    bench.ask(vote_request(3, 7, 1, 1))
    assert (bench.raft.role, bench.raft.epoch) == (Role.UNATTACHED, 7)
    assert part(bench.replies[request_id]).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_lone_leader_commits_by_itself() -> None:
    bench = Bench(static_voters(1))
    bench.host.effects.clear()
    bench.append(bench.host, "x")
    assert of(bench.host.effects, HighWatermark) == [HighWatermark(2)]
    bench.wait(60_000)
    assert bench.raft.is_leader
    assert bench.raft.next_deadline_ms() is None


def test_a_vote_answer_after_the_election_changes_nothing() -> None:
    bench = Bench()
    bench.wait_for(Role.PROSPECTIVE)
    bench.win_votes(2)
    late = bench.taken(VoteRequest)
    for to, request in late:
        bench.answer(to, request, answers.vote_response(LeaderInfo(-1, 1), 0, True))
    assert bench.raft.is_leader

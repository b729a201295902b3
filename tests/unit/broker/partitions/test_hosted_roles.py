"""A replicated partition: leader and follower by the image, and what that means for those who wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.partitions.purgatory import ParkedFetch
from support.broker_fakes import HandLoop
from support.led_partition import NODE, Settled, fetch, host, state, write
from support.log_files import make_batch


def parked(hosted: HostedPartition, is_follower: bool = False) -> tuple[HandLoop, list[bool]]:
    """A fetch that waits at the partition and never has enough; its attempts, True for the last."""
    loop, attempts = HandLoop(), list[bool]()

    def attempt(is_last: bool) -> object:
        attempts.append(is_last)
        return "answer" if is_last else None

    ParkedFetch(loop, [hosted.tailing if is_follower else hosted.waiting], 500, attempt)  # type: ignore[arg-type]
    return loop, attempts


def test_a_write_is_seen_when_the_followers_have_it(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state((1, 2, 3)))
    write(hosted)
    assert hosted.log.high_watermark == 0
    fetch(hosted, 2, 1)
    assert hosted.log.high_watermark == 0
    fetch(hosted, 3, 1)
    assert hosted.log.high_watermark == 1


def test_appends_wake_followers_and_the_high_watermark_consumers(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state())
    consumer, consumer_looks = parked(hosted)
    follower, follower_looks = parked(hosted, is_follower=True)
    write(hosted)
    consumer.turn()
    follower.turn()
    assert (consumer_looks, follower_looks) == ([], [False])
    fetch(hosted, 2, 1)
    consumer.turn()
    follower.turn()
    assert (consumer_looks, follower_looks) == ([False], [False])


def test_an_epoch_begins_in_the_log_where_it_starts(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state(epoch=5), written=3)
    assert hosted.log.epochs.entries[-1] == (5, 3)
    hosted.take_role(NODE, state(epoch=6))
    assert hosted.log.epochs.entries[-1] == (6, 3), "an epoch without records is forgotten"


def test_commits_are_told_in_order_as_the_high_watermark_passes_them(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state())
    waiters = [Settled() for _ in range(3)]
    for waiter in waiters:
        hosted.await_commit(write(hosted), waiter)
    retry = Settled()
    hosted.await_commit(0, retry)
    fetch(hosted, 2, 1)
    assert [each.codes for each in (*waiters, retry)] == [[ErrorCode.NONE], [], [], [ErrorCode.NONE]]
    hosted.forget_commit(waiters[1])
    fetch(hosted, 2, 3)
    assert [each.codes for each in waiters] == [[ErrorCode.NONE], [], [ErrorCode.NONE]]


def test_a_lost_leadership_is_told_to_all_who_wait(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state())
    waiter = Settled()
    hosted.await_commit(write(hosted), waiter)
    _, consumer_looks = parked(hosted)
    _, follower_looks = parked(hosted, is_follower=True)
    hosted.take_role(NODE, state(leader=2, epoch=6))
    assert waiter.codes == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert consumer_looks == follower_looks == [True]
    assert (hosted.is_leader, hosted.is_follower, hosted.leadership) == (False, True, None)
    with pytest.raises(KafkaError) as refused:
        hosted.check_leader()
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
    with pytest.raises(KafkaError):
        fetch(hosted, 2, 1)


def test_the_same_leader_under_a_new_epoch_keeps_its_promises(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state())
    waiter = Settled()
    hosted.await_commit(write(hosted), waiter)
    hosted.take_role(NODE, state(epoch=6, change=1))
    assert waiter.codes == []
    fetch(hosted, 2, 1)
    assert waiter.codes == [ErrorCode.NONE]


def test_too_small_an_isr_is_told_at_once(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state((1, 2)), min_isr=2)
    waiter = Settled()
    hosted.await_commit(write(hosted), waiter)
    hosted.take_role(NODE, state((1,), change=1))
    assert waiter.codes == [ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND]
    assert not hosted.has_enough_replicas
    with pytest.raises(KafkaError) as refused:
        hosted.check_enough_replicas()
    assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    hosted.set_min_isr(1)
    hosted.check_enough_replicas()
    assert hosted.log.high_watermark == 1


def test_a_follower_that_caught_up_is_proposed_and_joins_by_the_answer(tmp_path: Path) -> None:
    hosted, peers = host(tmp_path, state((1,)))
    write(hosted)
    fetch(hosted, 2, 1)
    [proposal] = peers.proposals
    assert proposal.isr == (1, 2)
    write(hosted)
    assert hosted.log.high_watermark == 1
    hosted.isr_confirmed(proposal, [1, 2], 5, 1)
    fetch(hosted, 2, 2)
    assert hosted.log.high_watermark == 2
    assert hosted.leadership is not None
    assert hosted.leadership.isr == (1, 2)


def test_the_image_confirms_too(tmp_path: Path) -> None:
    hosted, peers = host(tmp_path, state((1,)))
    fetch(hosted, 2, 0)
    hosted.take_role(NODE, state((1, 2), change=1))
    assert hosted.leadership is not None
    assert (hosted.leadership.isr, hosted.leadership.proposal) == ((1, 2), None)
    hosted.isr_refused(peers.proposals[0])
    assert hosted.leadership.isr == (1, 2)


def test_who_lags_is_proposed_to_leave(tmp_path: Path) -> None:
    hosted, peers = host(tmp_path, state((1, 2)))
    write(hosted)
    hosted.isr_check(peers.now_ms() + 30_000)
    assert peers.proposals == []
    hosted.isr_check(peers.now_ms() + 30_001)
    assert [proposal.isr for proposal in peers.proposals] == [(1,)]


def test_replicas_added_to_the_only_one_are_waited_for_once_in_sync(tmp_path: Path) -> None:
    hosted, peers = host(tmp_path, state((1,), replicas=(1,)))
    assert hosted.is_alone
    write(hosted)
    assert hosted.log.high_watermark == 1
    hosted.take_role(NODE, state((1,), change=1, replicas=(1, 2)))
    assert not hosted.is_alone
    write(hosted)
    assert hosted.log.high_watermark == 2
    fetch(hosted, 2, 2)
    hosted.isr_confirmed(peers.proposals[0], [1, 2], 5, 2)
    write(hosted)
    assert hosted.log.high_watermark == 2
    hosted.take_role(NODE, state((1,), epoch=6, change=3, replicas=(1,)))
    assert hosted.is_alone
    assert hosted.log.high_watermark == 3


def test_a_follower_takes_records_watermark_and_log_start(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state(leader=2))
    loop, looks = parked(hosted)
    records = b"".join(bytes(make_batch([b"v"], base_offset=offset, leader_epoch=5)) for offset in range(4))
    assert hosted.append_fetched(records, 3, 0, 1_000) == len(records)
    assert (hosted.log.log_end_offset, hosted.log.high_watermark, hosted.log.log_start_offset) == (4, 3, 0)
    loop.turn()
    assert looks == [False], "consumers may read from followers (KIP-392)"
    assert hosted.append_fetched(b"", 4, 2, 1_000) == 0
    assert (hosted.log.high_watermark, hosted.log.log_start_offset) == (4, 2)
    hosted.append_fetched(b"", 9, 9, 1_000)
    assert (hosted.log.high_watermark, hosted.log.log_start_offset) == (4, 4), "never past its own end"


def test_a_leader_takes_no_fetched_records(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state())
    with pytest.raises(KafkaError) as refused:
        hosted.append_fetched(bytes(make_batch([b"v"])), 1, 0, 1_000)
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert hosted.log.log_end_offset == 0


def test_a_follower_that_becomes_leader_keeps_its_watermark(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state(leader=2))
    batches = [bytes(make_batch([b"v"], base_offset=offset, leader_epoch=5)) for offset in range(4)]
    hosted.append_fetched(b"".join(batches), 2, 0, 1_000)
    hosted.take_role(NODE, state((1, 3), epoch=6))
    assert hosted.log.high_watermark == 2
    assert hosted.leadership is not None
    assert not hosted.leadership.is_high_watermark_current
    fetch(hosted, 3, 4)
    assert hosted.log.high_watermark == 4
    assert hosted.leadership.is_high_watermark_current


def test_a_low_watermark_is_waited_for_until_all_who_live_have_moved(tmp_path: Path) -> None:
    hosted, peers = host(tmp_path, state((1, 2, 3)))
    for _ in range(3):
        write(hosted)
    for replica_id in (2, 3):
        fetch(hosted, replica_id, 3, start=0)
    _, looks = parked(hosted, is_follower=True)
    hosted.log.delete_records(2)
    hosted.log_start_moved()
    assert looks == [True], "followers hear of it at once"
    waiter = Settled()
    hosted.await_low_watermark(2, waiter)
    fetch(hosted, 2, 3, start=2)
    assert (waiter.codes, hosted.low_watermark()) == ([], 0)
    peers.fenced.add(3)
    fetch(hosted, 2, 3, start=2)
    assert (waiter.codes, hosted.low_watermark()) == ([ErrorCode.NONE], 2)


def test_going_away_tells_everyone(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state((1, 2)))
    commit, low = Settled(), Settled()
    hosted.await_commit(write(hosted), commit)
    hosted.await_low_watermark(1, low)
    hosted.go()
    assert commit.codes == low.codes == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert hosted.is_gone

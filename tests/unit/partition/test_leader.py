"""A partition's leader: the high watermark, who is in sync, and what is asked of the controller."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.leader import PartitionLeader

LAG_MS = 30_000


class World:
    """Broker 1 leads; brokers with an epoch in `eligible` may join an ISR under it."""

    def __init__(self, isr: tuple[int, ...] = (1, 2, 3), *, end: int = 0, high_watermark: int = 0, **how: Any) -> None:
        self.now_ms = 1_000_000
        self.eligible = {2: 20, 3: 30}
        self.end = end
        self.leader = PartitionLeader(
            1,
            how.pop("replicas", (1, 2, 3)),
            isr,
            leader_epoch=5,
            partition_epoch=7,
            log_end_offset=end,
            high_watermark=high_watermark,
            min_isr=how.pop("min_isr", 1),
            lag_ms_max=LAG_MS,
            is_eligible=lambda broker_id, epoch: self.eligible.get(broker_id) == epoch,
            now_ms=self.now_ms,
        )

    def append(self, count: int = 1) -> bool:
        self.end += count
        return self.leader.appended(self.end, self.now_ms)

    def fetch(self, replica_id: int, offset: int, epoch: int | None = None, start: int = -1) -> bool:
        epoch = self.eligible.get(replica_id, -1) if epoch is None else epoch
        return self.leader.fetched(replica_id, epoch, offset, self.end, self.now_ms, start)

    @property
    def high_watermark(self) -> int:
        return self.leader.high_watermark


def test_the_high_watermark_is_the_least_end_in_sync() -> None:
    world = World()
    world.append(10)
    assert world.high_watermark == 0
    assert not world.fetch(2, 10)
    assert world.high_watermark == 0, "3 was not heard of"
    assert world.fetch(3, 4)
    assert world.high_watermark == 4
    assert world.fetch(3, 10)
    assert world.high_watermark == 10
    assert not world.fetch(3, 10), "nothing new"


def test_a_leader_that_is_alone_in_sync_commits_at_once() -> None:
    world = World((1,))
    assert world.append(3)
    assert world.high_watermark == 3


def test_a_new_leader_alone_in_sync_commits_what_it_has() -> None:
    assert World((1,), end=9, high_watermark=4).high_watermark == 9
    assert World((1, 2), end=9, high_watermark=4).high_watermark == 4


def test_a_caught_up_replica_that_may_join_holds_the_high_watermark() -> None:
    world = World((1,), end=5)
    world.fetch(2, 5)
    assert not world.append(), "2 is a fetch away from the ISR"
    assert world.high_watermark == 5
    world.eligible.clear()
    assert world.append()
    assert world.high_watermark == 7


def test_one_that_went_silent_lets_go_of_the_high_watermark_in_time() -> None:
    world = World((1,), end=5)
    world.fetch(2, 5)
    world.append()
    world.now_ms += LAG_MS
    assert not world.leader.tick(world.now_ms)
    world.now_ms += 1
    assert world.leader.tick(world.now_ms)
    assert world.high_watermark == 6


def test_below_min_isr_the_high_watermark_stands_still() -> None:
    world = World((1,), min_isr=2)
    assert not world.append()
    assert not world.leader.has_enough_replicas
    world.fetch(2, 1)
    proposal = world.leader.propose_expansion(2)
    assert proposal is not None
    assert world.high_watermark == 0, "a proposal is not an ISR"
    assert world.leader.confirmed(proposal, [1, 2], 5, 8, world.now_ms)
    assert (world.high_watermark, world.leader.has_enough_replicas) == (1, True)


def test_min_isr_is_never_more_than_there_are_replicas() -> None:
    world = World((1,), replicas=(1,), min_isr=3)
    assert world.leader.has_enough_replicas
    assert world.append()


def test_a_changed_min_isr_counts_at_once() -> None:
    world = World((1,), min_isr=2)
    world.append(4)
    assert world.leader.min_isr_changed(1, world.now_ms)
    assert world.high_watermark == 4


def test_a_proposed_shrink_does_not_count_until_it_is_confirmed() -> None:
    world = World()
    world.append(10)
    world.fetch(2, 10)
    world.now_ms += LAG_MS + 1
    world.fetch(2, 10)
    proposal = world.leader.propose_shrink(world.now_ms)
    assert proposal is not None
    assert proposal == ((1, 2), ((1, -1), (2, 20)), 5, 7)
    assert world.leader.maximal_isr == {1, 2, 3}
    assert world.high_watermark == 0
    assert world.leader.confirmed(proposal, [1, 2], 5, 8, world.now_ms)
    assert (world.high_watermark, world.leader.isr, world.leader.partition_epoch) == (10, (1, 2), 8)


def test_a_proposed_expansion_counts_before_it_is_confirmed() -> None:
    world = World((1, 2), end=10)
    world.fetch(2, 10)
    world.fetch(3, 10)
    assert world.high_watermark == 10
    assert world.leader.propose_expansion(3) is not None
    world.append(5)
    assert not world.fetch(2, 15), "3 may be elected if the controller took it in"
    assert world.fetch(3, 12)
    assert world.high_watermark == 12


def test_one_proposal_at_a_time() -> None:
    world = World((1,), end=10)
    world.fetch(2, 10)
    world.fetch(3, 10)
    first = world.leader.propose_expansion(2)
    assert first is not None
    assert world.leader.propose_expansion(3) is None
    assert world.leader.propose_shrink(world.now_ms) is None
    world.leader.confirmed(first, [1, 2], 5, 8, world.now_ms)
    second = world.leader.propose_expansion(3)
    assert second is not None
    assert (second.isr, second.partition_epoch) == ((1, 2, 3), 8)


def test_a_refused_proposal_leaves_the_committed_isr() -> None:
    world = World((1, 2), end=10)
    world.fetch(2, 10)
    world.fetch(3, 10)
    proposal = world.leader.propose_expansion(3)
    assert proposal is not None
    world.append()
    world.fetch(2, 11)
    world.eligible.pop(3)
    assert world.leader.refused(proposal, world.now_ms)
    assert (world.leader.isr, world.leader.maximal_isr, world.high_watermark) == ((1, 2), {1, 2}, 11)
    assert not world.leader.refused(proposal, world.now_ms), "told twice"


@pytest.mark.parametrize(
    ("end", "epoch", "joins"),
    [(9, 30, False), (10, 30, True), (10, 31, False)],
    ids=["behind the epoch's start", "caught up", "another registration"],
)
def test_who_may_join(end: int, epoch: int, joins: bool) -> None:
    world = World((1, 2), end=10, high_watermark=4)
    world.fetch(3, end, epoch)
    assert (world.leader.propose_expansion(3) is not None) is joins


def test_one_behind_the_high_watermark_may_not_join() -> None:
    world = World((1, 2), end=0)
    world.append(10)
    world.fetch(2, 10)
    world.fetch(3, 9)
    assert world.leader.propose_expansion(3) is None
    world.fetch(3, 10)
    assert world.leader.propose_expansion(3) is not None


def test_lag_is_counted_from_the_last_time_a_follower_had_it_all() -> None:
    world = World((1, 2), replicas=(1, 2))
    for _ in range(4):
        # Always a step behind, but each fetch reaches the end of the one before.
        offset = world.end
        world.append(10)
        world.now_ms += LAG_MS // 2 + 1
        world.fetch(2, offset)
    assert world.leader.propose_shrink(world.now_ms) is None
    world.append(100)
    world.now_ms += LAG_MS // 2 + 1
    world.fetch(2, offset + 5)
    assert world.leader.propose_shrink(world.now_ms) is not None


def test_an_idle_partition_never_shrinks() -> None:
    world = World((1, 2), end=3)
    world.fetch(2, 3)
    world.now_ms += 10 * LAG_MS
    assert world.leader.propose_shrink(world.now_ms) is None


def test_a_follower_that_never_fetched_leaves_in_time() -> None:
    world = World((1, 2))
    assert world.leader.propose_shrink(world.now_ms + LAG_MS) is None
    proposal = world.leader.propose_shrink(world.now_ms + LAG_MS + 1)
    assert proposal is not None
    assert proposal.isr == (1,)


def test_an_image_ends_a_proposal_and_its_late_answer_changes_nothing() -> None:
    world = World((1, 2), end=10)
    world.fetch(2, 10)
    world.fetch(3, 10)
    proposal = world.leader.propose_expansion(3)
    assert proposal is not None
    world.leader.image_changed((1, 2, 3), (1,), 9, world.now_ms)
    assert (world.leader.isr, world.leader.proposal) == ((1,), None)
    assert not world.leader.confirmed(proposal, [1, 2, 3], 5, 8, world.now_ms)
    assert world.leader.isr == (1,)


def test_an_old_image_changes_nothing() -> None:
    world = World((1, 2), end=10)
    assert not world.leader.image_changed((1, 2), (1,), 6, world.now_ms)
    assert (world.leader.isr, world.leader.replicas) == ((1, 2), (1, 2, 3))


def test_an_image_that_tells_what_the_answer_told_leaves_the_next_proposal_alone() -> None:
    world = World((1,), end=10)
    world.fetch(2, 10)
    world.fetch(3, 10)
    first = world.leader.propose_expansion(2)
    assert first is not None
    world.leader.confirmed(first, [1, 2], 5, 8, world.now_ms)
    second = world.leader.propose_expansion(3)
    world.leader.image_changed((1, 2, 3, 4), (1, 2), 8, world.now_ms)
    assert world.leader.proposal is second
    assert world.leader.maximal_isr == {1, 2, 3}
    assert world.leader.replicas == (1, 2, 3, 4), "a reassignment may come with it"


@pytest.mark.parametrize(("leader_epoch", "partition_epoch"), [(6, 8), (5, 6)])
def test_an_answer_of_another_time_is_left_alone(leader_epoch: int, partition_epoch: int) -> None:
    world = World((1,), end=10)
    world.fetch(2, 10)
    proposal = world.leader.propose_expansion(2)
    assert proposal is not None
    assert not world.leader.confirmed(proposal, [1, 2], leader_epoch, partition_epoch, world.now_ms)
    assert world.leader.isr == (1,)


def test_replicas_come_and_go_with_the_image() -> None:
    world = World((1, 2), replicas=(1, 2), end=10)
    world.fetch(2, 10)
    with pytest.raises(KafkaError) as refused:
        world.fetch(4, 10)
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
    world.leader.image_changed((1, 2, 4), (1, 2), 8, world.now_ms)
    world.eligible[4] = 40
    world.fetch(4, 10)
    assert world.leader.propose_expansion(4) is not None
    known = world.leader.follower(2)
    assert known is not None
    assert known.log_end_offset == 10, "what is known of the others stays"


def test_a_follower_past_our_end_does_not_count() -> None:
    world = World((1, 2), end=10)
    assert not world.fetch(2, 11)
    assert world.high_watermark == 0


def test_a_fetch_of_an_earlier_registration_is_refused() -> None:
    world = World((1, 2), end=10)
    world.fetch(2, 10, epoch=20)
    with pytest.raises(KafkaError):
        world.fetch(2, 10, epoch=19)


def test_the_high_watermark_is_current_once_it_reached_the_epochs_start() -> None:
    world = World((1, 2), replicas=(1, 2), end=10, high_watermark=6)
    assert not world.leader.is_high_watermark_current
    world.fetch(2, 8)
    assert not world.leader.is_high_watermark_current
    world.fetch(2, 10)
    assert world.leader.is_high_watermark_current


def test_the_low_watermark_is_the_least_log_start_of_those_alive() -> None:
    world = World(end=10)
    world.fetch(2, 10, start=4)
    assert world.leader.low_watermark(6, lambda _: True) == -1, "3 said nothing yet"
    assert world.leader.low_watermark(6, lambda broker_id: broker_id != 3) == 4
    world.fetch(2, 10, start=6)
    world.fetch(3, 10, start=7)
    assert world.leader.low_watermark(6, lambda _: True) == 6


def test_a_leader_departs_when_the_others_have_all_that_it_has() -> None:
    world = World(min_isr=2)
    world.append(10)
    world.fetch(2, 10)
    world.fetch(3, 9)
    assert world.leader.propose_departure() is None, "3 lacks what may have been acknowledged with acks=1"
    world.fetch(3, 10)
    proposal = world.leader.propose_departure()
    assert proposal is not None
    assert (proposal.isr, proposal.broker_epochs) == ((2, 3), ((2, 20), (3, 30)))
    assert world.leader.maximal_isr == {1, 2, 3}
    assert world.leader.propose_departure() is None, "one at a time"


@pytest.mark.parametrize(("isr", "min_isr"), [((1,), 1), ((1, 2), 2), ((1, 2, 3), 3), ((1,), 2)])
def test_a_leader_stays_where_too_few_would_be_in_sync_without_it(isr: tuple[int, ...], min_isr: int) -> None:
    world = World(isr, min_isr=min_isr)
    for follower in (2, 3):
        world.fetch(follower, 0)
    assert world.leader.propose_departure() is None

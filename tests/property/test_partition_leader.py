"""Whatever happens to a leader within one epoch, what it calls committed is on every replica that could take over."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from riacho.partition.leader import IsrProposal, PartitionLeader

REPLICAS = (1, 2, 3)
LAG_MS = 1_000
MIN_ISR = 2
followers = st.sampled_from((2, 3))


class Leader(RuleBasedStateMachine):
    """The controller is modelled too: its ISR changes when it takes a proposal, which the leader may learn later."""

    def __init__(self) -> None:
        super().__init__()
        self.now_ms = 0
        self.end = 4
        self.ends = {2: 0, 3: 0}
        self.fenced: set[int] = set()
        self.controller_isr: tuple[int, ...] = REPLICAS
        self.partition_epoch = 1
        self.in_flight: IsrProposal | None = None
        self.taken: tuple[tuple[int, ...], int] | None = None
        self.leader = PartitionLeader(
            1,
            REPLICAS,
            REPLICAS,
            leader_epoch=1,
            partition_epoch=1,
            log_end_offset=self.end,
            high_watermark=0,
            min_isr=MIN_ISR,
            lag_ms_max=LAG_MS,
            is_eligible=lambda broker_id, _: broker_id not in self.fenced,
            now_ms=0,
        )
        self.watermarks = [0]

    @rule(count=st.integers(1, 5))
    def append(self, count: int) -> None:
        self.end += count
        self.leader.appended(self.end, self.now_ms)

    @rule(follower=followers, count=st.integers(0, 6))
    def fetch(self, follower: int, count: int) -> None:
        """It has what it has, and copies some more when the answer comes."""
        self.leader.fetched(follower, -1, self.ends[follower], self.end, self.now_ms)
        self.propose(self.leader.propose_expansion(follower))
        self.ends[follower] = min(self.end, self.ends[follower] + count)

    @rule(step_ms=st.integers(1, LAG_MS))
    def pass_time(self, step_ms: int) -> None:
        self.now_ms += step_ms
        self.leader.tick(self.now_ms)

    @rule()
    def check_lag(self) -> None:
        self.leader.log_end_offset = self.end
        self.propose(self.leader.propose_shrink(self.now_ms))

    def propose(self, proposal: IsrProposal | None) -> None:
        if proposal is not None:
            assert self.in_flight is None or self.leader.proposal is proposal
            self.in_flight, self.taken = proposal, None

    @precondition(lambda self: self.in_flight is not None and self.taken is None)
    @rule()
    def controller_takes(self) -> None:
        assert self.in_flight is not None
        if self.in_flight.partition_epoch == self.partition_epoch:
            self.partition_epoch += 1
            self.controller_isr = self.in_flight.isr
            self.taken = (self.controller_isr, self.partition_epoch)

    @precondition(lambda self: self.taken is not None)
    @rule(by_image=st.booleans())
    def leader_learns(self, by_image: bool) -> None:
        assert self.taken is not None
        assert self.in_flight is not None
        isr, partition_epoch = self.taken
        if by_image:
            self.leader.image_changed(REPLICAS, isr, partition_epoch, self.now_ms)
        else:
            self.leader.confirmed(self.in_flight, isr, 1, partition_epoch, self.now_ms)
        self.in_flight = self.taken = None

    @precondition(lambda self: self.in_flight is not None and self.taken is None)
    @rule()
    def controller_refuses(self) -> None:
        assert self.in_flight is not None
        self.leader.refused(self.in_flight, self.now_ms)
        self.in_flight = None

    @rule(follower=followers)
    def fence(self, follower: int) -> None:
        """The controller takes a dead broker out of the ISR by itself; the image tells."""
        self.fenced.add(follower)
        if follower in self.controller_isr:
            self.partition_epoch += 1
            self.controller_isr = tuple(each for each in self.controller_isr if each != follower)
            self.leader.image_changed(REPLICAS, self.controller_isr, self.partition_epoch, self.now_ms)
            self.in_flight = self.taken = None

    @rule()
    def leader_hears_again(self) -> None:
        """What it knows already: an image that comes after the answer."""
        self.leader.image_changed(REPLICAS, self.leader.isr, self.leader.partition_epoch, self.now_ms)

    @rule(follower=followers)
    def unfence(self, follower: int) -> None:
        self.fenced.discard(follower)

    @invariant()
    def the_high_watermark_only_grows(self) -> None:
        assert self.leader.high_watermark >= self.watermarks[-1]
        self.watermarks.append(self.leader.high_watermark)
        assert self.leader.high_watermark <= self.end

    @invariant()
    def whoever_may_be_elected_has_all_that_is_committed(self) -> None:
        """The controller elects out of its ISR, whether or not the leader has heard of the change."""
        for follower in self.controller_isr:
            if follower != 1:
                assert self.ends[follower] >= self.leader.high_watermark, f"{follower} would lose records"

    @invariant()
    def the_maximal_isr_covers_both_sides(self) -> None:
        assert set(self.leader.isr) <= self.leader.maximal_isr
        assert set(self.controller_isr) <= self.leader.maximal_isr
        if self.leader.proposal is not None:
            assert set(self.leader.proposal.isr) <= self.leader.maximal_isr
        else:
            assert self.leader.maximal_isr == set(self.leader.isr)


TestLeader = Leader.TestCase
TestLeader.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)

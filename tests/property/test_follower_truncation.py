"""Two logs with histories of their own: after following they are the same, and what both had committed is untouched."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from riacho.partition.follower import Following, StartOver, Truncate
from support.epoch_log import EpochLog, exchange

ROUNDS_MAX = 60


@st.composite
def histories(draw: st.DrawFn) -> tuple[EpochLog, EpochLog, int, int]:
    """(leader, follower, leader epoch, how many records are common). Epochs after the common part are one side's own:
    one leader an epoch wrote, so no record of an epoch is in both logs unless the whole of it up to there is."""
    common = EpochLog()
    other = EpochLog()
    epoch = 0
    for _ in range(draw(st.integers(0, 6))):
        epoch += draw(st.integers(0, 2))
        value = f"common-{common.log_end_offset}"
        for log in (common, other):
            log.write(epoch, value)
    shared = common.log_end_offset
    # Of the last common epoch one side, its leader, may have more than the other.
    if shared:
        side = draw(st.sampled_from((common, other)))
        for number in range(draw(st.integers(0, 3))):
            side.write(epoch, f"more-{number}")
    for _ in range(draw(st.integers(0, 8))):
        epoch += 1
        side = draw(st.sampled_from((common, other)))
        name = "leader" if side is common else "follower"
        side.lead(epoch)
        for number in range(draw(st.integers(0, 4))):
            side.write(epoch, f"{name}-{epoch}-{number}")
    return common, other, epoch + 1, shared


@given(histories(), st.booleans())
def test_after_following_the_logs_are_the_same(
    drawn: tuple[EpochLog, EpochLog, int, int], writes_at_once: bool
) -> None:
    leader, own, leader_epoch, shared = drawn
    leader.high_watermark = own.high_watermark = shared
    leader.lead(leader_epoch)
    if writes_at_once:
        leader.write(leader_epoch, "new")
    state = Following(1, leader_epoch, own)
    for _ in range(ROUNDS_MAX):
        effect = exchange(leader, leader_epoch, state, own)
        assert not isinstance(effect, StartOver)
        if isinstance(effect, Truncate):
            assert effect.offset >= shared, "what both had was cut"
            assert not effect.is_below_high_watermark
        elif own.entries == leader.entries:
            break
    assert own.entries == leader.entries
    assert own.log_end_offset == leader.log_end_offset
    assert [e for e in own.epochs.entries if e.start_offset < own.log_end_offset] == [
        e for e in leader.epochs.entries if e.start_offset < leader.log_end_offset
    ]


@given(histories(), st.integers(0, 12))
def test_also_when_the_leader_has_let_go_of_its_beginning(
    drawn: tuple[EpochLog, EpochLog, int, int], dropped: int
) -> None:
    leader, own, leader_epoch, _ = drawn
    leader.lead(leader_epoch)
    leader.drop_below(min(dropped, leader.log_end_offset))
    state = Following(1, leader_epoch, own)
    for _ in range(ROUNDS_MAX):
        effect = exchange(leader, leader_epoch, state, own)
        if not isinstance(effect, (Truncate, StartOver)) and own.log_end_offset == leader.log_end_offset:
            break
    assert own.log_end_offset == leader.log_end_offset
    start = max(leader.log_start_offset, own.log_start_offset)
    assert own.entries[start - own.log_start_offset :] == leader.entries[start - leader.log_start_offset :]

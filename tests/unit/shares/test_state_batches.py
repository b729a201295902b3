from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from riacho.shares.state_batches import StateBatch, combine

batches = st.builds(
    lambda first, count, state, deliveries: StateBatch(first, first + count, state, deliveries),
    st.integers(0, 30),
    st.integers(0, 8),
    st.sampled_from([0, 2, 4]),
    st.integers(1, 3),
)


def by_offset(all_batches: list[StateBatch], start: int) -> dict[int, tuple[int, int]]:
    best: dict[int, tuple[int, int]] = {}
    for batch in all_batches:
        for offset in range(max(batch.first_offset, start), batch.last_offset + 1):
            best[offset] = max(best.get(offset, (-1, -1)), batch.rank)
    return best


@given(st.lists(batches, max_size=8), st.lists(batches, max_size=8), st.integers(-1, 35))
def test_for_every_offset_the_highest_rank_rules(old: list[StateBatch], new: list[StateBatch], start: int) -> None:
    so_far = combine((), old, -1)
    combined = combine(so_far, new, start)
    assert by_offset(combined, start) == by_offset([*old, *new], start)
    for left, right in itertools.pairwise(combined):
        assert left.last_offset < right.first_offset
        assert left.last_offset + 1 < right.first_offset or left.rank != right.rank


@given(st.lists(batches, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_writes_does_not_matter(new: list[StateBatch], shuffler: object) -> None:
    shuffled = list(new)
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    assert combine((), new, 0) == combine((), shuffled, 0) == combine(combine((), new, 0), shuffled, 0)


def test_neighbours_that_are_alike_become_one() -> None:
    so_far = [StateBatch(0, 4, 2, 1), StateBatch(6, 9, 2, 1)]
    assert combine(so_far, [StateBatch(5, 5, 2, 1)], 0) == [StateBatch(0, 9, 2, 1)]


def test_what_lies_below_the_start_is_cut() -> None:
    assert combine([StateBatch(0, 4, 2, 1)], [StateBatch(5, 9, 0, 1)], 7) == [StateBatch(7, 9, 0, 1)]

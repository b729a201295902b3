from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from riacho.base.backoff import Backoff


def test_pauses_double_up_to_the_maximum() -> None:
    assert list(islice(Backoff(50, 500).pauses_ms(), 6)) == [50, 100, 200, 400, 500, 500]


def test_there_is_no_pause_before_the_first_failure() -> None:
    assert Backoff(50, 500).pause_ms(0) == 0


def test_a_first_pause_above_the_maximum_is_held_to_it() -> None:
    assert Backoff(900, 500).pause_ms(1) == 500


def test_any_number_of_failures_has_a_pause() -> None:
    assert Backoff(1, 60_000).pause_ms(10**9) == 60_000


def test_no_pause_at_all_can_be_asked_for() -> None:
    assert [Backoff(0, 500).pause_ms(n) for n in (1, 20)] == [0, 0]
    assert Backoff(0, 500).drawn_ms(3, Random(1).randrange) == 0


@pytest.mark.parametrize(("least_share", "least"), [(0.0, 1), (0.5, 101)])
def test_jitter_spreads_a_pause_between_a_share_of_it_and_all_of_it(least_share: float, least: int) -> None:
    rng = Random(7)
    drawn = {Backoff(100, 1_000).drawn_ms(2, rng.randrange, least_share) for _ in range(5_000)}
    assert (min(drawn), max(drawn)) == (least, 200)

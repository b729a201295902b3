"""When a pipeline has caught up: not by one batch that left nothing."""

from __future__ import annotations

from riacho.cli.pipeline_wait import SETTLED_S, CaughtUp


def batch(number: int | None, lag: int | None) -> dict[str, object]:
    return {"batch_id": number, "lag": lag}


def test_a_batch_that_left_nothing_and_none_after_it() -> None:
    caught_up = CaughtUp()
    assert not caught_up.is_so(batch(7, 0), 10.0)
    assert not caught_up.is_so(batch(7, 0), 10.0 + SETTLED_S - 0.1)
    assert caught_up.is_so(batch(7, 0), 10.0 + SETTLED_S)


def test_another_batch_begins_the_wait_anew() -> None:
    caught_up = CaughtUp()
    assert not caught_up.is_so(batch(7, 0), 10.0)
    assert not caught_up.is_so(batch(8, 0), 12.0)
    assert not caught_up.is_so(batch(8, 0), 10.0 + SETTLED_S)
    assert caught_up.is_so(batch(8, 0), 12.0 + SETTLED_S)


def test_lag_or_no_batch_is_no_end() -> None:
    caught_up = CaughtUp()
    for second in range(100):
        assert not caught_up.is_so(batch(None, None), float(second))
        assert not caught_up.is_so(batch(3, 5), float(second))


def test_a_source_that_tells_no_lag_ends_when_it_rests() -> None:
    caught_up = CaughtUp()
    assert not caught_up.is_so(batch(3, None), 0.0)
    assert caught_up.is_so(batch(3, None), SETTLED_S)

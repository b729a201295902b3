"""The small lines of lists: a gap is a gap, and topics that are gone take no room for good."""

from __future__ import annotations

from riacho.console.history.topic_sparks import TopicSparks


def test_points_are_kept_oldest_first_and_gaps_are_none() -> None:
    sparks = TopicSparks(points=3)
    sparks.add(["a"], {"a": 1.0})
    sparks.add(["a", "b"], {"b": 2.0})
    sparks.gap()
    assert sparks.of("a") == [1.0, None, None]
    assert sparks.of("b") == [None, 2.0, None]
    sparks.add(["a", "b"], {"a": 0.0, "b": 4.0})
    assert sparks.of("a") == [None, None, 0.0]
    assert (sparks.last("b"), sparks.last("none"), sparks.of("none")) == (4.0, None, [])


def test_topics_that_come_and_go_do_not_pile_up() -> None:
    sparks = TopicSparks()
    for n in range(5_000):
        sparks.add(["stays", f"t{n}"], {"stays": float(n), f"t{n}": 1.0})
    assert len(sparks._places) < 200
    assert sparks.of("stays") == [float(n) for n in range(4_970, 5_000)]
    assert sparks.of("t4999")[-1] == 1.0
    assert sparks.of("t1") == []

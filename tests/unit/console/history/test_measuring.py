"""Rates from two looks: by counters of our brokers, by offsets of any other; unknown is never 0."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.console.clusters.picture import BrokerFacts, GroupFacts, PartitionFacts, Picture, TopicFacts
from riacho.console.history.measuring import TOPICS_MAX, Busiest, Flow, Measuring, series
from riacho.console.history.node_counters import NodeAnswer, NodeCounters


def topic(name: str, *next_offsets: int | None, topic_id: bytes = b"1") -> TopicFacts:
    partitions = tuple(
        PartitionFacts(index, 1, (1,), (1,), (), 0, offset, 10) for index, offset in enumerate(next_offsets)
    )
    return TopicFacts(name, topic_id, False, partitions, 1, 0, 0, None, size_bytes=10)


def picture(at_ms: int, *topics: TopicFacts, groups: dict[str, int | None] | None = None) -> Picture:
    named = {name: GroupFacts(name, "consumer", "STABLE", None, 1, 1, {}, lag) for name, lag in (groups or {}).items()}
    broker = BrokerFacts(1, "h", 9092, None, False, 1, 1, 1)
    return Picture(
        as_of_ms=at_ms, cluster_id="c", brokers={1: broker}, topics={each.name: each for each in topics}, groups=named
    )


def answer(at_s: float, started_ms: int = 0, node_id: int = 1, **fields: Any) -> NodeAnswer:
    usual: dict[str, Any] = {
        "bytes_in": 0,
        "bytes_out": 0,
        "messages_in": 0,
        "requests": 0,
        "topics": [],
        "clients": [],
    }
    counters = NodeCounters(
        node_id=node_id, software="riacho", started_ms=started_ms, uptime_s=1.0, **{**usual, **fields}
    )
    return NodeAnswer(counters, at_s)


def test_messages_are_the_difference_of_offsets_on_any_kafka() -> None:
    measuring = Measuring()
    first = measuring.step(picture(0, topic("t", 10, 20), topic("quiet", 5)), [])
    assert first.topics == {}
    assert first.values["messages_in_per_s"] is None
    found = measuring.step(picture(10_000, topic("t", 30, 30), topic("quiet", 5), topic("new", 9)), [])
    assert found.topics == {"t": Flow(messages_in=3.0), "quiet": Flow(messages_in=0.0)}
    assert found.cluster == Flow(None, None, 3.0)
    assert found.clients is None
    assert found.values[series("topic_messages_in_per_s", {"topic": "t"})] == 3.0
    assert found.values[series("topic_bytes_in_per_s", {"topic": "t"})] is None
    assert found.values[series("topic_messages_in_per_s", {"topic": "new"})] is None


@pytest.mark.parametrize(
    ("before", "after", "rate"),
    [
        (topic("t", 10, None), topic("t", 20, 5), 1.0),
        (topic("t", None), topic("t", None), None),
        (topic("t", 10), topic("t", 3), None),
        (topic("t", 10), topic("t", 13, topic_id=b"2"), None),
        (topic("t", 10), topic("t", 10, 7), 0.0),
    ],
)
def test_what_offsets_do_not_tell_is_unknown(before: TopicFacts, after: TopicFacts, rate: float | None) -> None:
    measuring = Measuring()
    measuring.step(picture(0, before), [])
    assert measuring.step(picture(10_000, after), []).topics.get("t", Flow()).messages_in == rate


def test_counters_of_brokers_are_summed_over_their_own_times() -> None:
    measuring = Measuring()
    clients = [("produce", "User:a", "app", "t", 100, 1)]
    measuring.step(
        picture(0, topic("t", 1)),
        [
            answer(0.0, bytes_in=100, requests=1, topics=[("t", 100, 0, 1)], clients=clients),
            answer(0.0, node_id=2, bytes_out=50, requests=9, topics=[("t", 0, 50, 0)]),
        ],
    )
    clients = [("produce", "User:a", "app", "t", 1_100, 1), ("fetch", "User:b", "x", "t", 20, 0)]
    found = measuring.step(
        picture(10_000, topic("t", 1)),
        [
            answer(10.0, bytes_in=1_100, requests=11, topics=[("t", 1_100, 0, 11)], clients=clients),
            answer(5.0, node_id=2, bytes_out=100, requests=14, topics=[("t", 0, 100, 0)]),
        ],
    )
    assert found.topics == {"t": Flow(100.0, 10.0, 1.0)}
    assert found.cluster == Flow(100.0, 10.0, 0.0)
    assert found.requests == 2.0
    assert found.clients == {("produce", "User:a", "app", "t"): 100.0, ("fetch", "User:b", "x", "t"): 2.0}
    assert found.values[series("broker_bytes_in_per_s", {"broker": "1"})] == 100.0


@pytest.mark.parametrize("started_ms", [0, 900_000])
def test_a_broker_that_was_started_again_is_unknown_for_once(started_ms: int) -> None:
    measuring = Measuring()
    measuring.step(picture(0), [answer(0.0, bytes_in=10**9, requests=1_000)])
    again = measuring.step(picture(10_000), [answer(10.0, started_ms, bytes_in=50, requests=5)])
    assert again.cluster == Flow()
    assert again.requests is None
    later = measuring.step(picture(20_000), [answer(20.0, started_ms, bytes_in=150, requests=10)])
    assert later.cluster.bytes_in == 10.0


def test_unknown_lag_is_not_0() -> None:
    values = Measuring().step(picture(0, groups={"a": None, "b": 5}), []).values
    assert values[series("group_lag", {"group": "a"})] is None
    assert values[series("group_lag", {"group": "b"})] == 5
    assert values["lag"] == 5
    assert Measuring().step(picture(0, groups={"a": None}), []).values["lag"] is None


def test_series_are_bounded_and_the_rest_is_a_sum() -> None:
    measuring = Measuring()
    count = 10_000
    measuring.step(picture(0, *(topic(f"t{n}", 0) for n in range(count))), [])
    groups = {f"g{n}": n for n in range(count)}
    found = measuring.step(picture(10_000, *(topic(f"t{n}", n) for n in range(count)), groups=groups), [])
    assert len(found.values) < 1_024
    assert len(found.topics) == count
    assert found.values[series("topic_messages_in_per_s", {"topic": "t9999"})] == 999.9
    rest = sum(n / 10 for n in range(count - TOPICS_MAX))
    assert found.values[series("topic_messages_in_per_s", {"rest": "true"})] == pytest.approx(rest)
    assert found.values[series("group_lag", {"group": "g9999"})] == 9999


def test_who_is_followed_does_not_change_with_every_step() -> None:
    busiest = Busiest(2)
    assert busiest.choose({"a": 10.0, "b": 9.0, "c": 1.0}, "abc") == {"a", "b"}
    assert busiest.choose({"a": 10.0, "b": 9.0, "c": 10.0}, "abc") == {"a", "b"}
    for _ in range(20):
        busiest.choose({"a": 10.0, "c": 10.0}, "abc")
    assert busiest.chosen == {"a", "c"}
    assert busiest.choose({}, "c") == {"c"}


def test_topics_that_stand_still_are_told_by_one_object() -> None:
    measuring = Measuring()
    still = [(f"still-{number}", number, 0, 1) for number in range(3)]
    measuring.step(picture(0), [answer(0.0, topics=[*still, ("t", 1, 1, 1)])])
    told = measuring.step(picture(10_000), [answer(10.0, topics=[*still, ("t", 21, 1, 11)])]).topics
    assert told["t"] == Flow(2.0, 0.0, 1.0)
    assert told["still-0"] == Flow(0.0, 0.0, 0.0)
    assert {id(told[name]) for name, *_ in still} == {id(told["still-0"])}


def test_a_topic_that_moves_on_some_brokers_moves() -> None:
    measuring = Measuring()
    before = [answer(0.0, node_id=node, topics=[("t", 100, 0, 1)]) for node in (1, 2, 3, 4)]
    measuring.step(picture(0), before)
    grown = {1: 100, 2: 120, 3: 100, 4: 130}
    after = [answer(10.0, node_id=node, topics=[("t", size, 0, 1)]) for node, size in grown.items()]
    assert measuring.step(picture(10_000), after).topics == {"t": Flow(5.0, 0.0, 0.0)}

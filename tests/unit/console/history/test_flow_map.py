"""The flow map: edges with rates where they are known, nobody's bytes guessed, and a bound."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from riacho.console.clusters.picture import GroupFacts, Picture, TopicFacts
from riacho.console.history import flow_map as flow_map_module
from riacho.console.history.flow_map import (
    FETCHED,
    ONLY_GROUPS,
    PRODUCED,
    Connector,
    FlowMap,
    FlowNode,
    Query,
    flow_map,
)

USER = "User:ANONYMOUS"


def picture(groups: dict[str, tuple[str, ...]] | None = None, topics: Iterable[str] = "abc") -> Picture:
    named = {
        name: GroupFacts(name, "consumer", "STABLE", None, 1, 1, dict.fromkeys(read, 5), 5)
        for name, read in (groups or {}).items()
    }
    facts = {name: TopicFacts(name, b"1", name == "_", (), 1, 0, 0, None) for name in topics}
    return Picture(as_of_ms=0, cluster_id="c", brokers={}, topics=facts, groups=named)


def edges(made: FlowMap) -> dict[tuple[str, str], float | None]:
    return {(each.source, each.target): each.rate_per_s for each in made.edges}


def test_producers_topics_and_groups_with_their_rates() -> None:
    clients: Any = {
        (PRODUCED, USER, "app", "a"): 10.0,
        (FETCHED, USER, "reader-1", "a"): 4.0,
        (FETCHED, USER, "reader-2", "a"): 3.0,
        (FETCHED, USER, "script", "a"): 1.0,
        (PRODUCED, USER, "app", "gone"): 9.0,
        (PRODUCED, USER, "app", "_"): 9.0,
    }
    members = {"g": frozenset({"reader-1", "reader-2"})}
    made = flow_map(picture({"g": ("a", "b")}, "abc_"), clients, members)
    assert edges(made) == {
        (f"producer:{USER}/app", "topic:a"): 10.0,
        ("topic:a", "group:g"): 7.0,
        ("topic:b", "group:g"): None,
        ("topic:a", f"consumer:{USER}/script"): 1.0,
    }
    [producer] = [each for each in made.nodes if each.kind == "producer"]
    assert (producer.name, producer.principal) == ("app", USER)
    assert (made.about, made.left_out) == (None, 0)


def test_whose_bytes_they_were_is_not_guessed() -> None:
    clients: Any = {(FETCHED, USER, "rdkafka", "a"): 4.0, (FETCHED, USER, "rdkafka", "b"): 2.0}
    members = {"g1": frozenset({"rdkafka"}), "g2": frozenset({"rdkafka"})}
    made = flow_map(picture({"g1": ("a",), "g2": ("a", "b")}), clients, members)
    assert edges(made) == {
        ("topic:a", "group:g1"): None,
        ("topic:a", "group:g2"): None,
        ("topic:b", "group:g2"): 2.0,
    }


def test_other_clusters_have_no_producers_and_it_is_said() -> None:
    made = flow_map(picture({"g": ("a",)}), None, {})
    assert made.about == ONLY_GROUPS
    assert {each.kind for each in made.nodes} == {"topic", "group"}


def test_connectors_and_queries_stand_for_their_groups() -> None:
    connectors = [Connector("pg", "source", "RUNNING", ("a",)), Connector("s3", "sink", "FAILED", ("a",))]
    queries = [Query("CTAS_1", "RUNNING", ("a",), ("b",))]
    made = flow_map(picture({"connect-s3": ("a",), "g": ("b",)}), {}, {}, connectors, queries)
    assert set(edges(made)) == {
        ("connector:pg", "topic:a"),
        ("topic:a", "connector:s3"),
        ("topic:a", "query:CTAS_1"),
        ("query:CTAS_1", "topic:b"),
        ("topic:b", "group:g"),
    }


def test_clients_of_connectors_and_queries_are_known_by_their_names() -> None:
    """As Connect and ksqlDB name them, ours and Apache's."""
    connectors = [Connector("s3", "sink", "RUNNING", ("a",)), Connector("pg-1", "source", "RUNNING", ("b",))]
    queries = [Query("CTAS_1", "RUNNING", ("a",), ("b",))]
    clients: Any = {
        (FETCHED, USER, "connector-consumer-s3", "a"): 5.0,
        (FETCHED, USER, "connector-consumer-s3-0", "a"): 2.0,
        (PRODUCED, USER, "connector-producer-s3", "c"): 1.0,
        (PRODUCED, USER, "connector-producer-pg-1", "b"): 3.0,
        (FETCHED, USER, "query_CTAS_1", "a"): 4.0,
        (PRODUCED, USER, "_confluent-ksql-default_query_CTAS_1-0b1c-StreamThread-1-producer", "b"): 6.0,
        (PRODUCED, USER, "connector-producer-another", "b"): 7.0,
    }
    made = flow_map(picture({"connect-s3": ("a",)}), clients, {}, connectors, queries)
    assert edges(made) == {
        ("topic:a", "connector:s3"): 7.0,
        ("connector:s3", "topic:c"): 1.0,
        ("connector:pg-1", "topic:b"): 3.0,
        ("topic:a", "query:CTAS_1"): 4.0,
        ("query:CTAS_1", "topic:b"): 6.0,
        (f"producer:{USER}/connector-producer-another", "topic:b"): 7.0,
    }


def test_around_one_topic() -> None:
    clients: Any = {(PRODUCED, USER, "x", "a"): 1.0, (PRODUCED, USER, "y", "b"): 1.0}
    made = flow_map(picture({"g": ("a", "b")}), clients, {}, topic="a")
    assert {each.id for each in made.nodes} == {"topic:a", "group:g", f"producer:{USER}/x"}
    assert flow_map(picture(), {}, {}, topic="nowhere").nodes == []


def test_it_is_bounded_and_the_busy_stay() -> None:
    clients: Any = {(PRODUCED, USER, f"c{n}", "a"): float(n) for n in range(10_000)}
    made = flow_map(picture(), clients, {})
    assert (len(made.nodes), made.left_out) == (300, 9_701)
    names = {each.name for each in made.nodes}
    assert {"a", "c9999"} <= names
    assert "c1" not in names
    kept = {each.id for each in made.nodes}
    assert all(each.source in kept and each.target in kept for each in made.edges)


def test_of_ten_thousand_groups_few_are_made_into_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look makes the map anew: what it costs may not follow what it leaves out."""
    made_nodes: list[str] = []
    node = flow_map_module.FlowNode

    def counted(node_id: str, *more: Any, **named: Any) -> FlowNode:
        made_nodes.append(node_id)
        return node(node_id, *more, **named)

    monkeypatch.setattr(flow_map_module, "FlowNode", counted)
    topics = [f"t{n}" for n in range(10_000)]
    groups = {f"g{n}": (topics[n], *(topics[:3] if n % 1_000 == 0 else ())) for n in range(10_000)}
    clients: Any = {(FETCHED, USER, "busy", "t7777"): 5.0}
    made = flow_map(picture(groups, topics), clients, {"g7777": frozenset({"busy"})})
    assert (len(made.nodes), made.left_out, len(made_nodes)) == (300, 19_700, 300)
    kept = {each.id for each in made.nodes}
    # Those with rates, then those with the most edges.
    assert {"topic:t7777", "group:g7777", "topic:t0", "topic:t2", "group:g0", "group:g9000"} <= kept
    assert edges(made)["topic:t7777", "group:g7777"] == 5.0
    assert edges(made)["topic:t1", "group:g5000"] is None
    assert "topic:t9999" not in kept

    made_nodes.clear()
    near = flow_map(picture(groups, topics), clients, {"g7777": frozenset({"busy"})}, topic="t1")
    assert (len(near.nodes), len(made_nodes), near.left_out) == (12, 12, 0)


def test_a_connector_without_topics_is_there() -> None:
    made = flow_map(picture(), {}, {}, [Connector("pg", "source", "RUNNING", ())])
    assert [each.id for each in made.nodes] == ["connector:pg"]
    assert flow_map(picture(), {}, {}, [Connector("pg", "source", "RUNNING", ())], topic="a").nodes == []


def test_what_is_the_platforms_own_is_marked() -> None:
    made = flow_map(picture({"g": ("a", "_")}, "a_"), None, {})
    assert {each.id: each.is_internal for each in made.nodes} == {"group:g": False, "topic:a": False, "topic:_": True}

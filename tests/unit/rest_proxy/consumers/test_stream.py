"""GET .../records of the v3 API: lines, events, arrays; where it begins and ends; clients that follow and go away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from riacho.rest_proxy.v3 import consume
from riacho.testing import KafkaCluster
from support.rest_proxy_world import TIMEOUT_S, ProxyWorld, produce


@pytest.fixture(scope="module")
def proxy(cluster: KafkaCluster) -> Iterator[ProxyWorld]:
    world = ProxyWorld(cluster.bootstrap_servers, modules=(consume,), consume_streams_max=2)
    yield world
    world.stop()


@pytest.fixture
def records(proxy: ProxyWorld, cluster: KafkaCluster, topic: str) -> str:
    """The path of a topic with five records."""
    for number in range(5):
        time_ms = 1_600_000_000_000 + number * 1000
        produce(cluster.bootstrap_servers, topic, [b'{"n":%d}' % number], timestamp=time_ms)
    return _path(proxy, topic)


def _path(proxy: ProxyWorld, topic: str) -> str:
    cluster_id = proxy.thread.run(proxy.admin.cluster_id())
    return f"/v3/clusters/{cluster_id}/topics/{topic}/records"


def _lines(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def _offsets(answer: httpx.Response) -> list[int]:
    return [record["offset"] for record in _lines(answer)]


def test_lines_end_where_the_topic_ends(proxy: ProxyWorld, records: str, topic: str) -> None:
    answer = proxy.get(f"{records}?timeout_ms=60000")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert _offsets(answer) == [0, 1, 2, 3, 4]
    assert _lines(answer)[0] == {
        "topic_name": topic,
        "partition_id": 0,
        "offset": 0,
        "timestamp": "2020-09-13T12:26:40.000Z",
        "headers": [],
        "key": None,
        "value": {"type": "JSON", "data": {"n": 0}},
    }


@pytest.mark.parametrize(
    ("query", "offsets"),
    [
        ("partition=0&offset=3", [3, 4]),
        ("partition=0&offset=5", []),
        ("from=latest", []),
        ("from=2020-09-13T12:26:42Z", [2, 3, 4]),
        ("from=1600000003500", [4]),
        ("from=2040-01-01T00:00:00Z", []),
        ("max_records=2", [0, 1]),
        ("max_records=0", []),
    ],
)
def test_where_it_begins_and_ends(proxy: ProxyWorld, records: str, query: str, offsets: list[int]) -> None:
    assert _offsets(proxy.get(f"{records}?timeout_ms=60000&{query}")) == offsets


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("partition=0&offset=6", 400),
        ("partition=0&offset=-1", 400),
        ("offset=x&partition=0", 404),
        ("partition=1", 40402),
        ("partition=x", 40402),
        ("partition=99999999999999999999", 40402),
        ("from=tomorrow", 400),
        ("from=99999999999999999999", 400),
        ("format=xml", 400),
        ("max_records=-1", 400),
        ("timeout_ms=-1", 400),
    ],
)
def test_queries_that_make_no_sense(proxy: ProxyWorld, records: str, query: str, code: int) -> None:
    answer = proxy.get(f"{records}?{query}")
    assert answer.json()["error_code"] == code
    assert answer.headers["content-type"] == "application/json"


def test_unknown_topics_and_clusters(proxy: ProxyWorld, topic: str) -> None:
    assert proxy.get(_path(proxy, "nobody")).json()["error_code"] == 40403
    assert proxy.get(f"/v3/clusters/other/topics/{topic}/records").json()["error_code"] == 404


def test_events_say_where_to_go_on(proxy: ProxyWorld, records: str) -> None:
    answer = proxy.get(f"{records}?max_records=2&timeout_ms=60000", accept="text/event-stream")
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [dict(line.split(": ", 1) for line in event.splitlines()) for event in answer.text.strip().split("\n\n")]
    assert [(event["event"], event["id"]) for event in events] == [("record", "0:1"), ("record", "0:2")]
    assert json.loads(events[1]["data"])["offset"] == 1
    assert _offsets(proxy.get(f"{records}?timeout_ms=60000", last_event_id=events[1]["id"])) == [2, 3, 4]
    assert len(_offsets(proxy.get(f"{records}?timeout_ms=60000", last_event_id="a:b,0:99999999999999999999"))) == 5


def test_head_does_not_begin_to_stream(proxy: ProxyWorld, records: str) -> None:
    answer = proxy.call("HEAD", f"{records}?follow=true")
    assert (answer.status_code, answer.content) == (200, b"")


def test_an_array(proxy: ProxyWorld, records: str) -> None:
    answer = proxy.get(f"{records}?timeout_ms=60000", accept="application/json")
    assert [record["offset"] for record in answer.json()] == [0, 1, 2, 3, 4]
    assert proxy.get(f"{records}?from=latest&timeout_ms=60000", accept="application/json").json() == []


def test_formats(proxy: ProxyWorld, cluster: KafkaCluster, topic: str) -> None:
    produce(cluster.bootstrap_servers, topic, [b"hello", b"\xff", b"", None, b"[1]"], key=b"k", headers=[("h", b"v")])
    path = _path(proxy, topic)
    auto = _lines(proxy.get(f"{path}?timeout_ms=60000"))
    assert [record["value"] for record in auto] == [
        {"type": "STRING", "data": "hello"},
        {"type": "BINARY", "data": "/w=="},
        {"type": "STRING", "data": ""},
        None,
        {"type": "JSON", "data": [1]},
    ]
    assert (auto[0]["key"], auto[0]["headers"]) == ({"type": "STRING", "data": "k"}, [{"name": "h", "value": "dg=="}])
    binary = _lines(proxy.get(f"{path}?timeout_ms=60000&format=BINARY"))
    assert binary[0]["value"] == {"type": "BINARY", "data": "aGVsbG8="}
    # One that cannot be read does not end the stream.
    as_json = _lines(proxy.get(f"{path}?timeout_ms=60000&format=json"))
    assert [record.get("error_code") for record in as_json] == [40801] * 5


def test_a_follower_gets_records_as_they_come(proxy: ProxyWorld, cluster: KafkaCluster, topic: str) -> None:
    url = proxy.listen() + _path(proxy, topic) + "?follow=true"
    with httpx.Client(timeout=TIMEOUT_S) as client, client.stream("GET", url) as answer:
        lines = answer.iter_lines()
        for number in range(3):
            produce(cluster.bootstrap_servers, topic, [b"%d" % number])
            assert json.loads(next(lines))["offset"] == number


def test_streams_are_bounded_and_a_client_that_leaves_makes_room(proxy: ProxyWorld, topic: str) -> None:
    url = proxy.listen() + _path(proxy, topic)
    following = [httpx.Client(timeout=TIMEOUT_S) for _ in range(2)]
    answers = []
    for client in following:
        answers.append(_followed(client, url))
    with httpx.Client(timeout=TIMEOUT_S) as client:
        refused = client.get(url)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        for answer in answers:
            answer.close()
        # The proxy notices that they are gone, and closes their consumers.
        answers = [_followed(client, url)]
        answers[0].close()
    for client in following:
        client.close()


def _followed(client: httpx.Client, url: str) -> httpx.Response:
    """A stream that is open; asked for until the proxy has room."""
    while True:
        answer = client.send(client.build_request("GET", url + "?follow=true"), stream=True)
        if answer.status_code == 200:
            return answer
        answer.read()

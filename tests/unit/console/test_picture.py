"""The picture: few requests for many rows, what is not known, what was patched, a cluster that is away."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest
from confluent_kafka import Consumer, TopicPartition

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.connection import Connection
from riacho.client.groups import commit_offsets
from riacho.client.settings import client_settings
from riacho.client.topic_changes import create_topic, delete_topic
from riacho.console.api.flow import client_ids_of_groups
from riacho.console.clusters import group_survey, partition_ends, topic_settings
from riacho.console.clusters.by_broker import Gaps
from riacho.console.clusters.group_survey import total
from riacho.console.clusters.look import Look
from riacho.console.clusters.picture import GroupFacts, Patch, Picture
from riacho.testing import KafkaCluster
from riacho.wire.schema import Message
from support.control_center import CLUSTER, ControlCenterService

_TOPICS = 40
_GROUPS = 60


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster(brokers=1) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def filled(cluster: KafkaCluster) -> Iterator[Cluster]:
    with Cluster(client_settings(cluster.bootstrap_servers, {})) as client:
        for number in range(_TOPICS):
            create_topic(client, f"topic-{number:03}", partitions=2)
        for number in range(_GROUPS):
            commit_offsets(client, f"group-{number:03}", {(f"topic-{number % _TOPICS:03}", 0): 0})
        yield client


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of requests to brokers, as they are made."""
    names: list[str] = []
    send = Connection.send

    def noted(self: Connection, request: Message, version: int | None = None) -> object:
        names.append(request.NAME)
        return send(self, request, version)

    monkeypatch.setattr(Connection, "send", noted)
    return names


def test_a_look_is_as_many_requests_for_many_as_for_few(filled: Cluster, asked: list[str]) -> None:
    look = Look()
    picture = look.at(filled, 1_000)
    assert len(picture.topics) >= _TOPICS
    assert len(picture.groups) == _GROUPS
    assert sorted(asked) == [
        "DescribeClusterRequest",
        "DescribeConfigsRequest",
        "DescribeConfigsRequest",
        "DescribeLogDirsRequest",
        "DescribeQuorumRequest",
        "ListGroupsRequest",
        "ListOffsetsRequest",
        "ListOffsetsRequest",
        "MetadataRequest",
        "OffsetFetchRequest",
    ]
    asked.clear()
    # What moves slowly is not asked for again.
    look.at(filled, 2_000)
    assert sorted(asked) == [
        "DescribeClusterRequest",
        "DescribeQuorumRequest",
        "ListGroupsRequest",
        "ListOffsetsRequest",
        "MetadataRequest",
        "OffsetFetchRequest",
    ]
    asked.clear()
    # Disks fill up faster than settings change.
    look.at(filled, 20_000)
    assert asked.count("DescribeLogDirsRequest") == 1
    assert asked.count("DescribeConfigsRequest") == 0


def test_large_clusters_are_asked_in_batches(
    filled: Cluster, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Look().at(filled, 1_000)
    asked.clear()
    monkeypatch.setattr(group_survey, "GROUPS_A_REQUEST_MAX", 25)
    monkeypatch.setattr(partition_ends, "PARTITIONS_A_REQUEST_MAX", 50)
    monkeypatch.setattr(topic_settings, "TOPICS_A_REQUEST_MAX", 30)
    in_batches = Look().at(filled, 1_000)
    assert asked.count("OffsetFetchRequest") == 3
    assert asked.count("ListOffsetsRequest") == 2 * -(-sum(len(t.partitions) for t in whole.topics.values()) // 50)
    assert (in_batches.topics, in_batches.groups) == (whole.topics, whole.groups)


def test_what_stands_still_is_the_same_object_in_the_next_picture(filled: Cluster) -> None:
    """Of ten thousand topics and groups there is one copy, whatever the number of looks."""
    look = Look()
    first = look.at(filled, 1_000)
    commit_offsets(filled, "group-007", {("topic-008", 1): 0})
    for now_ms in (2_000, 60_000):
        second = look.at(filled, now_ms)
        assert second.groups["group-007"].topics == {"topic-007": 0, "topic-008": 0}
        changed = {name for name, each in first.topics.items() if second.topics[name] is not each}
        # Another group has committed to one; the offsets topic grows.
        assert changed <= {"topic-008", "__consumer_offsets"}
        assert {name for name, each in first.groups.items() if second.groups[name] is not each} == {"group-007"}


def test_a_name_is_one_object_wherever_it_stands(filled: Cluster) -> None:
    """Brokers tell the name of a topic in most of their answers, and the state of a group with every group."""
    picture = Look().at(filled, 1_000)
    [name] = picture.groups["group-003"].topics
    assert name is picture.topics["topic-003"].name
    for word in ("type", "state"):
        assert len({id(getattr(group, word)) for group in picture.groups.values()}) == 1


def test_who_is_in_groups_is_one_request_for_all(filled: Cluster, asked: list[str]) -> None:
    picture = Look().at(filled, 1_000)
    groups = {name: group._replace(members=1) for name, group in picture.groups.items()}
    asked.clear()
    found = client_ids_of_groups(filled, replace(picture, groups=groups))
    assert found == dict.fromkeys(groups, frozenset())
    assert asked == ["DescribeGroupsRequest"]


def test_lists_ask_brokers_nothing(cluster: KafkaCluster, filled: Cluster, asked: list[str]) -> None:
    console = ControlCenterService(cluster.bootstrap_servers)
    try:
        console.look()
        asked.clear()
        for path in ("topics", "groups", "brokers", "overview", "topics-tree", "topics/topic-001/partitions"):
            assert console.get(f"{CLUSTER}/{path}").status_code == 200
        for page in range(1, 5):
            assert console.get(f"{CLUSTER}/topics?page_size=10&sort=-lag&page={page}").json()["items"]
            assert console.get(f"{CLUSTER}/groups?page_size=10&sort=-lag&page={page}").json()["items"]
        assert asked == []
    finally:
        console.stop()


def test_a_topic_made_anew_under_its_name_has_its_own_settings(filled: Cluster) -> None:
    look, name = Look(), f"again-{uuid.uuid4().hex[:8]}"
    create_topic(filled, name, partitions=1, configs={"retention.ms": "1000"})
    assert look.at(filled, 1_000).topics[name].retention_ms == 1000
    delete_topic(filled, name)
    create_topic(filled, name, partitions=1, configs={"retention.ms": "2000"})
    assert look.at(filled, 2_000).topics[name].retention_ms == 2000


def test_lag_that_is_not_known_is_not_nothing() -> None:
    assert total([1, 2]) == 3
    assert total([0]) == 0
    assert total([1, None]) is None
    assert total([]) is None


def test_patches_keep_the_order_of_names() -> None:
    def group(name: str, lag: int) -> GroupFacts:
        return GroupFacts(name, "consumer", "Empty", None, 1, lag=lag)

    groups = {name: group(name, 1) for name in ("a", "c", "d")}
    picture = Picture(as_of_ms=1, cluster_id="x", brokers={}, topics={}, groups=groups)
    patched = Patch(groups={"b": group("b", 2), "c": None, "d": group("d", 9)}).on(picture)
    assert [(name, each.lag) for name, each in patched.groups.items()] == [("a", 1), ("b", 2), ("d", 9)]
    assert picture.groups == groups


def test_a_cluster_that_goes_away_shows_what_was_known() -> None:
    with KafkaCluster(brokers=1) as cluster:
        console = ControlCenterService(cluster.bootstrap_servers, {"riacho.console.timeout.ms": "500"})
        try:
            console.look()
            console.post(f"{CLUSTER}/topics", {"name": "kept", "partitions": 1})
            before = console.get(f"{CLUSTER}/topics").json()
            cluster.stop(1)
            console.look()
            after = console.get(f"{CLUSTER}/topics").json()
            assert (after["items"], after["as_of_ms"]) == (before["items"], before["as_of_ms"])
            assert "Cannot reach the cluster" in after["stale_reason"]
            [row] = console.get("/api/v1/clusters").json()
            assert (row["state"], row["reason"]) == ("down", after["stale_reason"])
            asked = console.get(f"{CLUSTER}/topics/kept/config")
            assert asked.status_code in (503, 504)
            assert "Traceback" not in asked.text
            cluster.start(1)
            console.look()
            assert console.get("/api/v1/clusters").json()[0]["state"] == "up"
        finally:
            console.stop()


def test_a_cluster_that_was_never_there() -> None:
    console = ControlCenterService("127.0.0.1:1", {"riacho.console.timeout.ms": "300"})
    try:
        answer = console.get(f"{CLUSTER}/topics")
        assert (answer.status_code, answer.json()["error_code"]) == (503, 50304)
        assert "127.0.0.1:1" in answer.json()["message"]
    finally:
        console.stop()


def test_a_broker_that_is_down_leaves_a_gap_and_no_more() -> None:
    with KafkaCluster(brokers=3) as cluster:
        console = ControlCenterService(cluster.bootstrap_servers)
        try:
            body = {"name": "t", "partitions": 3, "replication": 2}
            assert console.post(f"{CLUSTER}/topics", body).status_code == 201
            cluster.kill(3)
            for _ in range(100):
                console.look()
                seen = console.get(f"{CLUSTER}/overview").json()
                if seen["brokers"]["online"] == 2 and seen["under_replicated"]:
                    break
            assert seen["brokers"]["online"] == 2
            assert seen["under_replicated"] > 0
            rows = console.get(f"{CLUSTER}/brokers").json()["items"]
            assert [row["id"] for row in rows if not row["is_fenced"]] == [1, 2]
            topic = console.get(f"{CLUSTER}/topics/t").json()
            assert (topic["offline"], topic["messages"]) == (0, 0)
            assert [row["name"] for row in console.get(f"{CLUSTER}/topics?unwell=true").json()["items"]] == ["t"]
        finally:
            console.stop()


def test_groups_without_their_coordinator_are_not_gone() -> None:
    """With one of three left nobody leads what the others led, groups among it: how they fare is unknown, not that."""
    settings = {"broker.session.timeout.ms": 1000, "broker.heartbeat.interval.ms": 200}
    with KafkaCluster(settings, brokers=3) as cluster:
        cluster.create_topic("t", replication_factor=1)
        for number in range(12):
            client = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": f"g{number:02}"}
            consumer = Consumer(client)
            consumer.commit(offsets=[TopicPartition("t", 0, 0)], asynchronous=False)
            consumer.close()
        console = ControlCenterService(cluster.bootstrap_servers, {"riacho.console.timeout.ms": "1000"})
        try:
            console.look()
            before = console.get(f"{CLUSTER}/groups").json()
            assert (before["total"], {row["state"] for row in before["items"]}) == (12, {"Empty"})
            cluster.kill(3)
            cluster.kill(2)
            console.look()
            after = console.get(f"{CLUSTER}/groups").json()
            assert [row["id"] for row in after["items"]] == [row["id"] for row in before["items"]]
            unheard = [row for row in after["items"] if row["state"] == "Unknown"]
            assert {row["lag"] for row in unheard} == {row["members"] for row in unheard} == {None}
            assert unheard
            # Its own page has what was told last, and when that was.
            page = console.get(f"{CLUSTER}/groups/{unheard[0]['id']}").json()
            assert (page["state"], page["member_count"], page["lag"]) == ("Empty", 0, 0)
            assert (page["topics"], page["offsets"]) == ([{"topic": "t", "lag": 0}], [])
            assert page["as_of_ms"] == before["as_of_ms"] < after["as_of_ms"]
            assert page["stale_reason"]
        finally:
            console.stop()


def test_a_group_of_a_cluster_that_is_away_is_as_it_was() -> None:
    with KafkaCluster() as cluster:
        cluster.create_topic("t")
        client = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g"}
        consumer = Consumer(client)
        consumer.commit(offsets=[TopicPartition("t", 0, 0)], asynchronous=False)
        consumer.close()
        console = ControlCenterService(
            cluster.bootstrap_servers, {"riacho.console.timeout.ms": "1000", "riacho.console.refresh.ms": "60000"}
        )
        console.look()
        seen = console.get(f"{CLUSTER}/groups/g").json()
        assert (seen["stale_reason"], seen["member_count"], len(seen["offsets"])) == (None, 0, 1)
        as_of_ms = console.get(f"{CLUSTER}/groups").json()["as_of_ms"]
    try:
        # Before a look has found out, and after.
        for is_found_out in (False, True):
            if is_found_out:
                console.look()
            answer = console.get(f"{CLUSTER}/groups/g")
            page = answer.json()
            assert (answer.status_code, page["state"], page["lag"], page["as_of_ms"]) == (200, "Empty", 0, as_of_ms)
            assert "annot" in page["stale_reason"]
            assert page["stale_reason"].endswith(".")
    finally:
        console.stop()


def test_waiting_in_vain_has_an_end() -> None:
    now_s = 0.0
    asked = 0

    def ask() -> int:
        nonlocal now_s, asked
        now_s += 5.0
        asked += 1
        raise KafkaError(ErrorCode.REQUEST_TIMED_OUT, "nobody answers")

    gaps = Gaps(lambda: now_s)
    assert [gaps.asked(f"Part {part} is", ask) for part in range(5)] == [None] * 5
    assert asked == 2
    assert len(gaps.told()) == 5
    assert gaps.about("Part 3")

"""Groups: the list with its lag, one group, moving it with a preview, forgetting it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, TopicPartition

from riacho.client.cluster import Cluster
from riacho.client.groups import commit_offsets
from riacho.client.settings import client_settings
from riacho.testing import KafkaCluster
from support.control_center import CLUSTER, ControlCenterService

GROUPS = f"{CLUSTER}/groups"


@pytest.fixture(scope="module")
def cluster(brokers: KafkaCluster) -> Iterator[Cluster]:
    with Cluster(client_settings(brokers.bootstrap_servers, {})) as cluster:
        yield cluster


@pytest.fixture
def topic(console: ControlCenterService, brokers: KafkaCluster) -> str:
    """Two partitions, with five records in the first and one in the second."""
    name = f"g-{uuid.uuid4().hex[:8]}"
    assert console.post(f"{CLUSTER}/topics", {"name": name, "partitions": 2, "replication": 1}).status_code == 201
    for partition in (0, 0, 0, 0, 0, 1):
        brokers.produce(name, b"v", partition=partition)
    return name


@pytest.fixture
def group(topic: str, cluster: Cluster, console: ControlCenterService) -> str:
    """At 2 of the first partition, and nowhere in the second."""
    name = f"{topic}/group %41"
    commit_offsets(cluster, name, {(topic, 0): 2})
    console.look()
    return name


def path_of(group: str) -> str:
    return f"{GROUPS}/{group.replace('%', '%25').replace('/', '%2F').replace(' ', '%20')}"


def test_the_list_has_the_lag(console: ControlCenterService, group: str, topic: str) -> None:
    [row] = console.get(f"{GROUPS}?q={topic}").json()["items"]
    assert row | {"coordinator": 0} == {
        "id": group,
        "type": "classic",
        "state": "Empty",
        "members": 0,
        "topics": 1,
        "lag": 3,
        "coordinator": 0,
        "protocol": row["protocol"],
    }
    assert console.get(f"{GROUPS}?q={topic}&type=share").json()["total"] == 0
    assert console.get(f"{GROUPS}?q={topic}&state=empty").json()["total"] == 1
    assert console.get(f"{CLUSTER}/topics/{topic}/consumers").json() == [
        {"group": group, "state": "Empty", "members": 0, "lag": 3}
    ]
    assert console.get(f"{CLUSTER}/topics/{topic}").json()["lag"] == 3
    top = console.get(f"{CLUSTER}/overview").json()["lag_top"]
    assert {"group": group, "topic": topic, "lag": 3} in top or len(top) == 5


def test_one_group(console: ControlCenterService, group: str, topic: str) -> None:
    page = console.get(path_of(group)).json()
    assert (page["id"], page["state"], page["members"], page["lag"]) == (group, "Empty", [], 3)
    assert page["offsets"] == [
        {
            "topic": topic,
            "partition": 0,
            "committed": 2,
            "next_offset": 5,
            "lag": 3,
            "member": None,
            "metadata": None,
        }
    ]


def test_members_and_what_they_read(console: ControlCenterService, brokers: KafkaCluster, topic: str) -> None:
    group = f"live-{topic}"
    consumer = Consumer(
        {"bootstrap.servers": brokers.bootstrap_servers, "group.id": group, "client.id": "me",
         "auto.offset.reset": "earliest", "enable.auto.commit": False}
    )  # fmt: skip
    try:
        consumer.subscribe([topic])
        assert consumer.poll(30.0) is not None
        console.look()
        [row] = console.get(f"{GROUPS}?q={group}").json()["items"]
        # Nothing is committed: the lag is not known, and not 0.
        assert (row["members"], row["topics"], row["lag"]) == (1, 0, None)
        page = console.get(path_of(group)).json()
        [member] = page["members"]
        assert (member["client_id"], len(member["partitions"])) == ("me", 2)
        assert [(o["partition"], o["committed"], o["lag"]) for o in page["offsets"]] == [
            (0, None, None),
            (1, None, None),
        ]
        assert {o["member"] for o in page["offsets"]} == {member["id"]}
        preview = console.post(f"{path_of(group)}/offsets/preview", {"topics": {topic: None}, "to": "latest"}).json()
        assert "1 member" in preview["refused"]
        rows = console.post(f"{path_of(group)}/offsets", {"rows": preview["rows"]})
        assert (rows.status_code, rows.json()["message"]) == (409, "The group has members: stop them first.")
        assert console.delete(path_of(group)).status_code == 409
        consumer.commit(offsets=[TopicPartition(topic, 0, 1)], asynchronous=False)
        console.look()
        subscribed = console.delete(f"{path_of(group)}/offsets", {"topics": {topic: None}})
        assert (subscribed.status_code, subscribed.json()["kafka_error"]) == (409, "GROUP_SUBSCRIBED_TO_TOPIC")
    finally:
        consumer.close()


@pytest.mark.parametrize(
    ("wanted", "new"),
    [
        ({"to": "earliest"}, {0: 0, 1: 0}),
        ({"to": "latest"}, {0: 5, 1: 1}),
        ({"to": "offset", "value": 4}, {0: 4, 1: 1}),
        ({"to": "shift", "value": -1}, {0: 1}),
        ({"to": "shift", "value": 100}, {0: 5}),
        ({"to": "time", "value": 0}, {0: 0, 1: 0}),
        ({"to": "time", "value": 1 << 60}, {0: 5, 1: 1}),
    ],
)
def test_previews(
    console: ControlCenterService, group: str, topic: str, wanted: dict[str, object], new: dict[int, int]
) -> None:
    answer = console.post(f"{path_of(group)}/offsets/preview", {"topics": {topic: None}, **wanted})
    assert answer.status_code == 200, answer.text
    preview = answer.json()
    assert preview["refused"] is None
    assert {row["partition"]: row["new"] for row in preview["rows"]} == new
    for row in preview["rows"]:
        old = 2 if row["partition"] == 0 else None
        assert (row["old"], row["change"]) == (old, None if old is None else row["new"] - old)


def test_a_preview_is_done_and_only_once(console: ControlCenterService, group: str, topic: str) -> None:
    preview = console.post(f"{path_of(group)}/offsets/preview", {"topics": {topic: None}, "to": "earliest"}).json()
    assert console.post(f"{path_of(group)}/offsets", {"rows": preview["rows"]}).status_code == 204
    assert console.get(path_of(group)).json()["lag"] == 6
    assert console.get(f"{GROUPS}?q={topic}").json()["items"][0]["lag"] == 6
    # The group is not where the preview found it any more.
    again = console.post(f"{path_of(group)}/offsets", {"rows": preview["rows"]})
    assert (again.status_code, again.json()["error_code"]) == (409, 40901)


def test_as_another_group(console: ControlCenterService, group: str, topic: str, cluster: Cluster) -> None:
    commit_offsets(cluster, f"{topic}-other", {(topic, 1): 1})
    console.look()
    wanted = {"topics": {topic: None}, "to": "group", "value": group}
    preview = console.post(f"{path_of(topic + '-other')}/offsets/preview", wanted).json()
    assert [(row["partition"], row["old"], row["new"]) for row in preview["rows"]] == [(0, None, 2)]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"topics": {}, "to": "earliest"}, 422),
        ({"topics": {"none": None}, "to": "earliest"}, 404),
        ({"to": "earliest"}, 422),
        ({"topics": {"TOPIC": [7]}, "to": "earliest"}, 404),
        ({"topics": {"TOPIC": [-1]}, "to": "earliest"}, 422),
        ({"topics": {"TOPIC": None}, "to": "elsewhere"}, 422),
        ({"topics": {"TOPIC": None}, "to": "offset"}, 422),
        ({"topics": {"TOPIC": None}, "to": "offset", "value": -5}, 422),
        ({"topics": {"TOPIC": None}, "to": "offset", "value": 1 << 80}, 422),
        ({"topics": {"TOPIC": None}, "to": "shift", "value": "x"}, 422),
        ({"topics": {"TOPIC": None}, "to": "group", "value": 3}, 422),
    ],
)
def test_previews_that_cannot_be(
    console: ControlCenterService, group: str, topic: str, body: dict[str, object], status: int
) -> None:
    topics = body.get("topics")
    if isinstance(topics, dict):
        body = {**body, "topics": {name.replace("TOPIC", topic): each for name, each in topics.items()}}
    answer = console.post(f"{path_of(group)}/offsets/preview", body)
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize(
    ("row", "status"),
    [
        ({"partition": 0, "new": -1}, 422),
        ({"partition": 0, "new": 1 << 70}, 422),
        ({"partition": 9, "new": 0}, 404),
        ({"partition": 0, "new": 0, "old": 1}, 409),
    ],
)
def test_rows_that_cannot_be(
    console: ControlCenterService, group: str, topic: str, row: dict[str, int], status: int
) -> None:
    answer = console.post(f"{path_of(group)}/offsets", {"rows": [{"topic": topic, **row}]})
    assert answer.status_code == status, answer.text
    twice = {"topic": topic, "partition": 0, "new": 0, "old": 2}
    assert console.post(f"{path_of(group)}/offsets", {"rows": [twice, twice]}).status_code == 422
    assert console.get(path_of(group)).json()["offsets"][0]["committed"] == 2


def test_forgetting(console: ControlCenterService, group: str, topic: str) -> None:
    path = f"{path_of(group)}/offsets"
    assert console.delete(path, {"topics": {topic: [1]}}).status_code == 404
    assert console.delete(path, {"topics": {topic: [0]}}).status_code == 204
    assert console.delete(path_of(group)).status_code in (204, 404)
    assert console.get(f"{GROUPS}?q={topic}").json()["total"] == 0
    assert console.get(path_of(group)).status_code == 404
    assert console.delete(path_of(group)).status_code == 404


def test_share_groups(console: ControlCenterService, brokers: KafkaCluster, topic: str) -> None:
    from confluent_kafka import ShareConsumer

    group = f"share-{topic}"
    consumer = ShareConsumer({"bootstrap.servers": brokers.bootstrap_servers, "group.id": group})
    try:
        consumer.subscribe([topic])
        assigned: list[object] = []
        for _ in range(600):
            consumer.poll(timeout=0.05)
            console.look()
            rows = console.get(f"{GROUPS}?q={group}&type=share").json()["items"]
            page = console.get(path_of(group)).json() if rows and rows[0]["topics"] else {"members": []}
            assigned = [each["topic"] for member in page["members"] for each in member["partitions"]]
            if assigned:
                break
        assert assigned == [topic, topic]
        assert (rows[0]["type"], rows[0]["members"], rows[0]["topics"]) == ("share", 1, 1)
        assert [each["partition"] for each in page["offsets"]] == [0, 1]
        preview = console.post(f"{path_of(group)}/offsets/preview", {"topics": {topic: None}, "to": "earliest"}).json()
        assert "1 member" in preview["refused"]
        assert console.post(f"{path_of(group)}/offsets", {"rows": preview["rows"]}).status_code == 409
    finally:
        consumer.close()

"""Topics: lists from the picture, and changes that a list shows at once."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from riacho.testing import KafkaCluster
from support.control_center import CLUSTER, ControlCenterService

TOPICS = f"{CLUSTER}/topics"


@pytest.fixture
def name() -> str:
    return f"t-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def create(console: ControlCenterService, name: str) -> Callable[..., str]:
    def create(suffix: str = "", partitions: int = 1, replication: int = 1, **config: str) -> str:
        body = {
            "name": name + suffix,
            "partitions": partitions,
            "replication": replication,
            "config": {key.replace("_", "."): value for key, value in config.items()},
        }
        answer = console.post(TOPICS, body)
        assert answer.status_code == 201, answer.text
        return name + suffix

    return create


def test_create_show_delete(console: ControlCenterService, create: Callable[..., str]) -> None:
    name = create("", 3, 2, cleanup_policy="compact", retention_ms="1000")
    [row] = console.get(f"{TOPICS}?q={name.upper()}").json()["items"]
    assert row == {
        "name": name,
        "is_internal": False,
        "partitions": 3,
        "replication": 2,
        "under_replicated": row["under_replicated"],
        "offline": row["offline"],
        "messages": row["messages"],
        "size_bytes": row["size_bytes"],
        "bytes_in_per_s": None,
        "bytes_out_per_s": None,
        "groups": 0,
        "lag": None,
        "cleanup_policy": "compact",
        "retention_ms": 1000,
        "spark": [],
    }
    page = console.get(f"{TOPICS}/{name}").json()
    assert page["config_overrides"] == {"cleanup.policy": "compact", "retention.ms": "1000"}
    assert len(page["topic_id"]) == 22
    assert console.delete(f"{TOPICS}/{name}").status_code == 204
    assert console.get(f"{TOPICS}/{name}").json()["error_code"] == 40403
    assert console.get(f"{TOPICS}?q={name}").json()["total"] == 0


def test_pages_and_order(console: ControlCenterService, create: Callable[..., str]) -> None:
    names = [create(f".{letter}", partitions) for letter, partitions in zip("abc", (2, 3, 1), strict=True)]
    prefix = names[0][:-2]
    first = console.get(f"{TOPICS}?q={prefix}&page_size=2").json()
    assert ([row["name"] for row in first["items"]], first["total"], first["page"]) == (names[:2], 3, 1)
    assert [row["name"] for row in console.get(f"{TOPICS}?q={prefix}&page_size=2&page=2").json()["items"]] == names[2:]
    assert console.get(f"{TOPICS}?q={prefix}&page=9").json()["items"] == []
    by_size = console.get(f"{TOPICS}?prefix={prefix}.&sort=-partitions").json()["items"]
    assert [row["partitions"] for row in by_size] == [3, 2, 1]
    # Unknown lag is last in both directions.
    assert len(console.get(f"{TOPICS}?q={prefix}&sort=-lag").json()["items"]) == 3


@pytest.mark.parametrize(
    "query", ["page=0", "page=x", "page_size=501", "page=١", "sort=nothing", "sort=__class__", "q=" + "x" * 501]
)
def test_queries_that_cannot_be_meant(console: ControlCenterService, query: str) -> None:
    answer = console.get(f"{TOPICS}?{query}")
    assert (answer.status_code, answer.json()["error_code"]) == (400, 40001)


def test_what_clusters_and_services_keep_for_themselves(console: ControlCenterService, name: str) -> None:
    own = f"_{name}"
    assert console.post(TOPICS, {"name": own, "partitions": 1}).status_code == 201
    assert console.get(f"{TOPICS}?q={own}").json()["items"] == []
    [row] = console.get(f"{TOPICS}?q={own}&internal=true").json()["items"]
    assert row["is_internal"]
    assert console.delete(f"{TOPICS}/{own}").status_code == 204


def test_the_tree(console: ControlCenterService, create: Callable[..., str]) -> None:
    root = create(".eu.new", 1)[: -len("eu.new")]
    create(".eu.old")
    create(".us")
    create(".asia.only")
    tree = console.get(f"{CLUSTER}/topics-tree?prefix={root}").json()
    assert tree["prefixes"] == [{"prefix": f"{root}eu.", "topics": 2}]
    assert [topic["name"] for topic in tree["topics"]] == [f"{root}asia.only", f"{root}us"]
    below = console.get(f"{CLUSTER}/topics-tree?prefix={root}eu.").json()
    assert [topic["name"] for topic in below["topics"]] == [f"{root}eu.new", f"{root}eu.old"]


def test_more_partitions_purge_and_their_offsets(
    console: ControlCenterService, brokers: KafkaCluster, create: Callable[..., str]
) -> None:
    name = create("", 1, 2)
    for _ in range(5):
        brokers.produce(name, b"v", partition=0)
    console.look()
    [p] = console.get(f"{TOPICS}/{name}/partitions").json()
    assert (p["first_offset"], p["next_offset"], sorted(p["replicas"])) == (0, 5, [1, 2])
    assert console.get(f"{TOPICS}/{name}").json()["messages"] == 5
    assert console.post(f"{TOPICS}/{name}/purge", {"partitions": {"0": 3}}).json() == {
        "partitions": {"0": 3},
        "refused": {},
    }
    assert console.get(f"{TOPICS}/{name}/partitions").json()[0]["first_offset"] == 3
    assert console.post(f"{TOPICS}/{name}/purge", {"partitions": {"0": 99}}).status_code == 400
    assert console.post(f"{TOPICS}/{name}/purge", {"partitions": {"7": 1}}).status_code == 422
    assert console.post(f"{TOPICS}/{name}/purge", {}).json()["partitions"] == {"0": 5}
    assert console.post(f"{TOPICS}/{name}/partitions", {"count": 4}).status_code == 204
    assert len(console.get(f"{TOPICS}/{name}/partitions").json()) == 4
    fewer = console.post(f"{TOPICS}/{name}/partitions", {"count": 2})
    assert (fewer.status_code, fewer.json()["kafka_error"]) == (400, "INVALID_PARTITIONS")


def test_a_clone_has_the_settings_and_not_the_records(
    console: ControlCenterService, brokers: KafkaCluster, create: Callable[..., str]
) -> None:
    name = create("", 2, 2, retention_ms="5000")
    brokers.produce(name, b"v", partition=0)
    assert console.post(f"{TOPICS}/{name}/clone", {"name": f"{name}.copy"}).status_code == 201
    console.look()
    copy = console.get(f"{TOPICS}/{name}.copy").json()
    assert (copy["partitions"], copy["replication"], copy["messages"]) == (2, 2, 0)
    assert copy["config_overrides"] == {"retention.ms": "5000"}


def test_settings_with_what_they_do(console: ControlCenterService, create: Callable[..., str]) -> None:
    name = create("", 1)
    path = f"{TOPICS}/{name}/config"
    before = {row["name"]: row for row in console.get(path).json()}
    row = before["retention.ms"]
    assert (row["source"], row["type"], row["can_change_now"]) == ("DEFAULT_CONFIG", "long", True)
    assert row["default"] == row["value"] == "604800000"
    assert row["about"]
    assert console.patch(path, {"set": {"retention.ms": "7000"}}).status_code == 204
    after = {row["name"]: row for row in console.get(path).json()}["retention.ms"]
    assert (after["value"], after["source"], after["default"]) == ("7000", "DYNAMIC_TOPIC_CONFIG", "604800000")
    assert console.get(f"{TOPICS}/{name}").json()["retention_ms"] == 7000
    assert console.patch(path, {"unset": ["retention.ms"]}).status_code == 204
    assert console.get(f"{TOPICS}/{name}").json()["config_overrides"] == {}
    wrong = console.patch(path, {"set": {"retention.ms": "soon"}})
    assert (wrong.status_code, wrong.json()["kafka_error"]) == (400, "INVALID_CONFIG")
    assert console.patch(path, {}).status_code == 422
    assert console.patch(path, {"set": {"retention.ms": "1"}, "unset": ["retention.ms"]}).status_code == 422


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "a/b"}, 400),
        ({"name": ".."}, 400),
        ({"name": ""}, 422),
        ({"name": "x" * 250}, 422),
        ({"name": "ok", "partitions": 0}, 422),
        ({"name": "ok", "partitions": 1 << 40}, 422),
        ({"name": "ok", "replication": 99}, 400),
        ({"name": "ok", "config": {"no.such": "x"}}, 400),
        ({"name": "ok", "config": {"retention.ms": 5}}, 422),
        ({"name": "ok", "else": 1}, 422),
        (b"{", 400),
        (b"[" * 100_000, 422),
    ],
)
def test_topics_that_cannot_be(console: ControlCenterService, body: object, status: int) -> None:
    answer = console.post(TOPICS, body)
    assert answer.status_code == status, answer.text
    assert "Traceback" not in answer.text
    assert answer.json()["message"]


def test_a_topic_that_is_there_already(console: ControlCenterService, create: Callable[..., str]) -> None:
    answer = console.post(TOPICS, {"name": create("", 1)})
    assert (answer.status_code, answer.json()["kafka_error"]) == (409, "TOPIC_ALREADY_EXISTS")


@pytest.mark.parametrize(
    "segment", ["a%2Fb", "..%2f..%2fetc", "%00", "%ff", "%", "<script>", "a%20b", "%2e%2e", "x" * 5000]
)
def test_names_that_mean_harm(console: ControlCenterService, segment: str) -> None:
    for path in (f"{TOPICS}/{segment}", f"{TOPICS}/{segment}/config", f"{CLUSTER}/groups/{segment}"):
        answer = console.get(path)
        assert answer.status_code in (400, 404), answer.text
        assert answer.headers["content-type"] == "application/json"
        assert "script" not in answer.text
    assert console.delete(f"{TOPICS}/{segment}").status_code in (400, 404)


def test_changes_need_the_token_and_no_form(console: ControlCenterService) -> None:
    assert console.post(TOPICS, {"name": "never"}, x_riacho_csrf="").status_code == 403
    assert console.post(TOPICS, {"name": "never"}, x_riacho_csrf="wrong").status_code == 403
    assert console.post(TOPICS, {"name": "never"}, origin="http://evil.example").status_code == 403
    assert console.post(TOPICS, b'{"name": "never"}', content_type="text/plain").status_code == 415
    assert console.post(TOPICS, b" " * (11 << 20)).status_code == 413
    console.look()
    assert console.get(f"{TOPICS}/never").status_code == 404


def test_a_cluster_that_is_not_there(console: ControlCenterService) -> None:
    for path in ("topics", "overview", "groups", "brokers", "events", "topics-tree", "reassignments"):
        answer = console.get(f"/api/v1/clusters/other/{path}")
        assert (answer.status_code, answer.json()["error_code"]) == (404, 40401), path

"""Names that a library in C would read otherwise than they stand: to their first NUL, without the white space around,
as a pattern. None may reach it."""

from __future__ import annotations

import pytest

from riacho.testing import KafkaCluster
from support.rest_proxy_world import ProxyWorld

_JSON = "application/json"


@pytest.mark.parametrize("group", ["%20", "%00", "%00a", "a%00b", "%09", "%0A", "a%20", "a%0Ab"])
def test_groups_that_would_be_others_or_end_the_process(proxy: ProxyWorld, group: str) -> None:
    answer = proxy.post(f"/consumers/{group}", {"format": "json"})
    assert answer.status_code in (400, 422), answer.text
    assert proxy.get("/topics").status_code == 200


def test_no_topic_goes_for_another(proxy: ProxyWorld, cluster: KafkaCluster, base: str) -> None:
    cluster.create_topic("to-be-kept")
    path = f"{base}/topics/to-be-kept"
    assert proxy.delete(f"{path}%00x").status_code == 400
    assert proxy.post(f"{base}/topics", {"topic_name": "new\0x"}, content_type=_JSON).status_code == 400
    value = {"value": "1000\0x"}
    assert proxy.call("PUT", f"{path}/configs/retention.ms", value, content_type=_JSON).status_code == 400
    assert proxy.delete(f"{base}/acls?resource_type=TOPIC&resource_name=to-be-kept%00x").status_code == 400
    assert proxy.get(path).status_code == 200
    assert proxy.get(f"{base}/topics/new").status_code == 404
    assert proxy.get(f"{path}/configs/retention.ms").json()["is_default"] is True


@pytest.mark.parametrize("topic", ["^.*", "a\0b", "a b", "/", "ü"])
def test_what_is_no_topic_cannot_be_read(proxy: ProxyWorld, topic: str) -> None:
    path = proxy.create("hostile", "i")
    try:
        partition = {"topic": topic, "partition": 0}
        assert proxy.post(f"{path}/subscription", {"topics": [topic]}).status_code == 422
        assert proxy.post(f"{path}/assignments", {"partitions": [partition]}).status_code == 422
        assert proxy.post(f"{path}/offsets", {"offsets": [{**partition, "offset": 1}]}).status_code == 422
        assert proxy.get(f"{path}/subscription").json() == {"topics": []}
    finally:
        proxy.delete(path)


def test_texts_that_do_not_fit_the_protocol(proxy: ProxyWorld, base: str) -> None:
    long = "x" * 70_000
    rule = {"resource_type": "TOPIC", "pattern_type": "LITERAL", "principal": "User:a", "host": "*"}
    for path, body in (
        ("/topics", {"topic_name": long}),
        ("/topics", {"topic_name": "t", "configs": [{"name": "retention.ms", "value": long}]}),
        ("/topics/t/configs:alter", {"data": [{"name": "retention.ms", "value": long}]}),
        ("/acls", {**rule, "resource_name": long, "operation": "READ", "permission": "ALLOW"}),
    ):
        assert proxy.post(base + path, body, content_type=_JSON).status_code == 400, path


def test_a_number_is_not_cut_to_another_brokers(proxy: ProxyWorld, base: str) -> None:
    body = {"topic_name": "cut", "replicas_assignments": {"0": [(1 << 32) + 1]}}
    assert proxy.post(f"{base}/topics", body, content_type=_JSON).status_code == 400

"""Configs of topics, brokers and all brokers: read, set, reset, many at a time."""

from __future__ import annotations

from typing import Any

from support.rest_proxy_world import ProxyWorld

_JSON = "application/json"


def _put(proxy: ProxyWorld, path: str, value: Any) -> tuple[int, int | None]:
    answer = proxy.call("PUT", path, {"value": value}, content_type=_JSON)
    return answer.status_code, answer.json()["error_code"] if answer.content else None


def test_a_topics_config(proxy: ProxyWorld, base: str, topic: str, cluster_id: str) -> None:
    path = f"{base}/topics/{topic}/configs"
    before = proxy.get(f"{path}/retention.ms").json()
    assert (before["is_default"], before["source"]) == (True, "DEFAULT_CONFIG")
    assert _put(proxy, f"{path}/retention.ms", "1234") == (204, None)
    assert proxy.get(f"{path}/retention.ms").json() == {
        "kind": "KafkaTopicConfig",
        "metadata": {
            "self": f"http://proxy:8082{path}/retention.ms",
            "resource_name": f"crn:///kafka={cluster_id}/topic={topic}/config=retention.ms",
        },
        "cluster_id": cluster_id,
        "topic_name": topic,
        "name": "retention.ms",
        "value": "1234",
        "is_default": False,
        "is_read_only": False,
        "is_sensitive": False,
        "source": "DYNAMIC_TOPIC_CONFIG",
        "synonyms": [{"name": "retention.ms", "value": "1234", "source": "DYNAMIC_TOPIC_CONFIG"}],
    }
    assert proxy.delete(f"{path}/retention.ms").status_code == 204
    assert proxy.get(f"{path}/retention.ms").json() == before
    names = [config["name"] for config in proxy.get(path).json()["data"]]
    assert names == sorted(names)
    assert "retention.ms" in names


def test_what_is_refused(proxy: ProxyWorld, base: str, topic: str) -> None:
    path = f"{base}/topics/{topic}/configs"
    assert _put(proxy, f"{path}/retention.ms", "soon") == (400, 40002)
    assert _put(proxy, f"{path}/retention.ms", None) == (400, 40002)
    assert _put(proxy, f"{path}/no.such.config", "1") == (404, 404)
    assert _put(proxy, f"{base}/topics/nobody/configs/retention.ms", "1") == (404, 40403)
    assert proxy.get(f"{path}/no.such.config").json()["error_code"] == 404


def test_several_at_once(proxy: ProxyWorld, base: str, topic: str) -> None:
    path = f"{base}/topics/{topic}/configs"
    changes = [{"name": "cleanup.policy", "value": "compact"}, {"name": "retention.ms", "value": 5}]
    assert proxy.post(f"{path}:alter", {"data": changes}, content_type=_JSON).status_code == 204
    assert proxy.get(f"{path}/cleanup.policy").json()["value"] == "compact"
    tried = [{"name": "cleanup.policy", "operation": "DELETE"}]
    assert proxy.post(f"{path}:alter", {"data": tried, "validate_only": True}, content_type=_JSON).status_code == 204
    assert proxy.get(f"{path}/cleanup.policy").json()["value"] == "compact"
    assert proxy.post(f"{path}:alter", {"data": tried}, content_type=_JSON).status_code == 204
    assert proxy.get(f"{path}/cleanup.policy").json()["value"] == "delete"
    unknown = [{"name": "retention.ms", "value": 6}, {"name": "no.such.config", "value": "1"}]
    assert proxy.post(f"{path}:alter", {"data": unknown}, content_type=_JSON).json()["error_code"] == 404
    assert proxy.get(f"{path}/retention.ms").json()["value"] == "5"


def test_several_topics_at_once(proxy: ProxyWorld, base: str, topic: str) -> None:
    changes = [{"name": "retention.ms", "value": "7"}]
    good = {"topic_name": topic, "configs": changes}
    bad = {"topic_name": "nobody", "configs": changes}
    path = f"{base}/topics/-/configs"
    assert proxy.post(f"{path}:alter", {"data": [good]}, content_type=_JSON).status_code == 204
    partly = proxy.post(f"{path}:alter", {"data": [bad, good]}, content_type=_JSON)
    assert partly.status_code == 207
    assert [(each["topic_name"], each["error_code"]) for each in partly.json()["failures"]] == [("nobody", 40403)]
    found = proxy.get(path).json()["data"]
    assert [each["value"] for each in found if (each["topic_name"], each["name"]) == (topic, "retention.ms")] == ["7"]


def test_a_brokers_config(proxy: ProxyWorld, base: str) -> None:
    path = f"{base}/brokers/1/configs"
    assert _put(proxy, f"{path}/log.cleaner.threads", "2") == (204, None)
    found = proxy.get(f"{path}/log.cleaner.threads").json()
    assert (found["value"], found["source"], found["broker_id"]) == ("2", "DYNAMIC_BROKER_CONFIG", 1)
    assert found in proxy.get(path).json()["data"]
    assert found in proxy.get(f"{base}/brokers/-/configs").json()["data"]
    assert proxy.delete(f"{path}/log.cleaner.threads").status_code == 204
    assert proxy.get(f"{base}/brokers/7/configs").json()["error_code"] == 404


def test_what_holds_for_all_brokers(proxy: ProxyWorld, base: str) -> None:
    path = f"{base}/broker-configs"
    before = proxy.get(path).json()
    assert before["kind"] == "KafkaClusterConfigList"
    assert {each["source"] for each in before["data"]} <= {"DYNAMIC_DEFAULT_BROKER_CONFIG"}
    changes = [{"name": "log.cleaner.threads", "value": 2}, {"name": "message.max.bytes", "value": "2000000"}]
    tried = {"data": changes, "validate_only": True}
    assert proxy.post(f"{path}:alter", tried, content_type=_JSON).status_code == 204
    assert proxy.get(path).json() == before
    assert proxy.post(f"{path}:alter", {"data": changes}, content_type=_JSON).status_code == 204
    found = [each for each in proxy.get(path).json()["data"] if each not in before["data"]]
    assert [(each["name"], each["value"], each["source"]) for each in found] == [
        ("log.cleaner.threads", "2", "DYNAMIC_DEFAULT_BROKER_CONFIG"),
        ("message.max.bytes", "2000000", "DYNAMIC_DEFAULT_BROKER_CONFIG"),
    ]
    assert _put(proxy, f"{path}/message.max.bytes", "3000000") == (204, None)
    assert proxy.get(f"{path}/message.max.bytes").json()["value"] == "3000000"
    assert _put(proxy, f"{path}/message.max.bytes", "many") == (400, 40002)
    assert _put(proxy, f"{path}/message.max.bytes", None) == (400, 40002)
    for each in ("log.cleaner.threads", "message.max.bytes"):
        assert proxy.delete(f"{path}/{each}").status_code == 204
    assert proxy.get(path).json() == before
    assert proxy.get(f"{path}/no.such.config").json()["error_code"] == 404

"""Names of endpoints for `api.endpoints.allowlist` and `api.endpoints.blocklist`.

The original names them `api.v3.topics.delete`; a name with `.*` at its end means all that begin so. The name follows
from method and path here: the group is the path's last word that is not a `{segment}`, the action follows the method.
Besides names, the lists take paths as the description shows them, with or without the method before.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from riacho.web.endpoint import Endpoint

_ACTIONS = {"POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
# Where the original's word is not the path's.
_GROUPS = {
    "topics/configs": "topic-configs",
    "brokers/configs": "broker-configs",
    "broker-configs": "cluster-configs",
    "topics/partitions": "partitions",
    "partitions/replicas": "replicas",
    "brokers/partition-replicas": "replicas",
    "partitions/reassignment": "reassignments",
    "topics/records": "produce",
    "topics/records:batch": "batch-produce",
    "consumer-groups/consumers": "consumers",
    "consumer-groups/lags": "consumer-lags",
    "consumer-groups/lag-summary": "consumer-group-lag-summary",
    "consumers/assignments": "consumer-assignments",
}


def is_served(endpoint: Endpoint, *, allowlist: AbstractSet[str], blocklist: AbstractSet[str]) -> bool:
    names = _all_names(endpoint)
    return (not allowlist or bool(names & allowlist)) and not names & blocklist


def endpoint_name(endpoint: Endpoint) -> str:
    segments = endpoint.path.strip("/").split("/")
    version = "v3" if segments[0] == "v3" else "v2"
    words = [word for word in segments if not word.startswith("{") and word not in ("v3", "clusters", "-")]
    if version == "v2":
        return f"api.v2.{_v2_group(endpoint, words)}.{_action(endpoint)}"
    if words[-1:] == ["partitions"] and words[-2] in ("lags", "assignments"):
        words.pop()
    words = words or ["clusters"]
    pair = "/".join(words[-2:]).removesuffix(":alter")
    last = words[-1].partition(":")[0]
    return f"api.v3.{_GROUPS.get(pair, _GROUPS.get(last, last))}.{_action(endpoint)}"


def _v2_group(endpoint: Endpoint, words: list[str]) -> str:
    if endpoint.method == "POST" and words[:1] == ["topics"]:
        return "produce-to-partition" if "partitions" in words else "produce-to-topic"
    if words[:1] == ["consumers"]:
        return "consumers"
    return words[-1] if words and words[-1] else "root"


def _action(endpoint: Endpoint) -> str:
    if "/records" in endpoint.path and "v3" in endpoint.path:
        return "consume-from-topic" if endpoint.method == "GET" else "produce-to-topic"
    if endpoint.method == "GET":
        return "get" if endpoint.path.endswith("}") else "list"
    if endpoint.path.endswith(":alter"):
        return "alter"
    return _ACTIONS.get(endpoint.method, endpoint.method.lower())


def _all_names(endpoint: Endpoint) -> set[str]:
    name = endpoint_name(endpoint)
    parts = name.split(".")
    groups = {".".join(parts[:count]) + ".*" for count in range(1, len(parts))}
    return {name, *groups, endpoint.path, f"{endpoint.method} {endpoint.path}"}

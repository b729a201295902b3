"""Which answers of the control center are timed: every GET that needs no service beside the brokers."""

from __future__ import annotations

from typing import NamedTuple

from bench.console_others import OPEN_ID, SHARE_GROUP, TOPIC
from bench.console_world import group_name

_CLUSTER = "/api/v1/clusters/default"
_TOPIC = f"{_CLUSTER}/topics/{TOPIC}"
RATE = 25


class Answer(NamedTuple):
    """`rate`: requests a second."""

    path: str
    rate: float = RATE


# The first come from the last look; what follows them asks brokers.
ANSWERS = {
    "page": Answer("/"),
    "who is calling": Answer("/api/v1/me"),
    "clusters": Answer("/api/v1/clusters"),
    "audit log": Answer("/api/v1/audit"),
    "overview": Answer(f"{_CLUSTER}/overview"),
    "topics, first page": Answer(f"{_CLUSTER}/topics"),
    "topics by lag, last page": Answer(f"{_CLUSTER}/topics?sort=-lag&page=200"),
    "topics, 500 a page": Answer(f"{_CLUSTER}/topics?page_size=500"),
    "topics with a text in their names": Answer(f"{_CLUSTER}/topics?q=orders.seen"),
    "topics as a tree": Answer(f"{_CLUSTER}/topics-tree"),
    "one topic's partitions": Answer(f"{_TOPIC}/partitions"),
    "one topic's groups": Answer(f"{_TOPIC}/consumers"),
    "groups, first page": Answer(f"{_CLUSTER}/groups"),
    "groups by lag": Answer(f"{_CLUSTER}/groups?sort=-lag"),
    "groups with a text in their ids": Answer(f"{_CLUSTER}/groups?q=web-reader-01"),
    "brokers": Answer(f"{_CLUSTER}/brokers"),
    "one broker's replicas": Answer(f"{_CLUSTER}/brokers/1/replicas"),
    "one broker's replicas, by size": Answer(f"{_CLUSTER}/brokers/1/replicas?sort=-size_bytes&page=100"),
    "alerts, rules": Answer(f"{_CLUSTER}/alerts"),
    "alerts, firing": Answer(f"{_CLUSTER}/alerts/firing"),
    "metrics, names": Answer(f"{_CLUSTER}/metrics"),
    "metrics, an hour of six series": Answer(
        f"{_CLUSTER}/metrics?" + "&".join(f"series={name}" for name in (
            "bytes_in_per_s", "bytes_out_per_s", "messages_in_per_s", "requests_per_s", "lag", "under_replicated"
        ))
    ),
    "metrics, a day of topics": Answer(f"{_CLUSTER}/metrics?series=topic_bytes_in_per_s&from=0"),
    "flow map of all": Answer(f"{_CLUSTER}/flow", 2),
    "flow around one topic": Answer(f"{_CLUSTER}/flow?topic={TOPIC}"),
    "one topic": Answer(_TOPIC),
    "one topic's settings": Answer(f"{_TOPIC}/config"),
    "one topic's access control": Answer(f"{_TOPIC}/acls"),
    "one topic's producers": Answer(f"{_TOPIC}/producers"),
    "latest messages": Answer(f"{_TOPIC}/messages?limit=50"),
    "one message": Answer(f"{_TOPIC}/messages/0/0"),
    "one group": Answer(f"{_CLUSTER}/groups/{group_name(77)}"),
    "one share group": Answer(f"{_CLUSTER}/groups/{SHARE_GROUP}"),
    "one broker": Answer(f"{_CLUSTER}/brokers/1"),
    "settings of all brokers": Answer(f"{_CLUSTER}/broker-defaults"),
    "moves": Answer(f"{_CLUSTER}/reassignments"),
    "throttles": Answer(f"{_CLUSTER}/reassignments/throttle"),
    "transactions": Answer(f"{_CLUSTER}/transactions"),
    "one transaction": Answer(f"{_CLUSTER}/transactions/{OPEN_ID}"),
    "access control": Answer(f"{_CLUSTER}/acls"),
    "users": Answer(f"{_CLUSTER}/users"),
    "quotas": Answer(f"{_CLUSTER}/quotas"),
}  # fmt: skip

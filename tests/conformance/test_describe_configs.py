"""DescribeConfigs and changes of settings, side by side with Apache Kafka: every field of every entry must agree.

Both brokers run with the same settings. What differs by design is listed in `OURS`; documentation is our own wording.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.raw import RawConnection
from conformance.running_broker import run
from riacho.metadata.image.config_resource import ResourceType
from support.apache_kafka import available

TOPIC, BROKER, GROUP, METRICS = ResourceType.TOPIC, ResourceType.BROKER, ResourceType.GROUP, ResourceType.CLIENT_METRICS
SET, DELETE, APPEND, SUBTRACT = range(4)

# Addresses, directories and the ways to name the quorum are each broker's own.
OURS = {
    "advertised.listeners",
    "controller.listener.names",
    "controller.quorum.bootstrap.servers",
    "controller.quorum.voters",
    "listener.security.protocol.map",
    "listeners",
    "log.dir",
    "log.dirs",
    "node.id",
    "process.roles",
    "share.coordinator.state.topic.min.isr",
    "share.coordinator.state.topic.replication.factor",
}
Entry = dict[str, Any]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RawConnection, RawConnection]]:
    """(Apache Kafka, Riacho), each with a topic `a`."""
    reason = available()
    if reason:
        pytest.skip(f"no Apache Kafka beside us: {reason}")
    apache_home, riacho_home = tmp_path_factory.mktemp("apache"), tmp_path_factory.mktemp("riacho")
    with (
        run("apache", apache_home) as apache,
        run("riacho", riacho_home) as riacho,
        RawConnection(apache.address) as first,
        RawConnection(riacho.address) as second,
    ):
        for connection in (first, second):
            topic = {"name": "a", "num_partitions": 1, "replication_factor": 1}
            told = connection.ask("CreateTopics", 7, topics=[topic], timeout_ms=30_000)
            assert told.topics[0].error_code == 0
        yield first, second


def describe(connection: RawConnection, kind: int, name: str) -> tuple[int, str | None, dict[str, Entry]]:
    resource = {"resource_type": kind, "resource_name": name, "configuration_keys": None}
    response = connection.ask("DescribeConfigs", 4, resources=[resource], include_synonyms=True)
    (result,) = response.results
    return result.error_code, result.error_message, {entry.name: _plain(entry) for entry in result.configs}


def _plain(entry: Any) -> Entry:
    return {
        "value": entry.value,
        "read_only": entry.read_only,
        "source": entry.config_source,
        "sensitive": entry.is_sensitive,
        "type": entry.config_type,
        "synonyms": [(synonym.name, synonym.value, synonym.source) for synonym in entry.synonyms],
    }


def assert_same(pair: tuple[RawConnection, RawConnection], kind: int, name: str) -> None:
    (apache_code, apache_message, apache), (our_code, our_message, ours) = (describe(each, kind, name) for each in pair)
    assert (our_code, our_message) == (apache_code, apache_message)
    own = {each for each in ours if each.startswith("riacho.") or each == "cluster.id"}
    assert set(ours) - own - OURS == set(apache) - OURS
    for key in set(apache) - OURS:
        assert ours[key] == apache[key], key


@pytest.mark.parametrize(("kind", "name"), [(TOPIC, "a"), (BROKER, "1"), (BROKER, ""), (GROUP, "g"), (METRICS, "m")])
def test_every_setting_of_a_fresh_broker(pair: tuple[RawConnection, RawConnection], kind: int, name: str) -> None:
    assert_same(pair, kind, name)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(TOPIC, "none"), (TOPIC, ""), (TOPIC, "b d"), (BROKER, "2"), (BROKER, "x"), (GROUP, ""), (METRICS, "")],
)
def test_resources_that_are_not_there(pair: tuple[RawConnection, RawConnection], kind: int, name: str) -> None:
    assert_same(pair, kind, name)


CHANGES: list[tuple[int, str, list[tuple[str, int, str | None]]]] = [
    (TOPIC, "a", [("retention.ms", SET, " 5000 ")]),
    (TOPIC, "a", [("retention.ms", SET, None)]),
    (TOPIC, "a", [("retention.ms", SET, "x")]),
    (TOPIC, "a", [("bogus", SET, "x")]),
    (TOPIC, "none", [("retention.ms", SET, "5")]),
    (TOPIC, "", [("retention.ms", SET, "5")]),
    (TOPIC, "a", [("cleanup.policy", APPEND, "compact")]),
    (TOPIC, "a", [("cleanup.policy", APPEND, "bad")]),
    (TOPIC, "a", [("cleanup.policy", SUBTRACT, "delete")]),
    (TOPIC, "a", [("retention.ms", APPEND, "5")]),
    (TOPIC, "a", [("segment.ms", SET, "50"), ("segment.ms", DELETE, None)]),
    (TOPIC, "a", [("min.cleanable.dirty.ratio", SET, "1")]),
    (TOPIC, "a", [("min.compaction.lag.ms", SET, "9"), ("max.compaction.lag.ms", SET, "3")]),
    (BROKER, "1", [("num.partitions", SET, "5")]),
    (BROKER, "", [("log.retention.ms", SET, "7000000")]),
    (BROKER, "1", [("log.retention.ms", SET, "8000000")]),
    (BROKER, "", [("num.io.threads", SET, "0")]),
    (BROKER, "", [("ssl.keystore.location", SET, "7")]),
    (BROKER, "", [("my.own.key", SET, "7")]),
    (BROKER, "", [("leader.replication.throttled.rate", SET, "7")]),
    (BROKER, "x", [("num.io.threads", SET, "7")]),
    (GROUP, "g", [("consumer.session.timeout.ms", SET, "46000")]),
    (GROUP, "g", [("consumer.session.timeout.ms", SET, "1")]),
    (GROUP, "g", [("bogus", SET, "1")]),
    (METRICS, "m", [("interval.ms", SET, "1000"), ("match", SET, "client_id=x")]),
    (METRICS, "m", [("interval.ms", SET, "1")]),
    (METRICS, "m", [("match", SET, "zz=x")]),
    (77, "m", [("match", SET, "zz=x")]),
]


def test_changes_and_what_becomes_of_them(pair: tuple[RawConnection, RawConnection]) -> None:
    for kind, name, changes in CHANGES:
        told = []
        for connection in pair:
            configs = [
                {"name": key, "config_operation": operation, "value": value} for key, operation, value in changes
            ]
            resource = {"resource_type": kind, "resource_name": name, "configs": configs}
            (response,) = connection.ask("IncrementalAlterConfigs", 1, resources=[resource]).responses
            told.append((response.error_code, response.error_message))
        assert told[1] == told[0], (kind, name, changes)
    for kind, name in ((TOPIC, "a"), (GROUP, "g"), (METRICS, "m"), (BROKER, "1"), (BROKER, "")):
        assert_same(pair, kind, name)


REFUSED_TOPICS: list[dict[str, Any]] = [
    {"name": ".", "num_partitions": 1, "replication_factor": 1},
    {"name": "x" * 250, "num_partitions": 1, "replication_factor": 1},
    {"name": "b d", "num_partitions": 1, "replication_factor": 1},
    {"name": "a", "num_partitions": 1, "replication_factor": 1},
    {"name": "p", "num_partitions": 0, "replication_factor": 1},
    {"name": "p", "num_partitions": 1, "replication_factor": 0},
    {"name": "p", "num_partitions": 1, "replication_factor": 2},
    {"name": "p", "num_partitions": 1, "replication_factor": 1, "configs": [{"name": "bogus", "value": "1"}]},
    {"name": "p", "num_partitions": 1, "replication_factor": 1, "configs": [{"name": "retention.ms", "value": None}]},
    {
        "name": "p",
        "num_partitions": -1,
        "replication_factor": -1,
        "assignments": [{"partition_index": 1, "broker_ids": [1]}],
    },
    {
        "name": "p",
        "num_partitions": 1,
        "replication_factor": -1,
        "assignments": [{"partition_index": 0, "broker_ids": [1]}],
    },
]


@pytest.mark.parametrize("topic", REFUSED_TOPICS)
def test_topics_are_refused_in_the_same_words(pair: tuple[RawConnection, RawConnection], topic: dict[str, Any]) -> None:
    told = []
    for connection in pair:
        response = connection.ask("CreateTopics", 7, topics=[topic], timeout_ms=30_000)
        told.append([(each.name, each.error_code, each.error_message) for each in response.topics])
    assert told[1] == told[0]


def test_a_new_topics_settings_come_back_the_same(pair: tuple[RawConnection, RawConnection]) -> None:
    topic = {
        "name": "fresh",
        "num_partitions": 2,
        "replication_factor": 1,
        "configs": [{"name": "segment.bytes", "value": " 2097152 "}],
    }
    told = []
    for connection in pair:
        (result,) = connection.ask("CreateTopics", 7, topics=[topic], timeout_ms=30_000, validate_only=True).topics
        entries = {
            each.name: (each.value, each.read_only, each.config_source, each.is_sensitive)
            for each in result.configs
            if each.name not in OURS
        }
        told.append((result.error_code, result.num_partitions, result.replication_factor, entries))
    apache, ours = told
    assert ours[:3] == apache[:3]
    assert set(ours[3]) == set(apache[3])
    for name in apache[3]:
        assert ours[3][name] == apache[3][name], name

"""Mirrors without clusters: names, patterns, records byte for byte, and the translation of offsets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from riacho.pipelines.connectors.mirror.policy import TOPICS_EXCLUDE, ReplicationPolicy, wants
from riacho.pipelines.connectors.mirror.records import Checkpoint, Heartbeat, OffsetSync
from riacho.pipelines.connectors.mirror.settings import policy_of, source_cluster, target_cluster
from riacho.pipelines.connectors.mirror.source import MirrorSourceConnector
from riacho.pipelines.connectors.mirror.syncs import OffsetSyncs
from riacho.pipelines.connectors.mirror.ticks import TickStreamReader
from riacho.pipelines.connectors.mirror.topics import sync_topics
from riacho.pipelines.plugin import Context, SourceOffset


def test_names_and_patterns_of_both_policies() -> None:
    policy = ReplicationPolicy("west", "east")
    assert policy.remote("orders") == "west.orders"
    assert (policy.offset_syncs(), policy.checkpoints()) == (
        "mm2-offset-syncs.east.internal",
        "west.checkpoints.internal",
    )
    exclude = TOPICS_EXCLUDE.split(",")
    pattern = policy.subscribe_pattern([".*"], exclude)
    names = ("orders", "east.orders", "north.orders", "__consumer_offsets", "mm2-offset-syncs.x.internal", "a.replica")
    assert [name for name in names if re.fullmatch(pattern, name)] == ["orders", "north.orders"]
    identity = ReplicationPolicy("west", "east", keeps_names=True)
    assert (identity.remote("orders"), identity.remote("heartbeats")) == ("orders", "west.heartbeats")
    assert wants("orders", ["ord.*"], ["orders2"])
    assert not wants("orders2", ["ord.*"], ["orders2"])


def test_records_are_those_of_mirrormaker() -> None:
    sync = OffsetSync("t", 1, 5, 3)
    assert sync.key() == b"\x00\x01t\x00\x00\x00\x01"
    assert sync.value() == b"\x00" * 7 + b"\x05" + b"\x00" * 7 + b"\x03"
    assert OffsetSync.parse(sync.key(), sync.value()) == sync
    checkpoint = Checkpoint("g", "west.t", 2, 10, 8, "m")
    assert checkpoint.value()[:2] == b"\x00\x00"
    assert Checkpoint.parse(checkpoint.key(), checkpoint.value()) == checkpoint
    assert Heartbeat("a", "b", 1).value() == b"\x00\x00" + b"\x00" * 7 + b"\x01"
    for key, value in ((b"", b""), (b"\x00\x09t", b"x"), (sync.key(), b"x")):
        with pytest.raises(ValueError, match=r"."):
            OffsetSync.parse(key, value)


def test_translation_never_goes_beyond_what_was_read() -> None:
    syncs = OffsetSyncs()
    for upstream, downstream in ((10, 0), (20, 9), (30, 19)):
        syncs.add(OffsetSync("t", 0, upstream, downstream))
    found = {upstream: syncs.translate("t", 0, upstream) for upstream in (9, 10, 15, 20, 29, 30, 99)}
    assert found == {9: None, 10: 0, 15: 1, 20: 9, 29: 10, 30: 19, 99: 20}
    assert syncs.reaches("t", 0, 30)
    assert not syncs.reaches("t", 0, 31)
    assert syncs.translate("t", 1, 10) is None
    syncs.add(OffsetSync("t", 0, 0, 25))
    assert syncs.translate("t", 0, 30) == 26, "the topic was made anew"


class _Fake:
    """A cluster that remembers what was asked of it."""

    def __init__(self, topics: Mapping[str, int], configs: Mapping[str, dict[str, str]]) -> None:
        self._topics = topics
        self._configs = configs
        self.asked: list[tuple[Any, ...]] = []

    def topics(self) -> Mapping[str, int]:
        return self._topics

    def brokers(self) -> int:
        return 1

    def configs(self, topics: Sequence[str]) -> dict[str, dict[str, str]]:
        return {topic: self._configs.get(topic, {}) for topic in topics}

    def create(self, *words: Any) -> None:
        self.asked.append(("create", *words))

    def grow(self, *words: Any) -> None:
        self.asked.append(("grow", *words))

    def alter(self, *words: Any) -> None:
        self.asked.append(("alter", *words))


def test_topics_are_made_grown_and_altered() -> None:
    source = _Fake({}, {"new": {"retention.ms": "5", "min.insync.replicas": "2"}, "old": {"retention.ms": "6"}})
    target = _Fake({"w.old": 1, "w.same": 2}, {"w.old": {"retention.ms": "1", "own": "x"}})
    topics = {"new": 4, "old": 3, "same": 2}
    policy = ReplicationPolicy("w", "e")
    sync_topics(source, target, policy, topics, 3, {"min.insync.replicas"}, True)  # type: ignore[arg-type]
    assert target.asked == [
        ("create", "w.new", 4, 1, {"retention.ms": "5"}),
        ("grow", "w.old", 3),
        ("alter", "w.old", {"retention.ms": "6"}),
    ]


def test_settings_of_the_two_clusters_and_offsets_in_mirrormakers_form() -> None:
    configs = {"source.cluster.alias": "w", "source.cluster.bootstrap.servers": "a:1", "topics": "x"}
    configs |= {"source.cluster.security.protocol": "SASL_SSL"}
    context = Context("m", configs, "b:2", {"client.id": "me"})
    settings = MirrorSourceConnector.CONFIG.parse(configs)
    assert source_cluster(settings, context).client == {"bootstrap.servers": "a:1", "security.protocol": "SASL_SSL"}
    assert target_cluster(settings, context).client == {"bootstrap.servers": "b:2", "client.id": "me"}
    assert policy_of(settings) == ReplicationPolicy("w", "target")
    found = MirrorSourceConnector(settings, context).source_offsets({"x": {"0": 5, "1": 0}})
    assert found == [SourceOffset({"cluster": "w", "partition": 0, "topic": "x"}, {"offset": 4})]


def test_ticks_differ_and_keep_their_distance() -> None:
    reader = TickStreamReader(3_600_000)
    first = reader.latestOffset({"at_ms": 1 << 60}, ReadAllAvailable())
    assert first == {"at_ms": (1 << 60) + 1}, "the clock was set back"
    assert reader.latestOffset(first, ReadAllAvailable()) == first
    (part,) = reader.partitions({"at_ms": 0}, first)
    assert list(reader.read(part)) == [(first["at_ms"],)]

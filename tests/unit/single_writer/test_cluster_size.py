"""How many copies a service's topic gets: brokers that start with it are waited for, those that are down are not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from riacho.single_writer import cluster_size
from riacho.single_writer.cluster_size import copies, described_cluster

THREE = {"bootstrap.servers": "127.0.0.1:9092, 127.0.0.1:9094,127.0.0.1:9096,"}


class Growing:
    """A cluster that has one more broker each time it is looked at, up to a limit."""

    def __init__(self, limit: int, *topics: str) -> None:
        self.looks = 0
        self._limit = limit
        self._topics = dict.fromkeys(topics)

    def list_topics(self, timeout: float) -> Any:
        self.looks += 1
        return SimpleNamespace(brokers=dict.fromkeys(range(min(self.looks, self._limit))), topics=self._topics)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_size, "_AGAIN_S", 0.0)


def _described(cluster: Growing, settings: dict[str, Any], wanted: int, timeout_s: float = 600.0) -> Any:
    return described_cluster(cast(Any, cluster), settings, wanted, timeout_s, ["log"])


def test_all_brokers_that_were_named_are_waited_for() -> None:
    cluster = Growing(3)
    known = _described(cluster, THREE, 3)
    assert (len(known.brokers), cluster.looks) == (3, 3)
    assert copies(known, 3, "log") == 3


@pytest.mark.parametrize(
    ("settings", "wanted", "looks"),
    [
        (THREE, 2, 2),
        (THREE, 1, 1),
        ({"bootstrap.servers": "127.0.0.1:9092"}, 3, 1),
        ({"bootstrap.servers": "a:1,a:1"}, 3, 1),
        ({}, 3, 1),
    ],
)
def test_no_more_than_are_wanted_and_were_named(settings: dict[str, Any], wanted: int, looks: int) -> None:
    cluster = Growing(3)
    _described(cluster, settings, wanted)
    assert cluster.looks == looks


def test_a_topic_that_is_there_waits_for_no_broker() -> None:
    cluster = Growing(2, "log")
    _described(cluster, THREE, 3)
    assert cluster.looks == 1


def test_after_a_while_those_that_are_there_must_do(caplog: pytest.LogCaptureFixture) -> None:
    known = _described(Growing(2), THREE, 3, timeout_s=0.0)
    assert copies(known, 3, "log") in (1, 2)
    assert "fewer replicas topic=log wanted=3" in caplog.text


def test_there_is_always_one_copy() -> None:
    assert copies(cast(Any, SimpleNamespace(brokers={}, topics={})), 3, "log") == 1

"""What a worker process keeps for its next task, and what it must not: nothing is connected to here."""

from __future__ import annotations

import pytest

from riacho.client.settings import client_settings
from riacho.pipelines.source.kept_clusters import AGE_S_MAX, KEPT_MAX, LEADERS_MAX, KeptCluster, KeptClusters, Leader

SETTINGS = client_settings("127.0.0.1:9092", {})
OPTIONS = {"kafka.bootstrap.servers": "127.0.0.1:9092", "subscribe": "t"}
LEADER = Leader(b"id", 1)


class Process:
    now_s = 100.0
    id = 7

    def kept(self) -> KeptClusters:
        return KeptClusters(lambda: self.now_s, lambda: self.id)


def used(clusters: KeptClusters, options: dict[str, str]) -> KeptCluster:
    with clusters.borrowed(options, SETTINGS) as kept:
        kept.learn(("t", 0), LEADER)
    return kept


def test_the_next_task_with_the_same_client_settings_gets_it() -> None:
    clusters = Process().kept()
    first = used(clusters, OPTIONS)
    assert used(clusters, OPTIONS | {"subscribe": "u", "startingOffsets": "earliest"}) is first
    assert used(clusters, OPTIONS | {"kafka.client.id": "other"}) is not first
    assert first.leaders == {("t", 0): LEADER}


def test_no_two_tasks_share_one() -> None:
    clusters = Process().kept()
    with clusters.borrowed(OPTIONS, SETTINGS) as one, clusters.borrowed(OPTIONS, SETTINGS) as other:
        assert one is not other
    with clusters.borrowed(OPTIONS, SETTINGS) as again:
        assert again in (one, other)


def test_a_task_that_failed_leaves_nothing_behind() -> None:
    clusters = Process().kept()
    first = used(clusters, OPTIONS)
    with pytest.raises(ZeroDivisionError), clusters.borrowed(OPTIONS, SETTINGS):
        raise ZeroDivisionError
    assert first.leaders == {}, "closed"
    assert used(clusters, OPTIONS) is not first


def test_a_forked_process_has_none_of_its_parents() -> None:
    process = Process()
    clusters = process.kept()
    first = used(clusters, OPTIONS)
    process.id = 8
    assert used(clusters, OPTIONS) is not first
    assert first.leaders == {("t", 0): LEADER}, "the parent uses it still"


def test_what_was_long_unused_is_closed() -> None:
    process = Process()
    clusters = process.kept()
    first = used(clusters, OPTIONS)
    process.now_s += AGE_S_MAX
    assert used(clusters, OPTIONS) is first
    process.now_s += AGE_S_MAX + 1
    assert used(clusters, OPTIONS) is not first
    assert first.leaders == {}, "closed"


def test_few_are_kept() -> None:
    clusters = Process().kept()
    several = [used(clusters, OPTIONS | {"kafka.client.id": str(number)}) for number in range(KEPT_MAX + 1)]
    assert [bool(kept.leaders) for kept in several] == [False] + [True] * KEPT_MAX
    first = several[1]
    for partition in range(LEADERS_MAX + 1):
        first.learn(("t", partition), LEADER)
    assert len(first.leaders) <= LEADERS_MAX

"""What a worker process keeps for its next task, and what it must not: nothing is connected to here."""

from __future__ import annotations

import pytest

from riacho.client.settings import client_settings
from riacho.pipelines.source.cluster_pool import AGE_S_MAX, IDLE_MAX, LEADERS_MAX, ClusterPool, Leader, PooledCluster

SETTINGS = client_settings("127.0.0.1:9092", {})
OPTIONS = {"kafka.bootstrap.servers": "127.0.0.1:9092", "subscribe": "t"}
LEADER = Leader(b"id", 1)


class Process:
    now_s = 100.0
    id = 7

    def pool(self) -> ClusterPool:
        return ClusterPool(lambda: self.now_s, lambda: self.id)


def used(pool: ClusterPool, options: dict[str, str]) -> PooledCluster:
    with pool.borrowed(options, SETTINGS) as pooled:
        pooled.learn(("t", 0), LEADER)
    return pooled


def test_the_next_task_with_the_same_client_settings_gets_it() -> None:
    pool = Process().pool()
    first = used(pool, OPTIONS)
    assert used(pool, OPTIONS | {"subscribe": "u", "startingOffsets": "earliest"}) is first
    assert used(pool, OPTIONS | {"kafka.client.id": "other"}) is not first
    assert first.leaders == {("t", 0): LEADER}


def test_no_two_tasks_share_one() -> None:
    pool = Process().pool()
    with pool.borrowed(OPTIONS, SETTINGS) as one, pool.borrowed(OPTIONS, SETTINGS) as other:
        assert one is not other
    with pool.borrowed(OPTIONS, SETTINGS) as again:
        assert again in (one, other)


def test_a_task_that_failed_leaves_nothing_behind() -> None:
    pool = Process().pool()
    first = used(pool, OPTIONS)
    with pytest.raises(ZeroDivisionError), pool.borrowed(OPTIONS, SETTINGS):
        raise ZeroDivisionError
    assert first.leaders == {}, "closed"
    assert used(pool, OPTIONS) is not first


def test_a_forked_process_has_none_of_its_parents() -> None:
    process = Process()
    pool = process.pool()
    first = used(pool, OPTIONS)
    process.id = 8
    assert used(pool, OPTIONS) is not first
    assert first.leaders == {("t", 0): LEADER}, "the parent uses it still"


def test_what_was_long_unused_is_closed() -> None:
    process = Process()
    pool = process.pool()
    first = used(pool, OPTIONS)
    process.now_s += AGE_S_MAX
    assert used(pool, OPTIONS) is first
    process.now_s += AGE_S_MAX + 1
    assert used(pool, OPTIONS) is not first
    assert first.leaders == {}, "closed"


def test_few_are_kept() -> None:
    pool = Process().pool()
    several = [used(pool, OPTIONS | {"kafka.client.id": str(number)}) for number in range(IDLE_MAX + 1)]
    assert [bool(pooled.leaders) for pooled in several] == [False] + [True] * IDLE_MAX
    first = several[1]
    for partition in range(LEADERS_MAX + 1):
        first.learn(("t", partition), LEADER)
    assert len(first.leaders) <= LEADERS_MAX

"""A sink waits for topics that it names and that are not there yet, and says so when they do not come."""

from __future__ import annotations

import pytest

from riacho.pipelines.connect.runner.awaited_topics import await_topics
from riacho.pipelines.plugin import ConnectError, RetriableError


class Cluster:
    """A topic more at every look; each look takes a second."""

    def __init__(self, *topics: str) -> None:
        self.topics = topics
        self.now_s = 0.0

    def existing(self) -> set[str]:
        return set(self.topics[: int(self.now_s)])

    def is_over(self, wait_s: float) -> bool:
        self.now_s += 1
        return False

    def clock(self) -> float:
        return self.now_s


def test_until_all_are_there() -> None:
    cluster = Cluster("a", "b", "c")
    await_topics(["c", "a"], cluster.existing, 10, cluster.is_over, cluster.clock)
    assert cluster.now_s == 3


def test_and_no_longer_than_told() -> None:
    cluster = Cluster("a", "b", "c")
    with pytest.raises(ConnectError, match=r"^Topic 'c' does not exist on this cluster\.$"):
        await_topics(["a", "c"], cluster.existing, 2, cluster.is_over, cluster.clock)


def test_brokers_that_do_not_answer_may_do_so_later() -> None:
    cluster = Cluster("a")
    silent = [RetriableError("The brokers do not answer.")] * 2

    def existing() -> set[str]:
        if silent:
            raise silent.pop()
        return cluster.existing()

    await_topics(["a"], existing, 10, cluster.is_over, cluster.clock)
    silent = [RetriableError("The brokers do not answer.")] * 20
    with pytest.raises(RetriableError, match="do not answer"):
        await_topics(["a"], existing, 3, cluster.is_over, cluster.clock)


def test_not_at_all_when_nobody_wants_to_know() -> None:
    cluster = Cluster()
    await_topics(["a"], cluster.existing, 10, lambda wait_s: True, cluster.clock)
    assert cluster.now_s == 0

"""A parked fetch: woken by an append, by a change of leadership or by its deadline, and answered once."""

from __future__ import annotations

from typing import Any

from riacho.broker.hosted_partition import HostedPartition
from riacho.broker.waiting import ParkedFetch
from support.broker_fakes import HandLoop


class FakeLog:
    def commit_all(self) -> None:
        """Nothing is kept here."""


def partition(index: int) -> HostedPartition:
    return HostedPartition("t", bytes(16), index, FakeLog(), None)  # type: ignore[arg-type]


class Fetch:
    """A parked fetch over two partitions; `response` is what its next attempt finds."""

    def __init__(self) -> None:
        self.loop = HandLoop()
        self.partitions = [partition(0), partition(1)]
        self.attempts: list[bool] = []
        self.response: Any = None
        self.answers: list[Any] = []
        self.parked = ParkedFetch(self.loop, self.partitions, 500, self._attempt)  # type: ignore[arg-type]
        self.parked.deferred.then(self.answers.append)

    def _attempt(self, is_last: bool) -> Any:
        self.attempts.append(is_last)
        return "what there is" if is_last else self.response

    @property
    def is_watching(self) -> bool:
        return any(each.waiting for each in self.partitions)


def test_it_watches_every_partition_until_its_deadline() -> None:
    fetch = Fetch()
    assert [len(each.waiting) for each in fetch.partitions] == [1, 1]
    [deadline] = fetch.loop.timers
    assert deadline.delay_s == 0.5
    deadline.fire()
    assert fetch.attempts == [True]
    assert fetch.answers == ["what there is"]
    assert not fetch.is_watching


def test_an_append_makes_it_look_again() -> None:
    fetch = Fetch()
    fetch.response = "enough"
    fetch.partitions[1].advance()
    assert fetch.answers == [], "not before the end of the turn"
    fetch.loop.turn()
    assert fetch.answers == ["enough"]
    assert fetch.loop.timers[0].is_cancelled
    assert not fetch.is_watching


def test_appends_to_many_partitions_in_a_turn_make_it_look_once() -> None:
    fetch = Fetch()
    for each in fetch.partitions * 3:
        each.advance()
    fetch.loop.turn()
    assert fetch.attempts == [False]


def test_too_little_leaves_it_waiting_for_more() -> None:
    fetch = Fetch()
    for _ in range(2):
        fetch.partitions[0].advance()
        fetch.loop.turn()
    assert fetch.attempts == [False, False]
    assert fetch.answers == []
    assert fetch.is_watching
    fetch.response = "enough"
    fetch.partitions[0].advance()
    fetch.loop.turn()
    assert fetch.answers == ["enough"]


def test_a_change_of_leadership_answers_at_once_with_what_there_is() -> None:
    fetch = Fetch()
    fetch.partitions[0].wake()
    assert fetch.answers == ["what there is"]
    assert not fetch.is_watching


def test_only_the_first_wake_up_counts() -> None:
    fetch = Fetch()
    fetch.response = "enough"
    fetch.partitions[0].advance()
    fetch.partitions[1].wake()
    fetch.loop.turn()
    fetch.parked.complete()
    assert fetch.answers == ["what there is"]


def test_an_abandoned_fetch_reads_no_more() -> None:
    fetch = Fetch()
    fetch.partitions[0].advance()
    fetch.parked.deferred.abandon()
    fetch.loop.turn()
    fetch.parked.complete()
    assert fetch.attempts == []
    assert fetch.answers == []
    assert fetch.loop.timers[0].is_cancelled
    assert not fetch.is_watching

"""Parked requests: woken by an append, a commit, a change of leadership or their deadline, and answered once."""

from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.partitions.purgatory import ParkedFetch, ParkedProduce
from riacho.wire.messages.produce_response import PartitionProduceResponse
from support.broker_fakes import HandLoop


class FakeLog:
    high_watermark = 0

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
        self.parked = ParkedFetch(self.loop, [each.waiting for each in self.partitions], 500, self._attempt)  # type: ignore[arg-type]
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


class Produce:
    """A produce to two partitions that both wait for their commit."""

    def __init__(self, timeout_ms: int = 1_500) -> None:
        self.loop = HandLoop()
        self.partitions = [partition(0), partition(1)]
        self.answers: list[Any] = []
        self.refused: list[tuple[int, ErrorCode]] = []
        self.parked = ParkedProduce(
            self.loop,  # type: ignore[arg-type]
            [(each, 10 + each.index, PartitionProduceResponse(index=each.index)) for each in self.partitions],
            timeout_ms,
            lambda answer, _, code: self.refused.append((answer.index, code)),
            lambda: "response",
        )
        self.parked.deferred.then(self.answers.append)


def test_a_produce_is_answered_when_all_its_partitions_are_committed() -> None:
    produce = Produce()
    produce.partitions[0]._publish(11)
    produce.partitions[1]._publish(11)
    assert produce.answers == []
    produce.partitions[1]._publish(12)
    assert produce.answers == ["response"]
    assert produce.refused == []
    assert produce.loop.timers[0].is_cancelled


def test_a_lost_leader_refuses_its_partition_alone() -> None:
    produce = Produce()
    produce.partitions[0].wake()
    assert produce.answers == []
    produce.partitions[1]._publish(12)
    assert produce.answers == ["response"]
    assert produce.refused == [(0, ErrorCode.NOT_LEADER_OR_FOLLOWER)]


def test_time_refuses_what_is_not_committed_by_then() -> None:
    produce = Produce()
    [deadline] = produce.loop.timers
    assert deadline.delay_s == 1.5
    produce.partitions[0]._publish(11)
    deadline.fire()
    assert produce.answers == ["response"]
    assert produce.refused == [(1, ErrorCode.REQUEST_TIMED_OUT)]
    produce.partitions[1]._publish(99)
    assert produce.answers == ["response"]


def test_an_abandoned_produce_waits_no_more() -> None:
    produce = Produce()
    produce.parked.deferred.abandon()
    for each in produce.partitions:
        each._publish(99)
    assert (produce.answers, produce.refused) == ([], [])
    assert produce.loop.timers[0].is_cancelled

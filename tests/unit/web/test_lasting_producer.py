"""What follows a producer that a fatal error ended, and when."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from riacho.base.config import ConfigError
from riacho.web.lasting_producer import LastingProducer

NOT_ALLOWED = KafkaError(KafkaError.CLUSTER_AUTHORIZATION_FAILED, "you may not write", fatal=True)
UNKNOWN = KafkaException(KafkaError(KafkaError._FATAL, "Unable to produce message: Local: Fatal error"))
PURGED = KafkaError(KafkaError._PURGE_QUEUE, "Purged in queue")
TIMED_OUT = KafkaError(KafkaError._MSG_TIMED_OUT, "Message timed out")


class FakeProducer:
    def __init__(self) -> None:
        self.to_raise: list[KafkaError] = []
        self.owed = 0
        self.polled = 0
        self.is_purged = False

    def poll(self, _: float) -> int:
        self.polled += 1
        if self.to_raise:
            raise KafkaException(self.to_raise.pop())
        return 0

    def purge(self) -> None:
        self.is_purged = True

    def __len__(self) -> int:
        return self.owed


class World:
    def __init__(self) -> None:
        self.now = 0.0
        self.made: list[FakeProducer] = []
        self.is_refused = False
        self.producer = LastingProducer(self._make, lambda: self.now)

    def _make(self) -> Any:
        if self.is_refused:
            raise ConfigError("no")
        self.made.append(FakeProducer())
        return self.made[-1]

    def end(self) -> None:
        self.made[-1].to_raise.append(NOT_ALLOWED)
        self.producer.take_reports()


def test_one_that_goes_on_is_kept() -> None:
    world = World()
    world.producer.take_reports()
    world.producer.renew()
    assert world.made == [world.producer.current]
    assert world.producer.refusal(KafkaException(TIMED_OUT)) is TIMED_OUT
    assert world.producer.reason(PURGED) is PURGED


def test_poll_says_what_produce_does_not() -> None:
    world = World()
    world.made[0].to_raise.append(NOT_ALLOWED)
    assert world.producer.refusal(UNKNOWN) is NOT_ALLOWED
    assert world.producer.refusal(UNKNOWN) is NOT_ALLOWED
    assert (world.producer.reason(PURGED), world.producer.reason(TIMED_OUT)) == (NOT_ALLOWED, TIMED_OUT)


def test_the_first_follows_at_once_and_the_next_after_a_second() -> None:
    world = World()
    world.end()
    world.producer.renew()
    assert len(world.made) == 2
    assert world.producer.ended_by is None
    world.end()
    for _ in range(20):
        world.producer.renew()
    assert len(world.made) == 2
    assert world.producer.refusal(UNKNOWN) is NOT_ALLOWED
    world.now = 1.0
    world.producer.renew()
    assert len(world.made) == 3


def test_the_replaced_one_is_asked_until_it_owes_nothing() -> None:
    world = World()
    old = world.made[0]
    old.owed = 2
    world.end()
    world.producer.renew()
    world.producer.take_reports()
    assert old.polled == 2
    old.owed = 0
    world.producer.take_reports()
    world.producer.take_reports()
    assert old.polled == 3


def test_a_replaced_one_says_nothing_of_the_one_that_goes_on() -> None:
    world = World()
    world.made[0].owed = 1
    world.end()
    world.producer.renew()
    world.made[0].to_raise.append(NOT_ALLOWED)
    world.producer.take_reports()
    assert world.producer.ended_by is None


def test_where_no_other_can_be_made_the_reason_stays(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    world.end()
    world.is_refused = True
    for _ in range(3):
        world.producer.renew()
    assert (len(world.made), world.producer.ended_by) == (1, NOT_ALLOWED)
    assert len(caplog.messages) == 1


def test_all_of_them_are_purged_though_one_has_an_error_to_tell() -> None:
    world = World()
    world.made[0].owed = 1
    world.end()
    world.producer.renew()
    world.made[1].to_raise.append(NOT_ALLOWED)
    world.producer.purge()
    assert [each.is_purged for each in world.made] == [True, True]

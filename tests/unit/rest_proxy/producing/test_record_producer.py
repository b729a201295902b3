"""The producer's bounds, and what becomes of records that Kafka never takes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer

from riacho.base.config import ConfigError
from riacho.rest_proxy.producing.record import Record
from riacho.rest_proxy.producing.record_producer import RecordProducer
from riacho.web.errors import ApiError
from support.ports import free_port


def run(act: Callable[[RecordProducer], Awaitable[Any]], **settings: Any) -> Any:
    """With a producer whose broker is not there."""

    async def acting() -> Any:
        kafka = {"bootstrap.servers": f"127.0.0.1:{free_port()}", "message.timeout.ms": 50, "log_level": 0}
        producer = RecordProducer(kafka | settings, records_max=10, bytes_max=1_000)
        producer.start()
        try:
            async with asyncio.timeout(60):
                return await act(producer)
        finally:
            await producer.stop()

    return asyncio.run(acting())


def test_what_is_never_taken_is_told_in_time_and_makes_room_again() -> None:
    async def send(producer: RecordProducer) -> tuple[list[Any], int, int]:
        sending = producer.send("t", [Record(b"a"), Record(b"b", headers=[("h", b"v")], timestamp_ms=5)], 20)
        assert (producer.records_in_flight, producer.bytes_in_flight) == (2, 20)
        outcomes = await sending.wait()
        return outcomes, producer.records_in_flight, producer.bytes_in_flight

    outcomes, records, size_bytes = run(send)
    assert [outcome.code() for outcome in outcomes] == [KafkaError._MSG_TIMED_OUT] * 2
    assert (records, size_bytes) == (0, 0)


@pytest.mark.parametrize(("count", "size_bytes"), [(6, 1), (1, 600)])
def test_beyond_the_bound_there_is_no_room(count: int, size_bytes: int) -> None:
    async def fill(producer: RecordProducer) -> None:
        producer.check_room(count, size_bytes)
        sending = await producer.send_values("t", [b"x"] * count, [None] * count, -1, size_bytes)
        with pytest.raises(ApiError) as refused:
            producer.check_room(count, size_bytes)
        assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
        await sending.wait()
        producer.check_room(count, size_bytes)

    run(fill)


@pytest.mark.parametrize(("count", "size_bytes"), [(11, 1), (1, 1_001)])
def test_what_never_fits_is_too_large(count: int, size_bytes: int) -> None:
    async def check(producer: RecordProducer) -> None:
        with pytest.raises(ApiError) as refused:
            producer.check_room(count, size_bytes)
        assert refused.value.status == 413

    run(check)


def test_a_stream_waits_for_room() -> None:
    async def wait(producer: RecordProducer) -> None:
        sending = await producer.send_values("t", [b"x"] * 8, [None] * 8, -1, 8)
        await producer.room(5, 5)
        assert sending.is_done
        # More than there is room for at all goes when nothing else is on its way.
        await producer.room(500, 5)

    run(wait)


def test_a_call_that_is_given_up_gives_its_room_back() -> None:
    async def give_up(producer: RecordProducer) -> None:
        sending = await producer.send_values("t", [b"x"] * 10, [None] * 10, -1, 8)
        waiting = asyncio.ensure_future(sending.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await producer.room(10, 8)
        assert producer.records_in_flight == 0

    run(give_up)


def test_a_record_that_is_refused_at_once_has_its_place_among_the_others() -> None:
    async def send(producer: RecordProducer) -> list[int]:
        values = [b"x", b"x" * 2_000, b"x"]
        sending = await producer.send_values("t", values, [None] * 3, -1, 8)
        return [outcome.code() for outcome in await sending.wait() if isinstance(outcome, KafkaError)]

    codes = run(send, **{"message.max.bytes": 1_000})
    assert codes == [KafkaError._MSG_TIMED_OUT, KafkaError.MSG_SIZE_TOO_LARGE, KafkaError._MSG_TIMED_OUT]


def test_reports_are_used_again_and_told_right() -> None:
    async def send(producer: RecordProducer) -> None:
        first = await producer.send_values("t", [b"x"] * 3, [None] * 3, -1, 8)
        assert len(await first.wait()) == 3
        producer.recycle(first)
        second = await producer.send_values("t", [b"x"] * 5, [None] * 5, -1, 8)
        assert second is first
        assert not second.is_done
        assert [type(each) for each in await second.wait()] == [KafkaError] * 5
        assert second.failures == 5

    run(send)


def test_what_is_still_under_way_is_not_used_again() -> None:
    async def send(producer: RecordProducer) -> None:
        first = await producer.send_values("t", [b"x"], [None], -1, 8)
        producer.recycle(first)
        second = await producer.send_values("t", [b"x"], [None], -1, 8)
        assert second is not first
        await first.wait()
        await second.wait()

    run(send)


def test_settings_that_cannot_be_used_are_one_sentence() -> None:
    async def nothing(producer: RecordProducer) -> None:
        raise AssertionError("it should not have started")

    with pytest.raises(ConfigError) as told:
        run(nothing, acks="several")
    assert "acks" in str(told.value)


class Ended:
    """An idempotent producer after a fatal error: it takes nothing, says once why, and still has a report to give."""

    def __init__(self, others: Producer | None = None) -> None:
        self.polled = 0
        self._others = others

    def produce(self, *_: Any) -> None:
        raise KafkaException(KafkaError(KafkaError._FATAL, "Unable to produce message: Local: Fatal error"))

    def poll(self, timeout_s: float) -> int:
        self.polled += 1
        if self.polled == 1:
            raise KafkaException(KafkaError(KafkaError.CLUSTER_AUTHORIZATION_FAILED, "you may not write", fatal=True))
        return 0 if self._others is None else self._others.poll(timeout_s)

    def purge(self) -> None:
        pass

    def __len__(self) -> int:
        return 1


def test_a_producer_that_can_go_on_no_more_says_why_and_is_followed_by_another() -> None:
    async def codes(producer: RecordProducer, count: int) -> list[int]:
        outcomes = await (await producer.send_values("t", [b"x"] * count, [None] * count, -1, 8)).wait()
        return [outcome.code() for outcome in outcomes if isinstance(outcome, KafkaError)]

    async def send(producer: RecordProducer) -> None:
        ended: Any = Ended()
        producer._producer.current = ended
        assert await codes(producer, 5) == [KafkaError.CLUSTER_AUTHORIZATION_FAILED] * 5
        # The new one takes records, and the old one is asked for its reports.
        polled = ended.polled
        assert await codes(producer, 1) == [KafkaError._MSG_TIMED_OUT]
        assert ended.polled > polled

    run(send)


def test_polling_goes_on_after_a_fatal_error() -> None:
    async def send(producer: RecordProducer) -> None:
        sending = producer.send("t", [Record(b"x")], 8)
        ended: Any = Ended(producer.client)
        producer._producer.current = ended
        # Its report would never come if the error ended the polling.
        assert [outcome.code() for outcome in await sending.wait()] == [KafkaError._MSG_TIMED_OUT]

    run(send)


def test_it_stops_though_its_producer_has_a_fatal_error_to_tell() -> None:
    ended: Any = Ended()

    async def end(producer: RecordProducer) -> None:
        producer._producer.current = ended

    run(end)
    assert ended.polled == 1

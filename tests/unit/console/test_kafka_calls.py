"""Questions to a cluster: few threads, a line that is not endless, no longer than a deadline."""

from __future__ import annotations

import asyncio
import threading

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.console.clusters.kafka import THREADS_MAX, KafkaCalls
from riacho.web.errors import ApiError

# Nobody is asked: the work of these tests does not use the cluster.
NOWHERE = {"bootstrap.servers": "127.0.0.1:1"}


def test_the_line_is_not_endless_and_those_in_it_are_served() -> None:
    async def call() -> list[object]:
        calls = KafkaCalls("t", NOWHERE, 10_000, calls_max=THREADS_MAX + 2)
        gate = threading.Event()
        threads: set[str] = set()

        def work(cluster: Cluster) -> str:
            threads.add(threading.current_thread().name)
            gate.wait(10)
            return "done"

        waiting = [asyncio.ensure_future(calls.ask(work)) for _ in range(THREADS_MAX + 2)]
        await asyncio.sleep(0)
        with pytest.raises(ApiError) as refused:
            await calls.ask(work)
        assert (refused.value.status, refused.value.error_code) == (503, 50301)
        gate.set()
        found: list[object] = list(await asyncio.gather(*waiting))
        assert len(threads) <= THREADS_MAX
        found.append(await calls.ask(lambda cluster: "room again"))
        calls.close()
        with pytest.raises(ApiError, match="stopping"):
            await calls.ask(work)
        return found

    assert asyncio.run(call()) == ["done"] * (THREADS_MAX + 2) + ["room again"]


def test_a_late_answer_is_not_waited_for() -> None:
    async def call() -> ApiError:
        calls = KafkaCalls("t", NOWHERE, 50)
        gate = threading.Event()
        try:
            with pytest.raises(ApiError) as late:
                await calls.ask(lambda cluster: gate.wait(10))
            return late.value
        finally:
            gate.set()
            calls.close()

    error = asyncio.run(call())
    assert (error.status, error.message) == (504, "The cluster did not answer within 50 ms.")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 404),
        (ErrorCode.TOPIC_AUTHORIZATION_FAILED, 403),
        (ErrorCode.TOPIC_ALREADY_EXISTS, 409),
        (ErrorCode.INVALID_CONFIG, 400),
        (ErrorCode.UNSUPPORTED_VERSION, 501),
        (ErrorCode.NOT_CONTROLLER, 503),
        (ErrorCode.UNKNOWN_SERVER_ERROR, 502),
        (ErrorCode.SASL_AUTHENTICATION_FAILED, 502),
    ],
)
def test_how_errors_of_kafka_are_told(code: ErrorCode, status: int) -> None:
    def work(cluster: Cluster) -> None:
        raise KafkaError(code, "the broker said so")

    async def call() -> ApiError:
        calls = KafkaCalls("t", NOWHERE, 5_000)
        try:
            with pytest.raises(ApiError) as refused:
                await calls.ask(work)
            return refused.value
        finally:
            calls.close()

    error = asyncio.run(call())
    assert (error.status, error.message) == (status, "the broker said so.")
    assert error.fields == {"kafka_error": code.name}

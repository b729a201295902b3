"""The permit of a large request: held at work, released while it waits, and what waits is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.quorum.enveloped import serve_inner
from riacho.broker.requests.large_requests import LargeRequests
from riacho.wire.messages.delete_records_request import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from riacho.wire.messages.delete_records_response import DeleteRecordsResponse, DeleteRecordsTopicResult
from riacho.wire.messages.find_coordinator_request import FindCoordinatorRequest
from riacho.wire.messages.find_coordinator_response import FindCoordinatorResponse
from riacho.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from riacho.wire.messages.sync_group_response import SyncGroupResponse
from support.broker_fakes import FakeBroker, FakeTransport, api, connect, request_frame, responses

FIND_COORDINATOR, SYNC_GROUP, DELETE_RECORDS = 10, 14, 21
ELEMENT_SIZE_BYTES = 256


def handled_by(monkeypatch: pytest.MonkeyPatch, key: int, handle: Callable[[Any, Any], Any]) -> None:
    monkeypatch.setitem(BY_KEY, key, api(key, handle, (BY_KEY[key].version_min, BY_KEY[key].version_max)))


def in_loop(act: Callable[[FakeBroker], Awaitable[None]], **limits: int) -> None:
    async def main() -> None:
        broker = FakeBroker(**limits)
        broker.loop = asyncio.get_running_loop()
        await act(broker)

    asyncio.run(main())


async def rounds(count: int = 50) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def sent(broker: FakeBroker, frame: bytes) -> tuple[Any, FakeTransport]:
    connection, transport = connect(broker.listener())
    connection.data_received(frame)
    return connection, transport


def deletion(topics: int = 4_000) -> DeleteRecordsRequest:
    return DeleteRecordsRequest(
        topics=[
            DeleteRecordsTopic(name=f"{n:016}", partitions=[DeleteRecordsPartition(partition_index=0)])
            for n in range(topics)
        ]
    )


async def waits_for_ever(ctx: Any, request: DeleteRecordsRequest) -> DeleteRecordsResponse:
    await asyncio.get_running_loop().create_future()
    raise AssertionError


FINDING = request_frame(FindCoordinatorRequest(coordinator_keys=[f"{n:020}" for n in range(5_000)]), 6)


@pytest.mark.parametrize("topics", [4_000, 400], ids=["in parts", "in one"])
def test_requests_that_wait_for_ever_stop_no_others(monkeypatch: pytest.MonkeyPatch, topics: int) -> None:
    handled_by(monkeypatch, DELETE_RECORDS, waits_for_ever)
    handled_by(monkeypatch, FIND_COORDINATOR, lambda ctx, request: FindCoordinatorResponse())
    request = deletion(topics)
    for topic in request.topics:
        topic.name *= 4_800 // topics
    waiting = request_frame(request, 2)
    assert len(waiting) > 64 << 10

    async def act(broker: FakeBroker) -> None:
        parked = [sent(broker, waiting) for _ in range(20)]
        await rounds()
        held_bytes = broker.memory.held_bytes
        assert held_bytes == 20 * (len(waiting) - 4 + 2 * topics * ELEMENT_SIZE_BYTES), "bytes and elements"
        _, transport = sent(broker, FINDING)
        await rounds()
        assert responses(transport, FIND_COORDINATOR, 6)
        assert broker.memory.held_bytes == held_bytes
        for connection, _ in parked:
            connection.connection_lost(None)
        await rounds()
        assert broker.memory.held_bytes == 0

    in_loop(act)


def test_one_that_goes_on_acquires_a_permit_again(monkeypatch: pytest.MonkeyPatch) -> None:
    at_work: set[int] = set()
    most = 0
    go_on = asyncio.Event()

    async def handle(ctx: Any, request: DeleteRecordsRequest) -> DeleteRecordsResponse:
        nonlocal most
        await go_on.wait()
        for _ in range(10):
            at_work.add(id(ctx))
            most = max(most, len(at_work))
            await asyncio.sleep(0)
        at_work.discard(id(ctx))
        return DeleteRecordsResponse(topics=[DeleteRecordsTopicResult(name=each.name) for each in request.topics])

    handled_by(monkeypatch, DELETE_RECORDS, handle)

    async def act(broker: FakeBroker) -> None:
        frame = request_frame(deletion(), 2)
        asked = [sent(broker, frame) for _ in range(10)]
        await rounds()
        go_on.set()
        while not all(transport.writes for _, transport in asked):
            await asyncio.sleep(0)
        for _, transport in asked:
            [(_, answer)] = responses(transport, DELETE_RECORDS, 2)
            assert [each.name for each in answer.topics] == [f"{n:016}" for n in range(4_000)]
        assert broker.memory.held_bytes == 0

    in_loop(act)
    assert most == 2


def test_what_waits_is_bounded_in_memory_with_its_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = request_frame(deletion(), 2)
    one = len(frame) - 4 + 8_000 * ELEMENT_SIZE_BYTES
    served: list[object] = []

    async def handle(ctx: Any, request: DeleteRecordsRequest) -> DeleteRecordsResponse:
        served.append(request)
        return await waits_for_ever(ctx, request)

    handled_by(monkeypatch, DELETE_RECORDS, handle)

    async def act(broker: FakeBroker) -> None:
        kept = [sent(broker, frame) for _ in range(3)]
        await rounds()
        _, refused = sent(broker, frame)
        await rounds()
        assert refused.is_closing()
        assert "hold too much memory" in broker.error_lines[-1]
        assert not any(transport.is_closing() for _, transport in kept)
        assert len(served) == 3, "what is refused was not begun"
        assert broker.memory.held_bytes == 3 * one
        connection, _ = kept.pop()
        connection.connection_lost(None)
        await rounds()
        _, taken = sent(broker, frame)
        await rounds()
        assert not taken.is_closing(), "there is room for it again"

    # The other half is for what is being received.
    in_loop(act, held_size_bytes_max=2 * (4 * one - 1))


def test_what_is_served_in_one_go_is_counted_while_it_waits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = asyncio.Event()

    async def handle(ctx: Any, request: SyncGroupRequest) -> SyncGroupResponse:
        await answer.wait()
        return SyncGroupResponse()

    handled_by(monkeypatch, SYNC_GROUP, handle)
    assignments = [SyncGroupRequestAssignment(member_id=f"{n:020}") for n in range(4_000)]
    frame = request_frame(SyncGroupRequest(assignments=assignments), 5)

    async def act(broker: FakeBroker) -> None:
        _, transport = sent(broker, frame)
        await rounds()
        assert broker.memory.held_bytes == len(frame) - 4 + 4_000 * ELEMENT_SIZE_BYTES
        answer.set()
        await rounds()
        assert responses(transport, SYNC_GROUP, 5)
        assert broker.memory.held_bytes == 0

    in_loop(act)


def test_enveloped_requests_release_their_permit_too() -> None:
    served = api(DELETE_RECORDS, waits_for_ever)
    data = request_frame(deletion(), 2)[4:]

    async def act(broker: FakeBroker) -> None:
        def asked(handling: Any) -> asyncio.Task[Any]:
            context = broker.context(2)
            context.size_bytes = len(data)
            return asyncio.ensure_future(serve_inner(context, handling, data))

        parked = [asked(served) for _ in range(5)]
        await rounds()
        other = asked(api(DELETE_RECORDS, lambda ctx, request: DeleteRecordsResponse()))
        await rounds()
        assert other.done()
        for task in parked:
            task.cancel()
        await asyncio.gather(*parked, return_exceptions=True)
        assert broker.memory.held_bytes == 0

    in_loop(act)


def test_a_time_limit_within_reaches_the_coroutine() -> None:
    async def act(broker: FakeBroker) -> None:
        async def limited() -> str:
            try:
                async with asyncio.timeout(0):
                    await asyncio.get_running_loop().create_future()
            except TimeoutError:
                await asyncio.sleep(0)
                return "late"
            raise AssertionError

        async with LargeRequests(broker.memory).permit(10, is_in_parts=True) as permit:
            assert await permit.at_work(limited()) == "late"

    in_loop(act)


def test_one_that_is_cancelled_while_it_waits_for_a_permit_acquires_none() -> None:
    async def act(broker: FakeBroker) -> None:
        large = LargeRequests(broker.memory)
        future: asyncio.Future[None] = broker.loop.create_future()

        async def waits() -> None:
            async with large.permit(10, is_in_parts=True) as permit:
                await permit.at_work(_awaits(future))

        async def keeps(leave: asyncio.Event) -> None:
            async with large.permit(10, is_in_parts=True):
                await leave.wait()

        waiting = asyncio.ensure_future(waits())
        await rounds()
        leave = asyncio.Event()
        keeping = [asyncio.ensure_future(keeps(leave)) for _ in range(2)]
        await rounds()
        future.set_result(None)
        await rounds()
        assert not waiting.done(), "both permits are held"
        waiting.cancel()
        await rounds()
        assert waiting.cancelled()
        leave.set()
        await asyncio.gather(*keeping)
        await asyncio.gather(*(keeps(leave) for _ in range(5)))
        assert broker.memory.held_bytes == 0

    in_loop(act)


async def _awaits(future: asyncio.Future[None]) -> None:
    await future


def test_refused_for_its_elements_before_it_is_served() -> None:
    async def act(broker: FakeBroker) -> None:
        with pytest.raises(KafkaError) as caught:
            async with LargeRequests(broker.memory).permit(10, is_in_parts=True) as permit:
                permit.decoded(deletion(10))
        assert caught.value.code is ErrorCode.INVALID_REQUEST
        assert broker.memory.held_bytes == 0

    in_loop(act, held_size_bytes_max=1_000)

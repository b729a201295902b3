"""Large requests: in parts with the loop going round, a few at a time, and bounded where they cannot be cut."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests import large_requests
from riacho.broker.requests.large_requests import LargeRequests, handled
from riacho.broker.requests.later import settled
from riacho.wire.messages.find_coordinator_request import FindCoordinatorRequest
from riacho.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse
from riacho.wire.messages.produce_request import ProduceRequest
from riacho.wire.messages.produce_response import ProduceResponse
from riacho.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from support.broker_fakes import FakeBroker, api

PRODUCE, FIND_COORDINATOR, SYNC_GROUP = 0, 10, 14


def context(version: int, size_bytes: int) -> Any:
    made = FakeBroker().context(version)
    made.size_bytes = size_bytes
    return made


def test_the_loop_goes_round_between_the_parts() -> None:
    seen: list[int] = []
    rounds: list[int] = []

    async def handle(ctx: Any, request: FindCoordinatorRequest) -> FindCoordinatorResponse:
        seen.append(len(request.coordinator_keys))
        rounds.append(permits)
        return FindCoordinatorResponse(coordinators=[Coordinator(key=key) for key in request.coordinator_keys])

    permits = 0

    async def main() -> FindCoordinatorResponse:
        nonlocal permits
        keys = [str(number) for number in range(10_000)]
        request = FindCoordinatorRequest(coordinator_keys=keys)
        served = asyncio.ensure_future(settled(handled(context(6, 50_000), api(FIND_COORDINATOR, handle), request)))
        while not served.done():
            permits += 1
            await asyncio.sleep(0)
        answer: FindCoordinatorResponse = served.result()
        assert [each.key for each in answer.coordinators] == keys
        return answer

    asyncio.run(main())
    assert max(seen) <= 500
    assert rounds == sorted(set(rounds)), "no two parts in one turn"


def test_a_small_request_is_served_at_once() -> None:
    request = FindCoordinatorRequest(coordinator_keys=["a", "b"])
    answer = FindCoordinatorResponse()
    assert handled(context(6, 50), api(FIND_COORDINATOR, lambda ctx, asked: answer), request) is answer


def test_what_cannot_be_cut_is_bounded_by_its_elements() -> None:
    served = api(SYNC_GROUP, lambda ctx, asked: len(asked.assignments))
    many = SyncGroupRequest(assignments=[SyncGroupRequestAssignment(member_id="m")] * 50_001)
    with pytest.raises(KafkaError) as caught:
        handled(context(5, 500_000), served, many)
    assert caught.value.code is ErrorCode.INVALID_REQUEST
    many.assignments.pop()
    assert handled(context(5, 500_000), served, many) == 50_000


def test_elements_of_a_produce_request_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is bounded by its partitions; counting would cost each of them."""
    monkeypatch.setattr(large_requests, "weight", lambda request: pytest.fail("counted"))
    answer = ProduceResponse()
    assert handled(context(9, 500_000), api(PRODUCE, lambda ctx, asked: answer), ProduceRequest()) is answer


def test_few_have_their_turn_and_those_who_wait_are_bounded_in_memory() -> None:
    async def main() -> None:
        broker = FakeBroker(held_size_bytes_max=2_000)
        large = LargeRequests(broker.memory)
        inside: list[int] = []
        leave = asyncio.Event()

        async def serve(number: int) -> None:
            async with large.permit(300, is_in_parts=True):
                inside.append(number)
                await leave.wait()

        tasks = [asyncio.ensure_future(serve(number)) for number in range(3)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert inside == [0, 1]
        assert broker.memory.held_bytes == 900
        with pytest.raises(KafkaError):
            async with large.permit(300, is_in_parts=False):
                pass
        leave.set()
        await asyncio.gather(*tasks)
        assert inside == [0, 1, 2]
        assert broker.memory.held_bytes == 0

    asyncio.run(main())


def test_those_that_are_served_in_one_go_come_one_a_turn_of_the_loop() -> None:
    async def main() -> None:
        large = LargeRequests(FakeBroker().memory)
        served_at: list[int] = []
        permits = 0

        async def serve() -> None:
            async with large.permit(300, is_in_parts=False):
                served_at.append(permits)

        tasks = [asyncio.ensure_future(serve()) for _ in range(10)]
        while not all(task.done() for task in tasks):
            permits += 1
            await asyncio.sleep(0)
        assert len(served_at) == len(set(served_at)) == 10

    asyncio.run(main())

"""Bodies of all calls together are bounded; who would go beyond is told to come again, and room comes back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.responses import Response

from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.body_budget import BodyBudget
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError


async def length(call: Call) -> Response:
    return json_answer(len(await call.body()))


def app() -> App:
    endpoint = Endpoint("POST", "/", length, "How long the body is.", body=Any, request_types=("application/json",))
    return App("test", [endpoint], body_bytes_max=10, bodies_bytes_max=15)


class Caller:
    def __init__(self, service: App) -> None:
        self.pieces: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.answers: list[dict[str, Any]] = []
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/",
            "raw_path": b"/",
            "query_string": b"",
            "headers": [(b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")],
        }
        self.task = asyncio.ensure_future(service(scope, self.pieces.get, self._take))

    async def _take(self, message: Any) -> None:
        self.answers.append(message)

    def send(self, piece: bytes, *, is_last: bool = False) -> None:
        self.pieces.put_nowait({"type": "http.request", "body": piece, "more_body": not is_last})

    async def status(self) -> int:
        await self.task
        return int(self.answers[0]["status"])


def test_bodies_together_are_bounded() -> None:
    async def scenario() -> None:
        service = app()
        first = Caller(service)
        first.send(b"1" * 8)
        while service._budget.bytes_held < 8:
            await asyncio.sleep(0)
        second = Caller(service)
        second.send(b"1" * 8, is_last=True)
        assert await second.status() == 503
        assert (b"retry-after", b"1") in second.answers[0]["headers"]
        first.send(b"1", is_last=True)
        assert await first.status() == 200
        assert service._budget.bytes_held == 0
        third = Caller(service)
        third.send(b"1" * 8, is_last=True)
        assert await third.status() == 200

    asyncio.run(asyncio.wait_for(scenario(), 60))


def test_a_caller_that_hangs_up_gives_its_room_back() -> None:
    async def scenario() -> None:
        service = app()
        caller = Caller(service)
        caller.send(b"1" * 8)
        caller.pieces.put_nowait({"type": "http.disconnect"})
        await caller.task
        assert service._budget.bytes_held == 0

    asyncio.run(asyncio.wait_for(scenario(), 60))


def test_what_is_given_back_can_be_taken_again() -> None:
    budget = BodyBudget(10)
    budget.change(10)
    with pytest.raises(ApiError):
        budget.change(1)
    budget.change(-4)
    budget.change(4)
    assert budget.bytes_held == 10

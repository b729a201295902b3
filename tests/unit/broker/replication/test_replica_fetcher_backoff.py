"""A leader that fails with every fetch must not be asked as fast as it can answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.wire.messages.fetch_response import FetchResponse
from support.replication_world import World, until, write


def test_a_request_that_is_refused_as_a_whole_is_sent_less_and_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)
    sent = 0

    async def fail(request: Any, **_: Any) -> FetchResponse:
        nonlocal sent
        sent += 1
        await asyncio.sleep(0.0005)
        return FetchResponse(error_code=ErrorCode.UNKNOWN_SERVER_ERROR)

    async def main() -> None:
        connect = world.connect

        def broken() -> Any:
            peer = connect()
            monkeypatch.setattr(peer, "send", fail)
            return peer

        monkeypatch.setattr(world, "connect", broken)
        leading, _ = world.follow()
        await asyncio.sleep(2)
        assert 3 <= sent <= 10
        monkeypatch.setattr(world, "connect", connect)
        write(leading, b"x")
        await until(lambda: leading.log.high_watermark == 1)

    world.run(main())

"""Live figures: what a page is told, and how little a page that does not read may cost."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

from riacho.console.events import QUEUE_MAX, Events
from riacho.console.places import Places
from riacho.web.errors import ApiError
from support.console_calls import call_of, ended
from support.control_center import CLUSTER, ControlCenterService


def parsed(text: str) -> list[tuple[str, dict[str, object]]]:
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_the_figures_come_at_once_and_after_each_look(console: ControlCenterService) -> None:
    console.look()

    async def follow() -> list[str]:
        pieces: list[bytes] = []
        call = call_of("127.0.0.1")
        events = console.center.parts.events.follow("default", b"event: first\ndata: {}\n\n", call)
        pieces.append(await anext(events))
        await console.cluster.watch.seen()
        pieces.append(await anext(events))
        ended(call)
        return [piece.decode() for piece in pieces]

    first, later = console.thread.run(follow())
    assert parsed(first) == [("first", {})]
    [(name, overview)] = parsed(later)
    assert (name, overview["brokers"]) == ("overview", {"total": 2, "online": 2})
    assert not console.center.parts.events.has_followers("default")


def test_a_stream_over_http(console: ControlCenterService) -> None:
    """As a server hands it to the app, until the caller hangs up."""

    async def call() -> tuple[dict[str, object], bytes]:
        sent: asyncio.Queue[dict[str, object]] = asyncio.Queue()
        received: asyncio.Queue[dict[str, object]] = asyncio.Queue()
        scope = {
            "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "path": f"{CLUSTER}/events",
            "raw_path": f"{CLUSTER}/events".encode(), "query_string": b"", "root_path": "",
            "headers": [(b"accept", b"text/event-stream")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 9021),
        }  # fmt: skip
        task = asyncio.ensure_future(console.center.app(scope, received.get, sent.put))
        start = await sent.get()
        body = await sent.get()
        assert console.center.parts.events.has_followers("default")
        await received.put({"type": "http.disconnect"})
        await task
        assert not console.center.parts.events.has_followers("default")
        return start, body["body"]  # type: ignore[return-value]

    start, body = console.thread.run(call())
    assert start["status"] == 200
    assert [name for name, _ in parsed(body.decode())] == ["cluster", "overview"]
    assert (b"content-type", b"text/event-stream") in start["headers"]  # type: ignore[operator]


def test_a_head_leaves_nothing_behind(console: ControlCenterService) -> None:
    answer = console.call("HEAD", f"{CLUSTER}/events")
    assert answer.status_code == 200
    assert not console.center.parts.events.has_followers("default")


def test_a_page_that_does_not_read_loses_the_oldest() -> None:
    async def follow() -> tuple[bytes, int]:
        events = Events(Places(10, "pages follow"))
        stream = events.follow("c", b"x", call_of("127.0.0.1"))
        assert await anext(stream) == b"x"
        for number in range(1_000):
            events.publish("c", "overview", b'{"n": %d, "pad": "%s"}' % (number, b"x" * 1_000))
            events.publish("other", "overview", b"{}")
        [follower] = events._followers
        held = sum(sys.getsizeof(each) for each in follower._queue)
        return await anext(stream), held

    told, held = asyncio.run(follow())
    assert [event[1]["n"] for event in parsed(told.decode())] == list(range(1_000 - QUEUE_MAX, 1_000))
    assert held < 50_000


def test_no_more_than_so_many() -> None:
    async def follow() -> None:
        events = Events(Places(2, "pages follow"))
        calls = [call_of("127.0.0.1") for _ in range(3)]
        # None of them has been told anything yet: those that come together count as well.
        for call in calls[:2]:
            events.follow("c", b"x", call)
        with pytest.raises(ApiError, match="2 pages follow"):
            events.follow("c", b"x", calls[2])
        ended(calls[0])
        another = events.follow("c", b"x", calls[2])
        assert await anext(another) == b"x"
        events.close()
        assert [piece async for piece in another] == []

    asyncio.run(follow())

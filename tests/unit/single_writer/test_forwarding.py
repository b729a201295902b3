"""A call on its way to the leader and back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from riacho.client.http_client import HttpAnswer
from riacho.client.http_target import HttpError
from riacho.single_writer.errors import LogError, OutcomeUnknown
from riacho.single_writer.forwarding import NotReached, forward, was_forwarded
from riacho.web.call import Call

LEADER = "http://leader:8081/"


class Wire:
    """An upstream that notes what it is asked and answers as told."""

    def __init__(self, answer: HttpAnswer | HttpError) -> None:
        self._answer = answer
        self.asked: list[tuple[str, str, Mapping[str, str], bytes | None]] = []

    async def request(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None, timeout_s: float
    ) -> HttpAnswer:
        self.asked.append((method, url, headers, body))
        if isinstance(self._answer, HttpError):
            raise self._answer
        return self._answer


def call(method: str = "POST", headers: Mapping[str, str] | None = None, body: bytes = b'{"a":1}') -> Call:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def ignore(message: Any) -> None:
        raise AssertionError("nothing is answered here")

    scope = {
        "type": "http",
        "method": method,
        "path": "/subjects/a/b/versions",
        "raw_path": b"/subjects/a%2Fb/versions",
        "query_string": b"normalize=true",
        "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
    }
    return Call(scope, receive, ignore)


def send(wire: Wire, asked: Call) -> Any:
    return asyncio.run(forward(wire, asked, LEADER, 5.0))  # type: ignore[arg-type]


def test_the_call_as_it_came_and_the_answer_as_it_is() -> None:
    wire = Wire(HttpAnswer(409, {"content-type": "application/json", "connection": "close"}, b"{}"))
    own = {"Authorization": "Basic YTpi", "Content-Type": "application/json", "Host": "here", "Content-Length": "7"}
    answer = send(wire, call(headers=own))
    ((method, url, headers, body),) = wire.asked
    assert (method, url) == ("POST", "http://leader:8081/subjects/a%2Fb/versions?normalize=true")
    assert headers == {"authorization": "Basic YTpi", "content-type": "application/json", "x-forward": "false"}
    assert body == b'{"a":1}'
    assert (answer.status_code, answer.body) == (409, b"{}")
    assert answer.headers["content-type"] == "application/json"
    assert "connection" not in answer.headers


def test_a_forwarded_call_is_known() -> None:
    assert was_forwarded(call(headers={"X-Forward": "false"}))
    assert not was_forwarded(call())


def test_a_leader_that_was_not_reached_may_be_asked_elsewhere() -> None:
    with pytest.raises(NotReached, match="refused"):
        send(Wire(HttpError("http://leader:8081 cannot be reached: refused.")), call())


def test_a_leader_that_may_have_acted_leaves_the_outcome_unknown() -> None:
    with pytest.raises(OutcomeUnknown, match="may or may not"):
        send(Wire(HttpError("silence", was_sent=True)), call())


def test_a_read_without_answer_has_changed_nothing() -> None:
    with pytest.raises(LogError, match="silence"):
        send(Wire(HttpError("silence", was_sent=True)), call("GET", body=b""))

"""Clients that call themselves followers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.handlers import fetch
from riacho.security.standard_authorizer import StandardAuthorizer
from riacho.wire.messages.fetch_request import FetchRequest
from support.broker_fakes import FakeBroker
from support.request_contexts import request_context


def test_whoever_calls_himself_a_follower_gets_no_follower_s_place() -> None:
    broker: Any = FakeBroker()
    broker.authorizer = StandardAuthorizer()
    broker.authorizer.load({})
    asked: list[bool] = []

    def no_session(request: Any, version: int, now_ms: int, is_follower: bool) -> Any:
        asked.append(is_follower)
        raise KafkaError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)

    broker.fetch_source = SimpleNamespace(sessions=SimpleNamespace(open=no_session), clock=broker.clock)
    ctx = request_context(broker, listener_name="", client_host="")
    ctx.version = 12
    for principal in ("User:eve", "User:broker"):
        ctx.principal = principal
        fetch.handle(ctx, FetchRequest(replica_id=2))
        ctx.authorizer = StandardAuthorizer({"User:broker"})
    assert asked == [False, True]

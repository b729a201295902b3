"""What was kept for a peer is freed when its connection is lost, not when the collector next runs."""

from __future__ import annotations

import gc
import struct
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from riacho.broker.handlers.table import BY_KEY
from riacho.broker.requests.later import Later
from riacho.broker.serving.connection import Connection
from riacho.broker.serving.listener import Listener
from riacho.broker.serving.sasl_session import SaslSession
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from support.broker_fakes import FakeBroker, FakeTransport, api, request_frame

HEARTBEAT = 12
VERSION = 4
HALF_A_FRAME = struct.pack(">i", 1 << 20) + bytes(1 << 10)


class Watched(Connection):
    """Has a dictionary and so, unlike its parent, can be watched."""


@pytest.fixture(autouse=True)
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def heartbeat() -> bytes:
    return request_frame(HeartbeatRequest(group_id="g", member_id="m"), VERSION)


def opened(listener: Listener) -> Watched:
    connection, transport = Watched(listener, listener.broker.service), FakeTransport()
    connection.connection_made(transport)
    # As a transport does: it knows its protocol until that is told that it is lost.
    transport.set_protocol = lambda protocol: None  # type: ignore[method-assign]
    transport.protocol = connection  # type: ignore[attr-defined]
    return connection


def half_sent(connection: Watched) -> None:
    connection.data_received(HALF_A_FRAME)


def waiting_for_an_answer(connection: Watched) -> None:
    connection.data_received(heartbeat() * 3 + HALF_A_FRAME)


def pipelined(connection: Watched) -> None:
    connection._pipeline.add_deferred(Later(), 9, 1, 100, 0)
    connection._pipeline.add_ready(bytearray(8), 100, 0)


def muted(connection: Watched) -> None:
    connection.mute(10_000)


def logging_in(connection: Watched) -> None:
    connection.gate = SaslSession(connection, FakeBroker().security.new_listener("PLAINTEXT"))


def watched_by_a_session(connection: Watched) -> None:
    connection.on_lost["sessions"] = lambda: connection.unmute()


def refused(connection: Watched) -> None:
    connection.data_received(HALF_A_FRAME)
    connection.refuse("it speaks another protocol")


@pytest.mark.parametrize(
    "use", [half_sent, waiting_for_an_answer, pipelined, muted, logging_in, watched_by_a_session, refused]
)
def test_a_lost_connection_is_freed_without_the_collector(
    use: Callable[[Watched], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    never = Later()
    monkeypatch.setitem(BY_KEY, HEARTBEAT, api(HEARTBEAT, lambda ctx, request: never))
    broker = FakeBroker()
    connection = opened(broker.listener())
    use(connection)
    connection.connection_lost(None)
    # A loop forgets what was cancelled.
    broker.loop.timers.clear()
    seen = weakref.ref(connection)
    del connection
    assert seen() is None
    assert broker.memory.held_bytes == 0


def test_a_connection_that_is_hung_up_on_holds_nothing_while_its_last_answers_leave() -> None:
    broker = FakeBroker()
    connection = opened(broker.listener())
    connection.data_received(HALF_A_FRAME)
    assert broker.memory.held_bytes > 1_000
    connection.close()
    assert broker.memory.held_bytes == 0
    connection.data_received(HALF_A_FRAME)
    assert broker.memory.held_bytes == 0


def test_an_answer_that_comes_after_the_peer_is_gone_frees_the_connection_too(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def handle(ctx: Any, request: Any) -> Later:
        asked.append(ctx)
        return waiting

    waiting = Later()
    monkeypatch.setitem(BY_KEY, HEARTBEAT, api(HEARTBEAT, handle))
    connection = opened(FakeBroker().listener())
    connection.data_received(heartbeat())
    connection.connection_lost(None)
    waiting.resolve(HeartbeatResponse())
    seen = weakref.ref(connection)
    del connection
    assert seen() is None
    # Not None: a request without a connection would be one of this very cluster's.
    assert asked[0].connection is not None

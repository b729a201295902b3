"""Connections that somebody would keep for ever."""

from __future__ import annotations

import pytest

from riacho.broker.handlers.table import BY_KEY
from riacho.broker.requests.later import Later
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from support.broker_fakes import FakeBroker, api, connect, request_frame

IDLE_MS = 600_000


def test_a_client_that_is_muted_for_years_does_not_keep_its_connection_for_years() -> None:
    broker = FakeBroker()
    listener = broker.listener()
    connection, transport = connect(listener)
    connection.mute(10**9)
    broker.clock.at_ms += IDLE_MS
    assert listener.close_idle(broker.clock.at_ms, IDLE_MS) == 0
    broker.clock.at_ms += 1
    assert listener.close_idle(broker.clock.at_ms, IDLE_MS) == 1
    assert transport.is_closing()


def test_a_request_that_waits_for_weeks_with_others_behind_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """While others are behind it the socket is not read, so nobody would see that the client is gone."""
    monkeypatch.setitem(BY_KEY, 12, api(12, lambda ctx, request: Later()))
    broker = FakeBroker()
    listener = broker.listener()
    alone, alone_transport = connect(listener)
    crowded, crowded_transport = connect(listener)
    alone.data_received(request_frame(HeartbeatRequest(), 4))
    crowded.data_received(request_frame(HeartbeatRequest(), 4) * 2)
    broker.clock.at_ms += IDLE_MS + 1
    listener.close_idle(broker.clock.at_ms, IDLE_MS)
    assert [alone_transport.is_closing(), crowded_transport.is_closing()] == [False, True]


def test_a_client_that_does_not_read_cannot_keep_a_closed_connection() -> None:
    broker = FakeBroker()
    connection, transport = connect(broker.listener())
    transport.unsent_size_bytes = 1
    connection.close()
    assert transport.is_closing()
    assert not transport.is_aborted
    [timer] = broker.loop.timers
    timer.fire()
    assert transport.is_aborted


def test_whoever_reads_all_is_closed_without_ado() -> None:
    broker = FakeBroker()
    connection, _ = connect(broker.listener())
    connection.close()
    assert broker.loop.timers == []

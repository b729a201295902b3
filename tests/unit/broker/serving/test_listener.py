"""A listener: who is let in, who is sent away for being idle, and what its address says when it cannot be had."""

from __future__ import annotations

import socket

import pytest

from riacho.broker.config import ListenerAddress
from riacho.broker.environment import SystemNetwork
from riacho.broker.serving.listener import Listener, bind_listener
from support.broker_fakes import FakeBroker, connect


def bound(name: str, host: str, port: int) -> Listener:
    broker = FakeBroker()
    return bind_listener(broker.parts, broker.connection_quotas, ListenerAddress(name, host, port, "PLAINTEXT"))


def test_connections_are_bounded_over_all_listeners() -> None:
    broker = FakeBroker(connections_max=2)
    first, second = broker.listener("A"), broker.listener("B")
    kept, _ = connect(first, "10.0.0.1")
    connect(second, "10.0.0.2")
    gone, transport = connect(first, "10.0.0.3")
    assert transport.is_reading_paused, "it waits for a place"
    patient, patient_transport = connect(second, "10.0.0.4")
    gone.connection_lost(None)
    assert broker.connection_quotas.connection_count() == 2
    assert patient_transport.is_reading_paused
    kept.connection_lost(None)
    assert not patient_transport.is_reading_paused
    assert patient in second.connections
    assert broker.connection_quotas.connection_count() == 2


def test_connections_are_bounded_per_address() -> None:
    listener = FakeBroker(connections_max_per_ip=2).listener()
    kept, _ = connect(listener, "10.0.0.1")
    connect(listener, "10.0.0.1")
    assert connect(listener, "10.0.0.1")[1].is_aborted
    assert not connect(listener, "10.0.0.2")[1].is_aborted
    kept.connection_lost(None)
    kept.connection_lost(None)
    assert not connect(listener, "10.0.0.1")[1].is_aborted
    assert connect(listener, "10.0.0.1")[1].is_aborted, "a connection leaves once, however often it is lost"


def test_a_refused_connection_reads_nothing() -> None:
    broker = FakeBroker(connections_max=0)
    connection, transport = connect(broker.listener())
    connection.data_received(b"\x00\x00\x00\x05")
    assert transport.writes == []
    assert broker.metrics.request_count(18) == 0


def test_idle_connections_are_closed_and_busy_ones_are_not() -> None:
    broker = FakeBroker()
    listener = broker.listener()
    now_ms = broker.clock.monotonic_ms()
    idle, idle_transport = connect(listener)
    fresh, fresh_transport = connect(listener)
    busy, busy_transport = connect(listener)
    idle.last_request_ms = busy.last_request_ms = now_ms - 1_001
    fresh.last_request_ms = now_ms - 1_000
    busy.begin(None, 0)  # type: ignore[arg-type]
    assert listener.close_idle(now_ms, idle_ms_max=1_000) == 1
    closing = [idle_transport.is_closing(), fresh_transport.is_closing(), busy_transport.is_closing()]
    assert closing == [True, False, False]


def test_a_flood_of_refusals_is_summed_up() -> None:
    broker = FakeBroker(connections_max_per_ip=0)
    listener = broker.listener()
    for number in range(50):
        connect(listener, f"10.0.0.{number}")
    assert len(broker.error_lines) == 10
    broker.logs.tick()
    assert broker.error_lines[-1] == "WARNING connections refused and not listed count=40"
    broker.logs.tick()
    assert len(broker.error_lines) == 11
    connect(listener)
    assert len(broker.error_lines) == 12


def test_port_0_becomes_a_port_and_is_given_back() -> None:
    listener = bound("PLAINTEXT", "127.0.0.1", 0)
    assert listener.port > 0
    listener.stop_accepting()
    SystemNetwork().bind("127.0.0.1", listener.port).close()


def test_a_taken_port_is_told_with_its_listener() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"listener INSIDE://127.0.0.1:{port} cannot be opened"):
            bound("INSIDE", "127.0.0.1", port)


def test_a_host_that_is_not_ours_is_told_with_its_listener() -> None:
    with pytest.raises(OSError, match=r"listener PLAINTEXT://203\.0\.113\.1:9092 cannot be opened"):
        bound("PLAINTEXT", "203.0.113.1", 9092)

"""Who is let in where there is little room, and by which address."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from riacho.broker.requests.addresses import canonical
from riacho.broker.serving.tls_acceptor import TlsAcceptor
from riacho.metadata.settings.broker_values import BrokerValues
from support.broker_fakes import FakeBroker, connect


def test_room_is_made_by_somebody_who_has_not_gone_yet() -> None:
    broker = FakeBroker()
    for name in ("INSIDE", "A"):
        broker.listener(name)
    broker.connection_quotas.set_values(BrokerValues({"max.connections": "2"}))
    broker.config.inter_broker_listener_name = "INSIDE"
    gone, _ = connect(broker.listeners[1])
    other, other_transport = connect(broker.listeners[1])
    gone.last_request_ms, other.last_request_ms = 1, 2
    gone.close()
    connect(broker.listeners[0])
    assert other_transport.is_closing()


@pytest.mark.parametrize("host", ["::ffff:10.0.0.9", "::FFFF:10.0.0.9"])
def test_a_client_of_version_4_has_one_address_at_every_listener(host: str) -> None:
    """Where a listener takes both versions a client's address of version 4 is shown as one of version 6, by which it
    would slip through entries and limits for its host."""
    broker = broker_with_limit_per_ip(1)
    connection, _ = connect(broker.listeners[0], host)
    assert connection.context.client_host == "10.0.0.9"
    assert connect(broker.listeners[0], "10.0.0.9")[1].is_aborted
    assert canonical(host) == "10.0.0.9"
    assert canonical("::1") == "::1"


def broker_with_limit_per_ip(count: int) -> FakeBroker:
    broker = FakeBroker()
    broker.listener()
    broker.connection_quotas.set_values(BrokerValues({"max.connections.per.ip": str(count)}))
    return broker


class UnfinishedTask:
    def add_done_callback(self, done: Any) -> None:
        """It never is."""

    def cancel(self) -> None:
        """Nothing to end."""


class AcceptingBroker(FakeBroker):
    def __init__(self) -> None:
        super().__init__()
        self.started: list[Any] = []
        self.loop.create_task = self._create_task

    def _create_task(self, work: Any) -> Any:
        work.close()
        task = UnfinishedTask()
        self.started.append(task)
        return task


def test_handshakes_under_way_count_against_the_limit_of_an_address() -> None:
    broker = AcceptingBroker()
    listener = broker.listener()
    broker.connection_quotas.set_values(BrokerValues({"max.connections.per.ip": "3"}))
    connect(listener, "10.0.0.9")
    listening = socket.socket()
    acceptor = TlsAcceptor(listener, listening, broker.service)
    broker.started.clear()
    for host in ("10.0.0.9",) * 4 + ("10.0.0.8",):
        acceptor._begin(socket.socket(), host)
    assert len(broker.started) == 3
    assert broker.metrics.rejected_connections == 2
    acceptor.close()

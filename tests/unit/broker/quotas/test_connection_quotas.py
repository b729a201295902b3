"""Who may connect: places, rates, and addresses with limits of their own."""

from __future__ import annotations

import asyncio
from typing import Any

from riacho.broker.config import BrokerConfig
from riacho.broker.quotas.ip_limits import overrides_of
from riacho.metadata.settings.broker_values import BrokerValues
from support.broker_fakes import FakeBroker, FakeTransport, connect
from support.virtual_time import VirtualClock, run_virtual


def broker_with(config: BrokerConfig | None = None, **settings: str) -> FakeBroker:
    broker = FakeBroker(config)
    for name in ("INSIDE", "A"):
        broker.listener(name)
    set_values(broker, **settings)
    return broker


def set_values(broker: FakeBroker, **settings: str) -> None:
    broker.connection_quotas.set_values(BrokerValues({name.replace("_", "."): text for name, text in settings.items()}))


def come(broker: FakeBroker, count: int, host: str = "10.0.0.9", listener: int = 1) -> list[FakeTransport]:
    return [connect(broker.listeners[listener], host)[1] for _ in range(count)]


def test_a_listener_may_have_a_limit_of_its_own() -> None:
    broker = broker_with(listener_name_a_max_connections="1")
    assert [each.is_reading_paused for each in come(broker, 2)] == [False, True]
    assert not come(broker, 1, listener=0)[0].is_reading_paused


def test_a_raised_limit_lets_those_in_who_wait() -> None:
    broker = broker_with(max_connections="1")
    waiting = come(broker, 3)[1:]
    assert [each.is_reading_paused for each in waiting] == [True, True]
    set_values(broker, max_connections="2")
    assert [each.is_reading_paused for each in waiting] == [False, True]


def test_as_many_wait_as_the_backlog_holds() -> None:
    broker = broker_with(max_connections="0")
    outcomes = [each.is_aborted for each in come(broker, 60)]
    assert outcomes.count(False) == 50
    assert broker.metrics.rejected_connections == 10


def test_brokers_take_the_place_of_the_least_active_client() -> None:
    config = BrokerConfig(
        {
            "listeners": "INSIDE://h:1,A://h:2",
            "listener.security.protocol.map": "INSIDE:PLAINTEXT,A:PLAINTEXT",
            "inter.broker.listener.name": "INSIDE",
        }
    )
    broker = broker_with(config, max_connections="2")
    old, old_transport = connect(broker.listeners[1])
    fresh, fresh_transport = connect(broker.listeners[1])
    old.last_request_ms, fresh.last_request_ms = 1, 2
    inside = come(broker, 1, listener=0)[0]
    assert not inside.is_reading_paused
    assert [old_transport.is_closing(), fresh_transport.is_closing()] == [True, False]


def test_who_comes_too_fast_waits() -> None:
    broker = broker_with(max_connection_creation_rate="2")
    assert [each.is_reading_paused for each in come(broker, 20)] == [False] * 20
    late = come(broker, 1)[0]
    assert late.is_reading_paused
    assert broker.loop.timers[-1].delay_s == 0.5
    broker.loop.timers[-1].fire()
    assert not late.is_reading_paused


def test_an_address_above_its_rate_is_sent_away_after_a_while() -> None:
    broker = broker_with()
    broker.connection_quotas.ip_rates.set_quotas({(("ip", "10.0.0.9"),): {"connection_creation_rate": 1.0}})
    assert [each.is_reading_paused for each in come(broker, 10)] == [False] * 10

    async def expel() -> None:
        expelled = come(broker, 1)[0]
        assert expelled.is_reading_paused
        await asyncio.sleep(0.9)
        assert not expelled.is_aborted
        await asyncio.sleep(0.2)
        assert expelled.is_aborted

    run_virtual(expel(), VirtualClock())
    assert not come(broker, 1, "10.0.0.8")[0].is_reading_paused
    assert broker.metrics.throttled_connections == 1
    broker.clock.at_ms += 11_000
    assert not come(broker, 1)[0].is_reading_paused


def test_default_rates_and_exceptions() -> None:
    broker = broker_with()
    rates: Any = {
        (("ip", None),): {"connection_creation_rate": 1.0},
        (("ip", "10.0.0.7"),): {"connection_creation_rate": 9.0},
    }
    broker.connection_quotas.ip_rates.set_quotas(rates)

    async def come_once_too_often() -> None:
        for host, allowed in (("10.0.0.1", 10), ("10.0.0.7", 90)):
            outcomes = [each.is_reading_paused for each in come(broker, allowed + 1, host)]
            assert outcomes == [False] * allowed + [True]

    run_virtual(come_once_too_often(), VirtualClock())


def test_overrides_by_address() -> None:
    broker = broker_with(max_connections_per_ip="1", max_connections_per_ip_overrides="10.0.0.1:2,::1:3")
    assert [each.is_aborted for each in come(broker, 3, "10.0.0.1")] == [False, False, True]
    assert [each.is_aborted for each in come(broker, 2, "10.0.0.2")] == [False, True]
    assert overrides_of("10.0.0.1:2, ::1:3,[::2]:4,junk") == {"10.0.0.1": 2, "::1": 3, "::2": 4}

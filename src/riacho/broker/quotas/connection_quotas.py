"""Who may connect: how many at a time, and how many new ones per second.

Theory of operation, as Kafka has it (KIP-306, KIP-402, KIP-612):
- `max.connections`, of the broker or of a listener: whoever comes when all places are taken waits, unread, until one
  is free. The listener between brokers is not held up by the broker's limit where clients have another; the least
  active client leaves instead.
- `max.connection.creation.rate`, of the broker or of a listener: who comes too early waits for the time it takes.
- `connection_creation_rate` of an address, by client quotas: who comes too early waits for that time, and is sent away.
- `max.connections.per.ip` and its overrides: who is too many is sent away.
- the process's limit on open files, whatever the settings say: connections leave the last ones to files.

As many may wait as the socket's own queue holds (`socket.listen.backlog.size`); further ones are sent away.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from riacho.base.sampled_rate import SampledRate
from riacho.broker.access.client_connection import ClientConnection
from riacho.broker.access.listener_values import ListenerValues
from riacho.broker.quotas.ip_limits import IpLimits, overrides_of
from riacho.log.descriptors import is_for_files

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.access.metadata_view import MetadataView
    from riacho.broker.config import BrokerConfig
    from riacho.broker.counters.metrics import BrokerMetrics
    from riacho.broker.logs import Logs
    from riacho.broker.quotas.quotas import Quotas
    from riacho.broker.requests.limits import Limits
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.settings.broker_values import BrokerValues

_UNLIMITED = (1 << 31) - 1

C = TypeVar("C", bound=ClientConnection)


class LimitedListener(Protocol[C]):
    """`listener.Listener`, as far as it is used here."""

    name: str
    is_for_controllers: bool
    connections: set[C]


def follow_quotas(metadata: MetadataView, quotas: Quotas, connections: ConnectionQuotas[C]) -> None:
    """Let the cluster's metadata set the quotas of clients and connections, now and whenever they change."""
    quotas.set_limits(metadata.image)
    connections.follow(metadata)

    metadata.subscribe(quotas.image_changed)


class ConnectionQuotas(Generic[C]):
    """`C` is the class of connections."""

    def __init__(self, config: BrokerConfig, limits: Limits, clock: Clock, metrics: BrokerMetrics, logs: Logs) -> None:
        self._config = config
        self._clock = clock
        self._metrics = metrics
        self._logs = logs
        self.listeners: list[LimitedListener[C]] = []
        self._count: int = config.get("quota.window.num")
        self._window_ms: int = config.get("quota.window.size.seconds") * 1000
        self._waiting_max: int = config.get("socket.listen.backlog.size")
        self.count_max = limits.connections_max
        self._count_max_per_ip = limits.connections_max_per_ip
        self._rate_max = limits.connection_rate_max
        # By listener, where it has its own.
        self._listener_count_max: dict[str, int] = {}
        self._listener_rate_max: dict[str, int] = {}
        # By name of the listener; "" for all together.
        self._rates: dict[str, SampledRate] = {}
        self._per_ip: Counter[str] = Counter()
        self._waiting: deque[tuple[LimitedListener[C], C]] = deque()
        self.per_ip_overrides = IpLimits()
        self.ip_rates = IpLimits()
        self._ip_gauges: dict[str, SampledRate] = {}
        self._sweep_ms = 0
        self._is_rated = self._rate_max < _UNLIMITED

    def add_listener(self, listener: LimitedListener[C]) -> None:
        self.listeners.append(listener)

    def connection_count(self) -> int:
        return sum(len(listener.connections) for listener in self.listeners)

    # --- settings

    def follow(self, metadata: MetadataView) -> None:
        def image_changed(old: MetadataImage, new: MetadataImage) -> None:
            if new.configs is not old.configs:
                self.set_values(metadata.values)
            if new.client_quotas is not old.client_quotas:
                self.ip_rates.set_quotas(new.client_quotas)

        self.set_values(metadata.values)
        self.ip_rates.set_quotas(metadata.image.client_quotas)
        metadata.subscribe(image_changed)

    def set_values(self, values: BrokerValues) -> None:
        self.count_max = values.integer("max.connections")
        self._count_max_per_ip = values.integer("max.connections.per.ip")
        self._rate_max = values.integer("max.connection.creation.rate")
        self.per_ip_overrides.set_limits(overrides_of(str(values.get("max.connections.per.ip.overrides") or "")))
        self._listener_count_max = self._own("max.connections", values)
        self._listener_rate_max = self._own("max.connection.creation.rate", values)
        self._is_rated = self._rate_max < _UNLIMITED or bool(self._listener_rate_max)
        self._let_in()

    def _own(self, name: str, values: BrokerValues) -> dict[str, int]:
        found = {}
        for listener in self.listeners:
            prefixed = ListenerValues(listener.name, lambda: values)
            if values.is_set(prefixed.own_name(name)):
                found[listener.name] = int(prefixed.get(name))
        return found

    # --- coming

    def admit(self, listener: LimitedListener[C], connection: C, fd: int) -> bool:
        """False: to be sent away at once. Else it may be read, or is muted until it may. `fd`: its descriptor."""
        if is_for_files(fd):
            return self._refused(listener, connection, "too many open files")
        is_behind = any(entry[0] is listener for entry in self._waiting)
        if is_behind or not self._has_place(listener):
            if len(self._waiting) >= self._waiting_max:
                return self._refused(listener, connection, "too many connections")
            self._waiting.append((listener, connection))
            connection.mute(None)
            return True
        return self._enter(listener, connection)

    def _enter(self, listener: LimitedListener[C], connection: C) -> bool:
        now_ms = self._clock.monotonic_ms()
        delay_ms = self._rate_delay_ms(listener, now_ms) if self._is_rated else 0
        if self.ip_rates:
            expelled_ms = self._ip_delay_ms(connection.context.client_host, now_ms)
            if expelled_ms:
                self._expel(listener, connection, expelled_ms)
                return True
        host = connection.context.client_host
        if not self.has_place_for(host):
            return self._refused(listener, connection, "too many connections")
        self._per_ip[host] += 1
        listener.connections.add(connection)
        if self.connection_count() > self.count_max:
            self._make_room(listener)
        if delay_ms:
            self._metrics.delayed_connections += 1
            connection.mute(delay_ms)
        else:
            connection.unmute()
        return True

    def has_place_for(self, host: str, coming: int = 0) -> bool:
        """`coming`: how many of this address are on their way in already."""
        return self._per_ip[host] + coming < self.per_ip_overrides.get(host, self._count_max_per_ip)

    def _has_place(self, listener: LimitedListener[C]) -> bool:
        if len(listener.connections) >= self._listener_count_max.get(listener.name, _UNLIMITED):
            return False
        return self._is_protected(listener) or self.connection_count() < self.count_max

    def _is_protected(self, listener: LimitedListener[C]) -> bool:
        is_for_nodes = listener.is_for_controllers or listener.name == self._config.inter_broker_listener_name
        return is_for_nodes and len(self.listeners) > 1

    def _make_room(self, newcomer: LimitedListener[C]) -> None:
        others = [
            connection
            for listener in self.listeners
            if listener is not newcomer and not self._is_protected(listener)
            for connection in listener.connections
            if not connection.is_closed
        ]
        if others:
            min(others, key=lambda connection: connection.last_request_ms).close()

    def _rate_delay_ms(self, listener: LimitedListener[C], now_ms: int) -> int:
        delay_ms = 0
        limits = [(listener.name, self._listener_rate_max.get(listener.name, _UNLIMITED))]
        if not self._is_protected(listener):
            limits.append(("", self._rate_max))
        for name, rate_max in limits:
            rate = self._rates.get(name)
            if rate is None:
                rate = self._rates[name] = SampledRate(self._count, self._window_ms)
            rate.record(1, now_ms)
            delay_ms = max(delay_ms, min(rate.throttle_ms(rate_max, now_ms), self._window_ms))
        return delay_ms

    def _ip_delay_ms(self, host: str, now_ms: int) -> int:
        rate_max = self.ip_rates.get(host, _UNLIMITED)
        if rate_max >= _UNLIMITED:
            return 0
        if now_ms >= self._sweep_ms:
            self._sweep(now_ms)
        rate = self._ip_gauges.get(host)
        if rate is None:
            rate = self._ip_gauges[host] = SampledRate(self._count, self._window_ms)
        rate.record(1, now_ms)
        delay_ms = min(rate.throttle_ms(rate_max, now_ms), self._window_ms)
        if delay_ms:
            # It is not let in, so it does not count.
            rate.record(-1, now_ms)
        return delay_ms

    def _expel(self, listener: LimitedListener[C], connection: C, delay_ms: int) -> None:
        self._metrics.throttled_connections += 1
        connection.mute(None)
        asyncio.get_running_loop().call_later(delay_ms / 1000, connection.abort)

    def _refused(self, listener: LimitedListener[C], connection: C, reason: str) -> bool:
        self._metrics.rejected_connections += 1
        self._logs.refused(connection.context.client_host, listener.name, reason)
        return False

    # --- going

    def left(self, listener: LimitedListener[C], connection: C) -> None:
        if connection in listener.connections:
            listener.connections.discard(connection)
            host = connection.context.client_host
            self._per_ip[host] -= 1
            if self._per_ip[host] <= 0:
                del self._per_ip[host]
        elif self._waiting:
            self._waiting = deque(entry for entry in self._waiting if entry[1] is not connection)
        self._let_in()

    def _let_in(self) -> None:
        for _ in range(len(self._waiting)):
            listener, connection = self._waiting.popleft()
            if not self._has_place(listener):
                self._waiting.append((listener, connection))
            elif not self._enter(listener, connection):
                connection.abort()

    def waiting_at(self, listener: LimitedListener[C]) -> list[C]:
        return [connection for waits_at, connection in self._waiting if waits_at is listener]

    def _sweep(self, now_ms: int) -> None:
        """One that was silent for the whole span measures as a new one does."""
        span_ms = self._count * self._window_ms
        self._sweep_ms = now_ms + span_ms
        self._ip_gauges = {h: rate for h, rate in self._ip_gauges.items() if now_ms - rate.last_ms < span_ms}

"""One kind of client quota: who shares a limit, and how much each has used.

Theory of operation. Of all limits that fit a client the most particular counts: its user with its client id, its user,
its client id; at each of these a name before the default, and all that name the user before those that name none:

    user+client  user+any client  user  any user+client  any user+any client  any user  client  any client

The level that counts also says who shares: clients of one user share the user's limit, connections with one client id
the client's. Each sharer has a meter. A meter that was silent for the whole span measures the same as a new one, so it
is forgotten then: what is kept is bounded by who was active in the last span.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Protocol, TypeVar

from riacho.base.sampled_rate import SampledRate
from riacho.base.token_bucket import TokenBucket
from riacho.metadata.image.client_quotas import CLIENT_ID, IP, USER, ClientQuotas

# The names that a limit is for: None where it does not look at this one, "" for the default.
_Names = tuple[str | None, str | None]
_ANY = ""
_KNOWN_MAX = 10_000
# Clients choose their ids: of a longer one this much counts, and so many meters there are. Whoever comes when there are
# more shares one with all others who do.
_ID_LENGTH_MAX = 255
_METERS_MAX = 50_000
_LATECOMERS = ("", "")


class Gauge(Protocol):
    last_ms: int

    @property
    def span_ms(self) -> int: ...


G = TypeVar("G", bound=Gauge)


class Meter(Generic[G]):
    """What one sharer of a limit has used."""

    __slots__ = ("bound", "client_id", "gauge", "throttled_ms", "user")

    def __init__(self, user: str | None, client_id: str | None, gauge: G) -> None:
        self.user = user
        self.client_id = client_id
        self.gauge = gauge
        self.bound = 0.0
        # All throttle times it was given.
        self.throttled_ms = 0


RateMeter = Meter[SampledRate]
TokenMeter = Meter[TokenBucket]


class ClientQuota(Generic[G]):
    def __init__(self, key: str, new_gauge: Callable[[], G]) -> None:
        self.key = key
        self.is_enabled = False
        self.throttled_count = 0
        self.throttled_ms = 0
        self._new_gauge = new_gauge
        self._limits: dict[_Names, float] = {}
        self._meters: dict[_Names, Meter[G]] = {}
        # By principal and client id, as they come with requests: found once.
        self._known: dict[tuple[str, str], Meter[G] | None] = {}
        self._sweep_ms = 0

    def set_limits(self, quotas: ClientQuotas) -> None:
        """What was used so far still counts."""
        limits: dict[_Names, float] = {}
        for entity, values in quotas.items():
            names = dict(entity)
            if self.key in values and IP not in names:
                limits[_named(names, USER), _named(names, CLIENT_ID)] = values[self.key]
        self._limits = limits
        self._known.clear()
        self.is_enabled = bool(limits)
        if not limits:
            self._meters.clear()

    def meter(self, principal: str, client_id: str, now_ms: int) -> Meter[G] | None:
        """Where this client's use is measured; None when nothing limits it."""
        if now_ms >= self._sweep_ms:
            self._sweep(now_ms)
        client_id = client_id[:_ID_LENGTH_MAX]
        who = (principal, client_id)
        try:
            return self._known[who]
        except KeyError:
            if len(self._known) >= _KNOWN_MAX:
                self._known.clear()
            found = self._known[who] = self._find(principal.partition(":")[2], client_id)
            return found

    def _find(self, user: str, client_id: str) -> Meter[G] | None:
        for limit_names, sharer in _levels(user, client_id):
            bound = self._limits.get(limit_names)
            if bound is not None:
                meter = self._meters.get(sharer)
                if meter is None and len(self._meters) >= _METERS_MAX:
                    sharer = _LATECOMERS
                    meter = self._meters.get(sharer)
                if meter is None:
                    meter = self._meters[sharer] = Meter(*sharer, self._new_gauge())
                meter.bound = bound
                return meter
        return None

    def throttled(self, meter: Meter[G], throttle_ms: int) -> None:
        self.throttled_count += 1
        self.throttled_ms += throttle_ms
        meter.throttled_ms += throttle_ms

    def meters(self) -> Iterator[Meter[G]]:
        yield from self._meters.values()

    def _sweep(self, now_ms: int) -> None:
        span_ms = self._new_gauge().span_ms
        self._sweep_ms = now_ms + span_ms
        idle = [sharer for sharer, meter in self._meters.items() if now_ms - meter.gauge.last_ms >= span_ms]
        if idle:
            for sharer in idle:
                del self._meters[sharer]
            self._known.clear()


def _named(names: dict[str, str | None], kind: str) -> str | None:
    return (names[kind] or _ANY) if kind in names else None


def _levels(user: str, client_id: str) -> Iterator[tuple[_Names, _Names]]:
    """(names of the limit, who shares it), the one that counts first."""
    if client_id:
        yield (user, client_id), (user, client_id)
        yield (user, _ANY), (user, client_id)
    yield (user, None), (user, None)
    if client_id:
        yield (_ANY, client_id), (user, client_id)
        yield (_ANY, _ANY), (user, client_id)
    yield (_ANY, None), (user, None)
    if client_id:
        yield (None, client_id), (None, client_id)
        yield (None, _ANY), (None, client_id)

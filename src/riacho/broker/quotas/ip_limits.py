"""Limits by address. Settings may name hosts: these count from when they have been looked up."""

from __future__ import annotations

import asyncio

from riacho.broker.requests.addresses import canonical, resolved
from riacho.metadata.image.client_quotas import CONNECTION_CREATION_RATE, IP, ClientQuotas


class IpLimits:
    def __init__(self) -> None:
        self._default: float | None = None
        self._limits: dict[str, float] = {}
        self._named: dict[str, float] = {}
        self._lookup: asyncio.Task[None] | None = None

    def __bool__(self) -> bool:
        return bool(self._limits) or self._default is not None

    def get(self, host: str, otherwise: float) -> float:
        if not self._limits and self._default is None:
            return otherwise
        found = self._limits.get(host, self._default)
        return otherwise if found is None else found

    def set_quotas(self, quotas: ClientQuotas) -> None:
        rates: dict[str, float] = {}
        self._default = None
        for entity, values in quotas.items():
            if entity[0][0] == IP and CONNECTION_CREATION_RATE in values:
                name = entity[0][1]
                if name is None:
                    self._default = values[CONNECTION_CREATION_RATE]
                else:
                    rates[name] = values[CONNECTION_CREATION_RATE]
        self.set_limits(rates)

    def set_limits(self, limits: dict[str, float]) -> None:
        self._limits = {}
        self._named = {}
        for name, limit in limits.items():
            address = canonical(name)
            if address is None:
                self._named[name] = limit
            else:
                self._limits[address] = limit
        if self._named:
            self._lookup = asyncio.get_running_loop().create_task(self._find(self._named))

    async def _find(self, named: dict[str, float]) -> None:
        for name, limit in named.items():
            for address in await resolved(asyncio.get_running_loop(), name):
                if self._named is named:
                    self._limits.setdefault(address, limit)


def overrides_of(text: str) -> dict[str, float]:
    """`host:count,host:count`; an address of version 6 has colons of its own."""
    found: dict[str, float] = {}
    for entry in text.split(","):
        host, colon, count = entry.strip().rpartition(":")
        if colon and count.strip().isdecimal():
            found[host.strip().strip("[]")] = int(count)
    return found

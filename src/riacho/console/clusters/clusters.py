"""The clusters of one console, by id."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.config import ConsoleConfig
from riacho.web.call import Call
from riacho.web.errors import ApiError


class Clusters:
    def __init__(self, config: ConsoleConfig) -> None:
        self._by_id = {each.id: ConsoleCluster(each, config) for each in config.clusters}

    def __iter__(self) -> Iterator[ConsoleCluster]:
        return iter(self._by_id.values())

    def of(self, call: Call) -> ConsoleCluster:
        """The one that `{c}` of the path names; ApiError 404."""
        found = self._by_id.get(call.segment("c"))
        if found is None:
            raise ApiError(404, 40401, "There is no cluster of that id.")
        return found

    def start(self) -> None:
        for each in self:
            each.start()

    async def stop(self) -> None:
        await asyncio.gather(*(each.stop() for each in self))

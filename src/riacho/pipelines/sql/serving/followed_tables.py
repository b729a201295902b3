"""Which tables are followed into the store: all of the catalogue, so that any table can be pulled."""

from __future__ import annotations

from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.plan.planner import decode
from riacho.pipelines.sql.serving.follower import Follower
from riacho.pipelines.sql.syntax.statements import Kind


class FollowedTables:
    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._known: dict[str, DataSource] = {}

    def follow(self, catalogue: Catalogue) -> None:
        """After every change of the catalogue."""
        wanted = {name: source for name, source in catalogue.sources.items() if source.kind is Kind.TABLE}
        for name in self._known.keys() - wanted.keys():
            self._follower.forget(name)
            del self._known[name]
        for name, source in wanted.items():
            if self._known.get(name) != source:
                self._follower.follow(name, decode(source, {}))
                self._known[name] = source

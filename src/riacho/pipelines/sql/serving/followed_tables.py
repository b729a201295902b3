"""Which tables are followed into the store: all of the catalogue, so that any table can be pulled."""

from __future__ import annotations

import logging

from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.plan.planner import decode
from riacho.pipelines.sql.serving.follower import Follower
from riacho.pipelines.sql.serving.table_store import StoreError
from riacho.pipelines.sql.syntax.statements import Kind

_log = logging.getLogger("riacho.ksql")


class FollowedTables:
    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._known: dict[str, DataSource] = {}

    def follow(self, catalogue: Catalogue) -> None:
        """After every change of the catalogue. A store that takes nothing is told of in the log; pulls say why."""
        wanted = {name: source for name, source in catalogue.sources.items() if source.kind is Kind.TABLE}
        try:
            for name in self._known.keys() - wanted.keys():
                self._follower.forget(name)
                del self._known[name]
            for name, source in wanted.items():
                if self._known.get(name) != source:
                    self._follower.follow(name, decode(source, {}), source.partitions)
                    self._known[name] = source
        except StoreError as error:
            _log.error("a table cannot be served: %s", error)

"""Alerts at work: every look is put to the rules of its cluster; what fires is told to pages and webhooks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.clusters.clusters import Clusters
from riacho.console.clusters.watch import STARTING, UP, Watch
from riacho.console.events import Events
from riacho.console.history.alert_rules import Rule, RuleFile
from riacho.console.history.alerts import Alert, Alerts, Failures
from riacho.console.history.webhook import Webhooks
from riacho.console.services.connect import Expanded
from riacho.web.errors import ApiError

_log = logging.getLogger("riacho.console")
_FAILURES_EVERY_MS = 30_000
_FAILED_TASK, _FAILED_QUERY = "FAILED", "ERROR"


class ClusterAlerts:
    def __init__(
        self,
        cluster: ConsoleCluster,
        directory: Path,
        events: Events,
        webhooks: Webhooks,
        clock_ms: Callable[[], int],
    ) -> None:
        self._cluster = cluster
        self._file = RuleFile(directory, cluster.id)
        self.alerts = Alerts(self._file.load())
        self._events = events
        self._webhooks = webhooks
        self._clock_ms = clock_ms
        self._failed: dict[str, Failures] = {}
        self._asked_ms = 0
        self._asking: asyncio.Task[None] | None = None
        cluster.watch.on_look.append(self.looked)

    def set_rules(self, rules: list[Rule]) -> None:
        """OSError where they cannot be kept; then the old ones hold."""
        self._file.save(rules)
        self.alerts.set_rules(rules)

    def looked(self, watch: Watch) -> None:
        if watch.state == STARTING:
            return
        now_ms = self._clock_ms()
        self._ask_for_failures(now_ms)
        told = self.alerts.step(watch.picture, is_up=watch.state == UP, failed=self._failed, now_ms=now_ms)
        for alert in told:
            self._tell(alert)

    async def stop(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            with suppress(asyncio.CancelledError):
                await self._asking

    def _tell(self, alert: Alert) -> None:
        _log.info("alert is %s cluster=%s rule=%s target=%s", alert.state, self._cluster.id, alert.rule, alert.target)
        self._events.publish(self._cluster.id, "alert", msgspec.json.encode(alert))
        self._webhooks.tell(self._cluster.id, alert)

    def _ask_for_failures(self, now_ms: int) -> None:
        services = self._cluster.services
        askers: dict[str, Callable[[], Awaitable[Failures]]] = {}
        if services.connect.is_there:
            askers["failed_tasks"] = self._failed_tasks
        if services.ksql.is_there:
            askers["failed_queries"] = self._failed_queries
        wanted = [kind for kind in askers if any(rule.kind == kind and rule.is_on for rule in self.alerts.rules)]
        is_soon = now_ms - self._asked_ms < _FAILURES_EVERY_MS
        if not wanted or is_soon or (self._asking and not self._asking.done()):
            return
        self._asked_ms = now_ms
        self._asking = asyncio.get_running_loop().create_task(self._ask({kind: askers[kind] for kind in wanted}))

    async def _ask(self, askers: Mapping[str, Callable[[], Awaitable[Failures]]]) -> None:
        for kind, ask in askers.items():
            try:
                self._failed[kind] = await ask()
            except ApiError:
                self._failed[kind] = None

    async def _failed_tasks(self) -> Failures:
        # What was known before a service went away is not what is so now.
        found = await self._cluster.services.connect.all.now()
        return None if found.stale_reason else {name: _failed(each) for name, each in found.value.items()}

    async def _failed_queries(self) -> Failures:
        found = await self._cluster.services.ksql.queries.now()
        return None if found.stale_reason else {each.id: int(each.state == _FAILED_QUERY) for each in found.value}


class Alerting:
    def __init__(
        self, clusters: Clusters, directory: Path, events: Events, webhooks: Webhooks, clock_ms: Callable[[], int]
    ) -> None:
        self.webhooks = webhooks
        self._by_id = {each.id: ClusterAlerts(each, directory, events, webhooks, clock_ms) for each in clusters}

    def of(self, cluster_id: str) -> ClusterAlerts:
        return self._by_id[cluster_id]

    def start(self) -> None:
        self.webhooks.start()

    async def stop(self) -> None:
        await asyncio.gather(*(each.stop() for each in self._by_id.values()))
        await self.webhooks.stop()


def _failed(connector: Expanded) -> int:
    """Its tasks that failed, and itself."""
    status = connector.status
    return 0 if status is None else sum(each.state == _FAILED_TASK for each in (status.connector, *status.tasks))

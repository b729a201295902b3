"""Alerts at work: every look is put to the rules of its cluster; what fires is told to pages and webhooks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.clusters.clusters import Clusters
from riacho.console.clusters.watch import STARTING, UP, Watch
from riacho.console.events import Events
from riacho.console.history.alert_rules import Rule, RuleFile
from riacho.console.history.alerts import Alert, Alerts
from riacho.console.history.webhook import Webhooks
from riacho.console.services.connect import Expanded
from riacho.web.errors import ApiError

_log = logging.getLogger("riacho.console")
_TASKS_EVERY_MS = 30_000
_FAILED = "FAILED"


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
        self._failed_tasks: dict[str, int] | None = None
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
        self._ask_for_tasks(now_ms)
        told = self.alerts.step(watch.picture, is_up=watch.state == UP, failed_tasks=self._failed_tasks, now_ms=now_ms)
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

    def _ask_for_tasks(self, now_ms: int) -> None:
        is_there = self._cluster.services.connect.is_there
        is_wanted = is_there and any(rule.kind == "failed_tasks" and rule.is_on for rule in self.alerts.rules)
        if not is_wanted or now_ms - self._asked_ms < _TASKS_EVERY_MS or (self._asking and not self._asking.done()):
            return
        self._asked_ms = now_ms
        self._asking = asyncio.get_running_loop().create_task(self._ask())

    async def _ask(self) -> None:
        try:
            found = await self._cluster.services.connect.all.now()
        except ApiError:
            self._failed_tasks = None
            return
        # What was known before Connect went away is not what is so now.
        self._failed_tasks = None if found.stale_reason else {name: _failed(each) for name, each in found.value.items()}


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
    return 0 if status is None else sum(each.state == _FAILED for each in (status.connector, *status.tasks))

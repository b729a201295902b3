"""Whether a broker is well: its process lives, it answers, it is in the cluster, and its replicas are in sync; and
whether a service is: its process lives, and it says so."""

from __future__ import annotations

import time
from typing import NamedTuple

from riacho.base.errors import KafkaError
from riacho.cli.supervisor.readiness import is_healthy
from riacho.cli.supervisor.run_state import BrokerState, Phase, RunState, ServiceState
from riacho.cli.views.cluster_view import ClusterView, view_cluster, view_metadata
from riacho.client.cluster import Cluster
from riacho.client.loopback import HOST
from riacho.client.settings import client_settings

_TIMEOUT_MS = 3_000
_NOTHING_KNOWN = ClusterView(frozenset(), 0, 0, [], [], {}, None)


class Answer(NamedTuple):
    """What came of asking one broker."""

    answer_ms: float | None
    view: ClusterView | None
    trouble: str | None


class Health(NamedTuple):
    node_id: int
    bootstrap: str
    metrics: str | None
    pid: int
    is_alive: bool
    phase: str
    is_controller: bool
    is_active_controller: bool
    answer_ms: float | None
    leaders: int
    replicas: int
    in_sync: int
    restarts: int
    trouble: str | None

    @property
    def is_well(self) -> bool:
        return self.trouble is None


class ServiceHealth(NamedTuple):
    name: str
    url: str
    pid: int
    is_alive: bool
    phase: str
    answer_ms: float | None
    restarts: int
    log: str
    trouble: str | None


class ClusterHealth(NamedTuple):
    brokers: list[Health]
    # As the first broker that answered sees it.
    view: ClusterView | None
    trouble: str | None
    services: list[ServiceHealth] = []

    @property
    def is_well(self) -> bool:
        parts = [*(broker.trouble for broker in self.brokers), *(service.trouble for service in self.services)]
        return self.trouble is None and not any(parts)


def examine(state: RunState) -> ClusterHealth:
    answers = [_ask(broker) for broker in state.brokers]
    view = next((answer.view for answer in answers if answer.view is not None), None)
    if view is not None:
        view = view._replace(controller_id=_active_controller(state, answers))
    healths = [health_of(broker, answer, view) for broker, answer in zip(state.brokers, answers, strict=True)]
    services = [examine_service(service) for service in state.services]
    return ClusterHealth(healths, view, _cluster_trouble(state, view), services)


def health_of(broker: BrokerState, answer: Answer, view: ClusterView | None) -> Health:
    is_alive = broker.process.is_alive
    share = (view or _NOTHING_KNOWN).share(broker.node_id)
    trouble = answer.trouble
    if broker.phase is Phase.STOPPED:
        trouble = "stopped by `riacho down`"
    elif not is_alive:
        trouble = "crashed; it is started again" if broker.phase is Phase.WAITING else "the process is gone"
    elif trouble is None and broker.phase is not Phase.RUNNING:
        trouble = broker.phase.value
    elif trouble is None and view is not None and broker.node_id not in view.live:
        trouble = "fenced: the controller does not count on it"
    elif trouble is None and share.behind:
        trouble = f"{share.behind} replicas are behind"
    return Health(
        broker.node_id,
        broker.bootstrap,
        broker.metrics,
        broker.process.pid,
        is_alive,
        broker.phase.value,
        broker.is_controller,
        view is not None and view.controller_id == broker.node_id,
        answer.answer_ms,
        share.leaders,
        share.replicas,
        share.in_sync,
        broker.restarts,
        trouble,
    )


def examine_service(service: ServiceState) -> ServiceHealth:
    port = int(service.url.rpartition(":")[2])
    started = time.monotonic()
    is_well = is_healthy(HOST, port, _TIMEOUT_MS / 1000)
    answer_ms = round((time.monotonic() - started) * 1000, 1) if is_well else None
    is_alive = service.process.is_alive
    trouble = None
    if not is_alive:
        trouble = "crashed; it is started again" if service.phase is Phase.WAITING else "the process is gone"
    elif service.phase is not Phase.RUNNING:
        trouble = service.phase.value
    elif not is_well:
        trouble = f"it does not say that it is well; see {service.log}"
    return ServiceHealth(
        service.name,
        service.url,
        service.process.pid,
        is_alive,
        service.phase.value,
        answer_ms,
        service.restarts,
        service.log,
        trouble,
    )


def open_quick(bootstrap: str) -> Cluster:
    """For a look, not for work: no answer soon is an answer too."""
    settings = client_settings(bootstrap, {})._replace(
        connect_timeout_ms=_TIMEOUT_MS, request_timeout_ms=_TIMEOUT_MS, reach_timeout_ms=0, api_timeout_ms=_TIMEOUT_MS
    )
    return Cluster(settings)


def _ask(broker: BrokerState) -> Answer:
    if broker.phase is Phase.STOPPED:
        return Answer(None, None, None)
    started = time.monotonic()
    try:
        with open_quick(broker.bootstrap) as cluster:
            view = view_metadata(cluster.metadata(), None)
    except KafkaError as error:
        return Answer(None, None, error.detail.rstrip("."))
    return Answer(round((time.monotonic() - started) * 1000, 1), view, None)


def _active_controller(state: RunState, answers: list[Answer]) -> int | None:
    answered = [b.bootstrap for b, answer in zip(state.brokers, answers, strict=True) if answer.view is not None]
    try:
        with open_quick(",".join(answered)) as cluster:
            return view_cluster(cluster).controller_id
    except KafkaError:
        return None


def _cluster_trouble(state: RunState, view: ClusterView | None) -> str | None:
    if not state.supervisor.is_alive:
        return "the supervisor is gone"
    if view is None:
        return "no broker answers"
    if view.leaderless:
        return f"{len(view.leaderless)} partitions have no leader"
    return f"{len(view.out_of_sync)} partitions have too few replicas in sync" if view.out_of_sync else None

"""Live figures of one cluster as server-sent events: `overview` after each look, `cluster` when its state changes."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.console.api.clusters import cluster_row
from riacho.console.api.overview import overview
from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.clusters.watch import Seen, Watch
from riacho.console.events import encoded
from riacho.console.parts import Parts
from riacho.web.answers import stream_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_STREAM = "text/event-stream"


def endpoints(parts: Parts) -> list[Endpoint]:
    for each in parts.clusters:
        each.watch.on_look.append(_Teller(parts, each))

    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        first = encoded("cluster", msgspec.json.encode(cluster_row(cluster))) + _overview_event(parts, cluster)
        pieces = parts.events.follow(cluster.id, first, call)
        return stream_answer(pieces, media_type=_STREAM, headers=_HEADERS)

    return [
        Endpoint("GET", "/api/v1/clusters/{c}/events", get, "Live figures, as server-sent events.", tag="events",
                 answers={200: str}, answer_types=(_STREAM,), is_followed=True),
    ]  # fmt: skip


class _Teller:
    """After each look at one cluster."""

    def __init__(self, parts: Parts, cluster: ConsoleCluster) -> None:
        self._parts = parts
        self._cluster = cluster
        self._told_state: tuple[str, str | None] | None = None

    def __call__(self, watch: Watch) -> None:
        events, cluster = self._parts.events, self._cluster
        state = (watch.state, watch.reason)
        if state != self._told_state:
            self._told_state = state
            events.publish(cluster.id, "cluster", msgspec.json.encode(cluster_row(cluster)))
        if watch.picture is not None and events.has_followers(cluster.id):
            events.publish(cluster.id, "overview", _overview_json(self._parts, cluster, watch))


def _overview_event(parts: Parts, cluster: ConsoleCluster) -> bytes:
    if cluster.watch.picture is None:
        return b""
    return encoded("overview", _overview_json(parts, cluster, cluster.watch))


def _overview_json(parts: Parts, cluster: ConsoleCluster, watch: Watch) -> bytes:
    assert watch.picture is not None
    return msgspec.json.encode(overview(Seen(watch.picture, watch.stale_reason), parts.rates.of_cluster(cluster.id)))

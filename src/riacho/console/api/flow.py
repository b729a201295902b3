"""The flow map: who writes to which topics and who reads them, with rates where brokers tell."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

from starlette.responses import Response

from riacho.base.errors import KafkaError
from riacho.base.lru_cache import LruCache
from riacho.client.cluster import Cluster
from riacho.client.group_members import member_client_ids
from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.clusters.picture import Picture
from riacho.console.history.flow_map import Connector, FlowMap, flow_map
from riacho.console.history.flow_map import Query as FlowQuery
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

# All of them in one request of each coordinator.
_GROUPS_MAX = 500
_CONNECTORS_MAX = 100
_KEPT_S = 30.0
_KEPT_MAX = 100
_DESCRIBED = ("consumer", "classic")

T = TypeVar("T")
Members = dict[str, frozenset[str]]


def endpoints(parts: Parts) -> list[Endpoint]:
    # By cluster: when it was asked, and the answer. Members and connectors' topics take a call each.
    kept: LruCache[str, tuple[float, Members, list[Connector]]] = LruCache(_KEPT_MAX)
    asking = asyncio.Lock()

    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        picture = (await cluster.watch.now()).picture
        clients = parts.history.of(cluster.id).clients(parts.door.now_ms())
        async with asking:
            found = kept.get(cluster.id)
            if found is None or time.monotonic() - found[0] > _KEPT_S:
                members = (
                    {}
                    if clients is None
                    else await _or(cluster.kafka.ask(lambda c: client_ids_of_groups(c, picture)), {})
                )
                connectors = await _or(_connectors(cluster), [])
                found = kept.put(cluster.id, (time.monotonic(), members, connectors))
        queries = await _or(_queries(cluster), [])
        # Of ten thousand groups it takes a while.
        made = await asyncio.to_thread(
            flow_map, picture, clients, found[1], found[2], queries, topic=call.text("topic") or None
        )
        return json_answer(made)

    return [
        Endpoint("GET", "/api/v1/clusters/{c}/flow", get, "Who writes to and reads from what.", tag="flow",
                 query=(Query("topic", str, "Only what is one step from this topic."),), answers={200: FlowMap}),
    ]  # fmt: skip


async def _or(asked: Awaitable[T], otherwise: T) -> T:
    """A part of the map that cannot be asked for leaves the others as they are."""
    try:
        return await asked
    except ApiError:
        return otherwise


def client_ids_of_groups(cluster: Cluster, picture: Picture) -> Members:
    """Client ids by group, of the groups that somebody is in."""
    present = [each for each in picture.groups.values() if each.members and each.type in _DESCRIBED]
    busiest = sorted(present, key=lambda each: -(each.lag or 0))[:_GROUPS_MAX]
    alike: dict[tuple[int, str], list[str]] = {}
    for group in busiest:
        alike.setdefault((group.coordinator, group.type.title()), []).append(group.id)
    found: Members = {}
    for (coordinator, kind), ids in alike.items():
        with suppress(KafkaError):
            found |= member_client_ids(cluster, coordinator, kind, ids)
    return found


async def _connectors(cluster: ConsoleCluster) -> list[Connector]:
    connect = cluster.services.connect
    if not connect.is_there:
        return []
    found = []
    for name, told in list((await connect.all.now()).value.items())[:_CONNECTORS_MAX]:
        topics = await _or(connect.topics(name), None) or [
            each.strip() for each in told.info.config.get("topics", "").split(",") if each.strip()
        ]
        state = None if told.status is None else told.status.connector.state
        found.append(Connector(name, told.info.type, state, tuple(topics)))
    return found


async def _queries(cluster: ConsoleCluster) -> list[FlowQuery]:
    ksql = cluster.services.ksql
    if not ksql.is_there:
        return []
    topics = {source.name: source.topic for source in (await ksql.sources.now()).value}
    return [
        FlowQuery(
            query.id,
            query.state,
            tuple(topics[name] for name in query.sources if name in topics),
            tuple(topics[name] for name in query.sinks if name in topics),
        )
        for query in (await ksql.queries.now()).value
    ]

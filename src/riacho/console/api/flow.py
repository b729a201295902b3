"""The flow map: who writes to which topics and who reads them, with rates where brokers tell.

It is made once of the same facts: pages that ask for it between two looks get the same bytes. What takes calls of its
own (members of groups, topics of connectors) is asked for beside the pages, and nobody but the first waits for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple, TypeVar

import msgspec
from starlette.responses import Response

from riacho.base.errors import KafkaError
from riacho.base.lru_cache import LruCache
from riacho.client.cluster import Cluster
from riacho.client.group_members import member_client_ids
from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.clusters.picture import Picture
from riacho.console.history.flow_map import Connector, FlowMap, flow_map
from riacho.console.history.flow_map import Query as FlowQuery
from riacho.console.history.measuring import ClientKey
from riacho.console.parts import Parts
from riacho.web.answers import raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

# All of them in one request of each coordinator.
_GROUPS_MAX = 500
_CONNECTORS_MAX = 100
# What is older is asked for anew; what is much older is not shown meanwhile.
_KEPT_S = 30.0
_SHOWN_S = 90.0
# Maps that are at hand, some 50 KB each.
_MAPS_MAX = 32
_DESCRIBED = ("consumer", "classic")

T = TypeVar("T")
Members = dict[str, frozenset[str]]
Clients = dict[ClientKey, float] | None


class _Asked(NamedTuple):
    """`is_known`: members were asked for, as there are rates for them."""

    members: Members
    connectors: list[Connector]
    is_known: bool


class _Facts(NamedTuple):
    """What a map is made of, beside the picture."""

    clients: Clients
    asked: _Asked
    queries: list[FlowQuery]


class _Maps:
    """Maps of the last picture of one cluster, as they are answered, by topic. Of those before none is kept: each would
    hold its picture."""

    def __init__(self) -> None:
        self._picture: Picture | None = None
        self._made: LruCache[str, tuple[_Facts, bytes]] = LruCache(_MAPS_MAX)

    async def of(self, picture: Picture, facts: _Facts, topic: str | None) -> bytes:
        if picture is not self._picture:
            self._picture, self._made = picture, LruCache(_MAPS_MAX)
        known = self._made.get(topic or "")
        if known is not None and known[0] == facts:
            return known[1]
        # Of ten thousand groups it takes some milliseconds.
        answer = await asyncio.to_thread(_answer, picture, facts, topic)
        if picture is self._picture:
            self._made.put(topic or "", (facts, answer))
        return answer


def _answer(picture: Picture, facts: _Facts, topic: str | None) -> bytes:
    clients, asked, queries = facts
    return msgspec.json.encode(flow_map(picture, clients, asked.members, asked.connectors, queries, topic=topic))


class FlowParts:
    """What takes calls of its own, of one cluster."""

    def __init__(self, cluster: ConsoleCluster, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._cluster = cluster
        self._clock_s = clock_s
        self._known: tuple[float, _Asked] | None = None
        self._asking: asyncio.Task[_Asked] | None = None

    async def now(self, picture: Picture, *, with_members: bool) -> _Asked:
        known = self._known
        if known is not None and (known[1].is_known or not with_members):
            age_s = self._clock_s() - known[0]
            if age_s > _KEPT_S:
                self._ask(picture, with_members)
            if age_s <= _SHOWN_S:
                return known[1]
        return await asyncio.shield(self._ask(picture, with_members))

    def _ask(self, picture: Picture, with_members: bool) -> asyncio.Task[_Asked]:
        if self._asking is None or self._asking.done():
            self._asking = self._cluster.tasks.start(self._asked(picture, with_members), name="console-flow")
        return self._asking

    async def _asked(self, picture: Picture, with_members: bool) -> _Asked:
        members: Members = {}
        if with_members:
            members = await _or(self._cluster.kafka.ask(lambda c: client_ids_of_groups(c, picture)), members)
        asked = _Asked(members, await _or(_connectors(self._cluster), []), with_members)
        self._known = (self._clock_s(), asked)
        return asked


def endpoints(parts: Parts) -> list[Endpoint]:
    by_cluster = {each.id: (FlowParts(each), _Maps()) for each in parts.clusters}

    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        beside, maps = by_cluster[cluster.id]
        picture = (await cluster.watch.now()).picture
        clients = parts.history.of(cluster.id).clients(parts.door.now_ms())
        asked = await beside.now(picture, with_members=clients is not None)
        facts = _Facts(clients, asked, await _or(_queries(cluster), []))
        return raw_json(await maps.of(picture, facts, call.text("topic") or None))

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

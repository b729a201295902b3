"""Who writes to and reads from what: producers -> topics -> groups, connectors, queries, with rates. No network here.

Who produces is known to brokers of ours alone (`broker/counters/client_counts.py`); on other clusters the map has no
producers, and says so. A consumer is its group where the group's members tell so without doubt: where two groups read a
topic by the same client id, whose bytes they were is not known, and neither gets a rate. Clients of connectors and
queries are known by the names that Connect and ksqlDB give them.

What does not fit into the bound is counted, the quiet first. Groups are by far the most of a large cluster, and few of
them fit: they are weighed as the picture has them, and made into nodes and edges only where they stay. Around one topic
only what has to do with it is looked at.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import NamedTuple

import msgspec

from riacho.console.clusters.picture import GroupFacts, Picture
from riacho.console.history.measuring import ClientKey

NODES_MAX = 300
# As brokers name them.
PRODUCED, FETCHED = "produce", "fetch"
ONLY_GROUPS = (
    "Who produces is known of Riacho's brokers alone, where metrics.url names them: this map has groups, connectors "
    "and queries."
)
_CONNECT_GROUP = "connect-"
_CONNECTORS_CLIENTS = ("connector-consumer-", "connector-producer-", "connector-dlq-producer-")
_QUERYS_CLIENTS = "query_"
# A known rate weighs more than any number of edges without one.
_EDGE_WEIGHT = 1e-6


class FlowNode(msgspec.Struct, frozen=True, omit_defaults=False):
    """`kind`: producer, topic, group, consumer (one without a group), connector or query."""

    id: str
    kind: str
    name: str
    principal: str | None = None
    state: str | None = None
    lag: int | None = None
    # Of a topic: of the platform's own, as lists leave out unless they are asked for.
    is_internal: bool = False


class FlowEdge(msgspec.Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """`rate_per_s` in bytes; null where it is not known."""

    source: str
    target: str
    rate_per_s: float | None = None


class FlowMap(msgspec.Struct):
    nodes: list[FlowNode]
    edges: list[FlowEdge]
    # Nodes that did not fit.
    left_out: int
    # What the map does not have, and why.
    about: str | None = None


class Connector(NamedTuple):
    name: str
    # source or sink
    type: str
    state: str | None
    topics: tuple[str, ...]


class Query(NamedTuple):
    id: str
    state: str | None
    reads: tuple[str, ...]
    writes: tuple[str, ...]


class _Map:
    """All but groups; of these the rates of what they read, where that is known."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self.nodes: dict[str, FlowNode] = {}
        self.edges: dict[tuple[str, str], float | None] = {}
        # By topic and group.
        self.read: dict[tuple[str, str], float] = {}

    def node(self, kind: str, name: str, **more: object) -> str:
        node_id = f"{kind}:{name}"
        if node_id not in self.nodes:
            facts = self._picture.topics.get(name) if kind == "topic" else None
            is_internal = facts is not None and facts.is_internal
            self.nodes[node_id] = FlowNode(node_id, kind, name, is_internal=is_internal, **more)  # type: ignore[arg-type]
        return node_id

    def edge(self, source: str, target: str, rate: float | None) -> None:
        known = self.edges.get((source, target))
        self.edges[source, target] = known if rate is None else rate + (known or 0.0)


def flow_map(
    picture: Picture,
    clients: Mapping[ClientKey, float] | None,
    members: Mapping[str, frozenset[str]],
    connectors: Iterable[Connector] = (),
    queries: Iterable[Query] = (),
    *,
    topic: str | None = None,
    nodes_max: int = NODES_MAX,
) -> FlowMap:
    """`members`: client ids by group. `topic`: only what is one step from it."""
    made = _Map(picture)
    connectors, queries = list(connectors), list(queries)
    by_connector = {f"{_CONNECT_GROUP}{each.name}" for each in connectors}
    for connector in connectors:
        if topic is None or topic in connector.topics:
            own = made.node("connector", connector.name, state=connector.state)
            for name in _around(topic, connector.topics):
                ends = (own, made.node("topic", name))
                made.edge(*(ends if connector.type == "source" else ends[::-1]), None)
    for query in queries:
        if topic is None or topic in (*query.reads, *query.writes):
            own = made.node("query", query.id, state=query.state)
            for name in _around(topic, query.reads):
                made.edge(made.node("topic", name), own, None)
            for name in _around(topic, query.writes):
                made.edge(own, made.node("topic", name), None)
    if clients is not None:
        near = clients if topic is None else {key: rate for key, rate in clients.items() if key[3] == topic}
        working = _working({each.name for each in connectors}, {each.id for each in queries}, near)
        _add_clients(made, picture, near, members, by_connector, working)
    reading = (g for g in picture.groups.values() if (g.topics if topic is None else topic in g.topics))
    groups = [each for each in reading if each.id not in by_connector]
    return _bounded(made, groups, topic, nodes_max, None if clients is not None else ONLY_GROUPS)


def _around(topic: str | None, names: Iterable[str]) -> Iterable[str]:
    return names if topic is None else [name for name in names if name == topic]


def _working(connectors: set[str], queries: set[str], clients: Iterable[ClientKey]) -> dict[str, str]:
    """The node of each client id that is a connector's or a query's."""
    found: dict[str, str] = {}
    for _, _, client_id, _ in clients:
        name, query = _connector_of(client_id), client_id.partition(_QUERYS_CLIENTS)[2].partition("-")[0]
        # Kafka's workers put the task's number behind the name, Kafka Streams a UUID behind the query.
        for each in (name, name.rpartition("-")[0]):
            if each in connectors:
                found.setdefault(client_id, f"connector:{each}")
        if query in queries:
            found.setdefault(client_id, f"query:{query}")
    return found


def _connector_of(client_id: str) -> str:
    prefix = next((each for each in _CONNECTORS_CLIENTS if client_id.startswith(each)), None)
    return "" if prefix is None else client_id[len(prefix) :]


def _add_clients(
    made: _Map,
    picture: Picture,
    clients: Mapping[ClientKey, float],
    members: Mapping[str, frozenset[str]],
    by_connector: set[str],
    working: Mapping[str, str],
) -> None:
    groups_of: dict[tuple[str, str], list[str]] = {}
    for group_id, client_ids in members.items():
        group = picture.groups.get(group_id)
        for client_id in client_ids if group is not None else ():
            for name in group.topics if group is not None else ():
                groups_of.setdefault((client_id, name), []).append(group_id)
    for (direction, principal, client_id, name), rate in clients.items():
        facts = picture.topics.get(name)
        if facts is None or facts.is_internal:
            continue
        topic = made.node("topic", name)
        own = working.get(client_id)
        if own is not None:
            made.edge(*((own, topic) if direction == PRODUCED else (topic, own)), rate)
        elif direction == PRODUCED:
            label = client_id or principal
            producer = made.node("producer", f"{principal}/{client_id}")
            made.nodes[producer] = FlowNode(producer, "producer", label, principal)
            made.edge(producer, topic, rate)
        elif direction == FETCHED:
            found = groups_of.get((client_id, name), [])
            if not found:
                consumer = made.node("consumer", f"{principal}/{client_id}")
                made.nodes[consumer] = FlowNode(consumer, "consumer", client_id or principal, principal)
                made.edge(topic, consumer, rate)
            elif len(found) == 1 and found[0] not in by_connector:
                made.read[name, found[0]] = made.read.get((name, found[0]), 0.0) + rate


def _bounded(made: _Map, groups: list[GroupFacts], topic: str | None, nodes_max: int, about: str | None) -> FlowMap:
    if topic is None:
        readers, reads = Counter(chain.from_iterable(g.topics for g in groups)), [len(g.topics) for g in groups]
    else:
        readers, reads = Counter({topic: len(groups)} if groups else {}), [1] * len(groups)
    weights = _weights(made)
    for node_id, edges in _most_edges(groups, reads, readers, nodes_max).items():
        weights[node_id] = weights.get(node_id, 0.0) + edges * _EDGE_WEIGHT
    kept = {node_id for _, node_id in heapq.nsmallest(nodes_max, ((-w, node_id) for node_id, w in weights.items()))}
    count = len(made.nodes) + len(groups) + sum(f"topic:{name}" not in made.nodes for name in readers)
    found = [FlowEdge(*ends, rate) for ends, rate in made.edges.items() if kept.issuperset(ends)]
    for group in groups:
        own = f"group:{group.id}"
        if own in kept:
            made.node("group", group.id, state=group.state, lag=group.lag)
            for name in _around(topic, group.topics):
                if f"topic:{name}" in kept:
                    found.append(FlowEdge(made.node("topic", name), own, made.read.get((name, group.id))))
    for node_id in kept - made.nodes.keys():
        made.node(*node_id.split(":", 1))
    return FlowMap([node for node_id, node in made.nodes.items() if node_id in kept], found, count - len(kept), about)


def _weights(made: _Map) -> dict[str, float]:
    """Of all but what groups read without a known rate."""
    weights = dict.fromkeys(made.nodes, 0.0)
    for ends, rate in made.edges.items():
        for end in ends:
            weights[end] += (rate or 0.0) + _EDGE_WEIGHT
    for (name, group_id), rate in made.read.items():
        for end in (f"topic:{name}", f"group:{group_id}"):
            weights[end] = weights.get(end, 0.0) + rate
    return weights


def _most_edges(groups: list[GroupFacts], reads: list[int], readers: Counter[str], nodes_max: int) -> dict[str, int]:
    """Groups and topics that have the most edges, and how many; of those that have as many, the first by id."""
    sizes = Counter(reads) + Counter(readers.values())
    least, room = 0, nodes_max
    for least in sorted(sizes, reverse=True):
        room -= sizes[least]
        if room <= 0:
            break
    more = {f"group:{g.id}": n for g, n in zip(groups, reads, strict=True) if n > least}
    more |= {f"topic:{name}": n for name, n in readers.items() if n > least}
    # The picture has groups in their order.
    as_many = chain(
        islice((f"group:{g.id}" for g, n in zip(groups, reads, strict=True) if n == least), nodes_max),
        (f"topic:{name}" for name in heapq.nsmallest(nodes_max, (name for name, n in readers.items() if n == least))),
    )
    return more | dict.fromkeys(as_many, least)

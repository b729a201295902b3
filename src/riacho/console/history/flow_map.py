"""Who writes to and reads from what: producers -> topics -> groups, connectors, queries, with rates. No network here.

Who produces is known to brokers of ours alone (`broker/counters/client_counts.py`); on other clusters the map has no
producers, and says so. A consumer is its group where the group's members tell so without doubt: where two groups read a
topic by the same client id, whose bytes they were is not known, and neither gets a rate. Clients of connectors and
queries are known by the names that Connect and ksqlDB give them. What does not fit into the bound is counted, the quiet
first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    def __init__(self, internal: set[str]) -> None:
        self._internal = internal
        self.nodes: dict[str, FlowNode] = {}
        self.edges: dict[tuple[str, str], float | None] = {}

    def node(self, kind: str, name: str, **more: object) -> str:
        node_id = f"{kind}:{name}"
        if node_id not in self.nodes:
            is_internal = kind == "topic" and name in self._internal
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
    made = _Map({name for name, facts in picture.topics.items() if facts.is_internal})
    connectors, queries = list(connectors), list(queries)
    by_connector = {f"{_CONNECT_GROUP}{each.name}" for each in connectors}
    _add_groups(made, _groups_of(picture, topic), by_connector)
    for connector in connectors:
        own = made.node("connector", connector.name, state=connector.state)
        for name in connector.topics:
            ends = (own, made.node("topic", name))
            made.edge(*(ends if connector.type == "source" else ends[::-1]), None)
    for query in queries:
        own = made.node("query", query.id, state=query.state)
        for name in query.reads:
            made.edge(made.node("topic", name), own, None)
        for name in query.writes:
            made.edge(own, made.node("topic", name), None)
    if clients is not None:
        working = _working({each.name for each in connectors}, {each.id for each in queries}, clients)
        _add_clients(made, picture, clients, members, by_connector, working)
    return _bounded(made, topic, nodes_max, None if clients is not None else ONLY_GROUPS)


def _groups_of(picture: Picture, topic: str | None) -> Iterable[GroupFacts]:
    """Those that read the topic, all without one."""
    groups = picture.groups.values()
    return groups if topic is None else [each for each in groups if topic in each.topics]


def _add_groups(made: _Map, groups: Iterable[GroupFacts], by_connector: set[str]) -> None:
    for group in groups:
        if group.id in by_connector:
            continue
        for name in group.topics:
            own = made.node("group", group.id, state=group.state, lag=group.lag)
            made.edge(made.node("topic", name), own, None)


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
                made.edge(topic, f"group:{found[0]}", rate)


def _bounded(made: _Map, topic: str | None, nodes_max: int, about: str | None) -> FlowMap:
    nodes, edges = made.nodes, made.edges
    if topic is not None:
        centre = f"topic:{topic}"
        edges = {ends: rate for ends, rate in edges.items() if centre in ends}
        near = {end for ends in edges for end in ends} | {centre}
        nodes = {node_id: node for node_id, node in nodes.items() if node_id in near}
    weights = dict.fromkeys(nodes, 0.0)
    for ends, rate in edges.items():
        for end in ends:
            if end in weights:
                # A known rate weighs more than any number of edges without one.
                weights[end] += (rate or 0.0) + 1e-6
    kept = set(sorted(weights, key=lambda each: (-weights[each], each))[:nodes_max])
    return FlowMap(
        [node for node_id, node in nodes.items() if node_id in kept],
        [FlowEdge(*ends, rate) for ends, rate in edges.items() if kept.issuperset(ends)],
        len(nodes) - len(kept),
        about,
    )

"""From two looks at a cluster, and two answers of its brokers, the figures of the time between. No clock, no network.

Brokers of ours count bytes and messages. Of any other Kafka it is known where partitions end, so messages by topic are
the difference of offsets (markers of transactions among them); bytes are not known, which is not 0. Of topics and
groups the busiest are kept one by one, the others as a sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nlargest
from typing import NamedTuple

from riacho.base.metrics import label_text
from riacho.console.clusters.picture import Picture, TopicFacts
from riacho.console.history.node_counters import NodeAnswer, TopicCounts, elapsed_s

TOPICS_MAX = 160
GROUPS_MAX = 200
BROKERS_MAX = 40
# How much busier another has to be before it takes the place of one that is followed.
_STAY = 1.5
_MEMORY = 0.9
_SCORES_MAX = 5_000
REST = {"rest": "true"}

ClientKey = tuple[str, str, str, str]


class Flow(NamedTuple):
    """How fast something flows, per second; None is unknown."""

    bytes_in: float | None = None
    bytes_out: float | None = None
    messages_in: float | None = None


_STILL = Flow(0.0, 0.0, 0.0)


class Measured(NamedTuple):
    """`clients`: bytes per second by direction, principal, client id and topic; None where no broker tells."""

    cluster: Flow
    requests: float | None
    topics: Mapping[str, Flow]
    clients: Mapping[ClientKey, float] | None
    values: Mapping[str, float | None]


def series(name: str, labels: Mapping[str, str] | None = None) -> str:
    return name + label_text(labels) if labels else name


class Busiest:
    """The few that are followed one by one: the busiest of late, and not another every minute."""

    def __init__(self, count_max: int) -> None:
        self._count_max = count_max
        self._scores: dict[str, float] = {}
        self.chosen: set[str] = set()

    def choose(self, activity: Mapping[str, float], names: Iterable[str]) -> set[str]:
        present = set(names)
        scores = {name: score * _MEMORY for name, score in self._scores.items() if name in present and score > 1e-6}
        for name, amount in activity.items():
            if amount > 0:
                scores[name] = scores.get(name, 0.0) + amount
        if len(scores) > _SCORES_MAX:
            scores = dict(nlargest(_SCORES_MAX, scores.items(), key=lambda item: item[1]))
        self._scores = scores
        if len(present) <= self._count_max:
            self.chosen = present
            return present
        followed = self.chosen & present

        def rank(name: str) -> float:
            return scores.get(name, 0.0) * (_STAY if name in followed else 1.0)

        chosen = set(nlargest(self._count_max, scores, key=rank))
        for name in followed:
            if len(chosen) >= self._count_max:
                break
            chosen.add(name)
        self.chosen = chosen
        return chosen


class Measuring:
    """Of one cluster; `step` is called with each new look."""

    def __init__(self) -> None:
        self._picture: Picture | None = None
        self._nodes: dict[int, NodeAnswer] = {}
        self._topics = Busiest(TOPICS_MAX)
        self._groups = Busiest(GROUPS_MAX)

    def step(self, picture: Picture, nodes: list[NodeAnswer]) -> Measured:
        now = {each.counters.node_id: each for each in nodes}
        pairs = [(self._nodes[node], answer) for node, answer in now.items() if node in self._nodes]
        timed = [(old, new, elapsed) for old, new in pairs if (elapsed := elapsed_s(old, new)) is not None]
        if now:
            topics, cluster, requests, clients = _of_nodes(timed)
        else:
            topics = _of_offsets(self._picture, picture)
            known = [flow.messages_in for flow in topics.values() if flow.messages_in is not None]
            cluster, requests, clients = Flow(messages_in=sum(known) if known else None), None, None
        values = dict(self._values(picture, topics, cluster, requests, timed))
        self._picture, self._nodes = picture, now
        return Measured(cluster, requests, topics, clients, values)

    def _values(
        self,
        picture: Picture,
        topics: Mapping[str, Flow],
        cluster: Flow,
        requests: float | None,
        timed: list[tuple[NodeAnswer, NodeAnswer, float]],
    ) -> Iterable[tuple[str, float | None]]:
        yield "bytes_in_per_s", cluster.bytes_in
        yield "bytes_out_per_s", cluster.bytes_out
        yield "messages_in_per_s", cluster.messages_in
        yield "requests_per_s", requests
        yield from _of_cluster(picture)
        for broker in list(picture.brokers.values())[:BROKERS_MAX]:
            yield series("broker_disk_used_bytes", {"broker": str(broker.id)}), broker.disk_used_bytes
        for old, new, elapsed in timed[:BROKERS_MAX]:
            labels = {"broker": str(new.counters.node_id)}
            for name in ("bytes_in", "bytes_out", "requests"):
                grown = getattr(new.counters, name) - getattr(old.counters, name)
                yield series(f"broker_{name}_per_s", labels), grown / elapsed
        yield from self._topic_values(picture, topics)
        yield from self._group_values(picture)

    def _topic_values(self, picture: Picture, topics: Mapping[str, Flow]) -> Iterable[tuple[str, float | None]]:
        activity = {name: (flow.bytes_in or 0.0) + (flow.messages_in or 0.0) for name, flow in topics.items()}
        chosen = self._topics.choose(activity, picture.topics)
        for name in chosen:
            flow = topics.get(name, Flow())
            labels = {"topic": name}
            yield series("topic_bytes_in_per_s", labels), flow.bytes_in
            yield series("topic_bytes_out_per_s", labels), flow.bytes_out
            yield series("topic_messages_in_per_s", labels), flow.messages_in
            yield series("topic_size_bytes", labels), picture.topics[name].size_bytes
        if len(chosen) < len(picture.topics):
            rest = [flow for name, flow in topics.items() if name not in chosen]
            yield series("topic_bytes_in_per_s", REST), _sum(flow.bytes_in for flow in rest)
            yield series("topic_bytes_out_per_s", REST), _sum(flow.bytes_out for flow in rest)
            yield series("topic_messages_in_per_s", REST), _sum(flow.messages_in for flow in rest)

    def _group_values(self, picture: Picture) -> Iterable[tuple[str, float | None]]:
        lags = {name: float(group.lag or 0) + (1.0 if group.members else 0.0) for name, group in picture.groups.items()}
        chosen = self._groups.choose(lags, picture.groups)
        for name in chosen:
            yield series("group_lag", {"group": name}), picture.groups[name].lag
        if len(chosen) < len(picture.groups):
            rest = _sum(group.lag for name, group in picture.groups.items() if name not in chosen)
            yield series("group_lag", REST), rest


def _of_cluster(picture: Picture) -> Iterable[tuple[str, float | None]]:
    topics = picture.topics.values()
    yield "brokers_online", sum(not broker.is_fenced for broker in picture.brokers.values())
    yield "topics", len(picture.topics)
    yield "partitions", sum(len(topic.partitions) for topic in topics)
    yield "under_replicated", sum(topic.under_replicated for topic in topics)
    yield "offline", sum(topic.offline for topic in topics)
    yield "under_min_isr", _sum(topic.under_min_isr for topic in topics)
    yield "lag", _sum(group.lag for group in picture.groups.values())
    yield "disk_used_bytes", _sum(broker.disk_used_bytes for broker in picture.brokers.values())


def _of_nodes(
    timed: list[tuple[NodeAnswer, NodeAnswer, float]],
) -> tuple[dict[str, Flow], Flow, float | None, dict[ClientKey, float] | None]:
    if not timed:
        return {}, Flow(), None, None
    flows: dict[str, Flow] = {}
    clients: dict[ClientKey, float] = {}
    total = [0.0, 0.0, 0.0, 0.0]
    for old, new, elapsed in timed:
        before = {row[0]: row for row in old.counters.topics}
        for row in new.counters.topics:
            grown = _topic_flow(before.get(row[0]), row, elapsed)
            known = flows.get(row[0])
            flows[row[0]] = grown if known is None else _both(known, grown)
        earlier = {tuple(each[:4]): each[4] for each in old.counters.clients}
        for direction, principal, client_id, topic, size_bytes, _ in new.counters.clients:
            key = (direction, principal, client_id, topic)
            rate = max(0, size_bytes - earlier.get(key, 0)) / elapsed
            clients[key] = clients.get(key, 0.0) + rate
        for at, name in enumerate(("bytes_in", "bytes_out", "messages_in", "requests")):
            total[at] += max(0, getattr(new.counters, name) - getattr(old.counters, name)) / elapsed
    return flows, Flow(*total[:3]), total[3], clients


def _topic_flow(old: TopicCounts | None, new: TopicCounts, elapsed: float) -> Flow:
    """Most topics of many stand still, and are told by one object."""
    if old == new:
        return _STILL
    then = old[1:] if old is not None else (0, 0, 0)
    # Fewer than before: another topic of the same name.
    return Flow(*(max(0, now - was) / elapsed for now, was in zip(new[1:], then, strict=True)))


def _both(one: Flow, other: Flow) -> Flow:
    if other is _STILL:
        return one
    return other if one is _STILL else Flow(*((a or 0.0) + (b or 0.0) for a, b in zip(one, other, strict=True)))


def _of_offsets(before: Picture | None, now: Picture) -> dict[str, Flow]:
    if before is None or now.as_of_ms <= before.as_of_ms:
        return {}
    elapsed = (now.as_of_ms - before.as_of_ms) / 1000
    found = {}
    for name, topic in now.topics.items():
        old = before.topics.get(name)
        if old is not None and old.topic_id == topic.topic_id:
            grown = _grown(old, topic)
            if grown is not None:
                found[name] = Flow(messages_in=grown / elapsed)
    return found


def _grown(old: TopicFacts, new: TopicFacts) -> int | None:
    """Records since; None where nothing is known, or a topic was made anew under its name."""
    grown, is_known = 0, False
    for was, now in zip(old.partitions, new.partitions, strict=False):
        if was.next_offset is None or now.next_offset is None:
            continue
        if now.next_offset < was.next_offset:
            return None
        grown += now.next_offset - was.next_offset
        is_known = True
    return grown if is_known else None


def _sum(values: Iterable[float | None]) -> float | None:
    """None where none of them is known."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None

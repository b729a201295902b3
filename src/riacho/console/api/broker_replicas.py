"""What one broker has to carry, partition by partition: which it leads, which it follows, and whether it is in sync."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
from starlette.responses import Response

from riacho.console.api.listing import PAGE_QUERY, Cut, Page, cut, fields_of
from riacho.console.clusters.errors import PICTURE_ERRORS
from riacho.console.clusters.picture import PartitionFacts, Picture
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

_LEADER, _FOLLOWER = "leader", "follower"
_FIELDS = fields_of("topic", "partition", "is_leader", "is_in_sync", "size_bytes")
_QUERY = (
    *PAGE_QUERY,
    Query("role", str, f"Only partitions that it is the {_LEADER} of, or a {_FOLLOWER}."),
    Query("behind", bool, "Only partitions that it is not in sync in.", False),
)


class ReplicaRow(msgspec.Struct):
    topic: str
    partition: int
    is_leader: bool
    is_in_sync: bool
    # None: nobody leads it.
    leader: int | None
    replicas: list[int]
    in_sync: list[int]
    offline_replicas: list[int]
    # Of the leader's replica.
    size_bytes: int | None


class _Replica(NamedTuple):
    topic: str
    facts: PartitionFacts
    broker: int

    @property
    def partition(self) -> int:
        return self.facts.partition

    @property
    def is_leader(self) -> bool:
        return self.facts.leader == self.broker

    @property
    def is_in_sync(self) -> bool:
        return self.broker in self.facts.in_sync

    @property
    def size_bytes(self) -> int | None:
        return self.facts.size_bytes


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        seen = await parts.clusters.of(call).watch.now()
        broker = call.number("id")
        if broker not in seen.picture.brokers:
            raise ApiError(404, 40402, "There is no broker of that id.")
        role = call.text("role") or ""
        if role not in ("", _LEADER, _FOLLOWER):
            raise ApiError(400, 40001, f"role is {_LEADER} or {_FOLLOWER}.")
        # Of ten thousand partitions it takes some milliseconds.
        found = await asyncio.to_thread(_cut, call, seen.picture, broker, role)
        return json_answer(found.page_of([_row(each) for each in found.rows], seen))

    return [
        Endpoint("GET", "/api/v1/clusters/{c}/brokers/{id}/replicas", get, "What one broker has to carry.",
                 query=_QUERY, tag="brokers", errors=PICTURE_ERRORS, answers={200: Page[ReplicaRow]},
                 segments={"id": int}),
    ]  # fmt: skip


def _cut(call: Call, picture: Picture, broker: int, role: str) -> Cut[_Replica]:
    rows: Iterable[_Replica] = _replicas(picture, broker)
    if role:
        rows = [each for each in rows if each.is_leader is (role == _LEADER)]
    if call.flag("behind"):
        rows = [each for each in rows if not each.is_in_sync]
    return cut(call, rows, lambda each: each.topic, _FIELDS, "topic")


def _replicas(picture: Picture, broker: int) -> Iterator[_Replica]:
    for topic in picture.topics.values():
        for p in topic.partitions:
            if broker in p.replicas:
                yield _Replica(topic.name, p, broker)


def _row(each: _Replica) -> ReplicaRow:
    return ReplicaRow(
        topic=each.topic,
        partition=each.partition,
        is_leader=each.is_leader,
        is_in_sync=each.is_in_sync,
        leader=each.facts.leader,
        replicas=list(each.facts.replicas),
        in_sync=list(each.facts.in_sync),
        offline_replicas=list(each.facts.offline_replicas),
        size_bytes=each.size_bytes,
    )

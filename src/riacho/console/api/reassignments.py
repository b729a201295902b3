"""Moves of replicas between brokers (KIP-455): what is under way, starting and cancelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from starlette.responses import Response

from riacho.base.errors import KafkaError
from riacho.client.cluster import Cluster
from riacho.client.offsets import TopicPartition
from riacho.client.reassignments import alter_reassignments, list_reassignments
from riacho.console.clusters.errors import KAFKA_ERRORS, sentence
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

_PARTITIONS_MAX = 10_000
_Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]


class Reassignment(msgspec.Struct):
    topic: str
    partition: int
    replicas: list[int]
    adding: list[int]
    removing: list[int]


class Move(msgspec.Struct, forbid_unknown_fields=True):
    topic: str
    partition: _Index
    # The first leads where it can.
    replicas: Annotated[list[_Index], msgspec.Meta(min_length=1, max_length=100)]


class Moves(msgspec.Struct, forbid_unknown_fields=True):
    partitions: Annotated[list[Move], msgspec.Meta(min_length=1, max_length=_PARTITIONS_MAX)]


class MovingPartition(msgspec.Struct, forbid_unknown_fields=True):
    topic: str
    partition: _Index


class Cancel(msgspec.Struct, forbid_unknown_fields=True):
    # None: all that are under way.
    partitions: Annotated[list[MovingPartition], msgspec.Meta(max_length=_PARTITIONS_MAX)] | None = None


class Refused(msgspec.Struct):
    topic: str
    partition: int
    message: str


class Outcome(msgspec.Struct):
    taken: int
    refused: list[Refused]


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        found = await parts.clusters.of(call).kafka.ask(list_reassignments)
        rows = [
            Reassignment(topic, partition, move.replicas, move.adding_replicas, move.removing_replicas)
            for (topic, partition), move in sorted(found.items())
        ]
        return json_answer(rows)

    async def post(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        moves: Moves = await call.read(Moves)
        targets = {(each.topic, each.partition): each.replicas for each in moves.partitions}
        return json_answer(await cluster.kafka.ask(lambda c: _altered(c, targets)))

    async def delete(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        cancel: Cancel = await call.read(Cancel) if await call.body() else Cancel()
        named = None if cancel.partitions is None else [(each.topic, each.partition) for each in cancel.partitions]
        return json_answer(await cluster.kafka.ask(lambda c: _cancelled(c, named)))

    path = "/api/v1/clusters/{c}/reassignments"
    return [
        Endpoint("GET", path, get, "Moves of replicas under way.", tag="reassignments", errors=KAFKA_ERRORS,
                 answers={200: list[Reassignment]}),
        Endpoint("POST", path, post, "Move replicas.",
                 tag="reassignments", errors=KAFKA_ERRORS, body=Moves, answers={200: Outcome}),
        Endpoint("DELETE", path, delete, "Cancel moves.",
                 tag="reassignments", errors=KAFKA_ERRORS, body=Cancel, optional_body=True,
                 answers={200: Outcome}),
    ]  # fmt: skip


def _altered(cluster: Cluster, targets: dict[TopicPartition, list[int]]) -> Outcome:
    return _outcome(len(targets), alter_reassignments(cluster, targets))


def _cancelled(cluster: Cluster, named: Sequence[TopicPartition] | None) -> Outcome:
    moving = list(list_reassignments(cluster)) if named is None else named
    if not moving:
        return Outcome(0, [])
    return _outcome(len(moving), alter_reassignments(cluster, dict.fromkeys(moving)))


def _outcome(asked: int, refused: dict[TopicPartition, KafkaError]) -> Outcome:
    """KafkaError where all of them are refused."""
    if refused and len(refused) == asked:
        raise next(iter(refused.values()))
    rows = [Refused(topic, partition, sentence(error)) for (topic, partition), error in sorted(refused.items())]
    return Outcome(asked - len(refused), rows)

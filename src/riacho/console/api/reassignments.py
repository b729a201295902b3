"""Moves of replicas between brokers (KIP-455): what is under way and how far, starting and cancelling."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

import msgspec
from starlette.responses import Response

from riacho.base.errors import KafkaError
from riacho.client.cluster import Cluster
from riacho.client.log_dirs import describe_log_dirs
from riacho.client.offsets import TopicPartition
from riacho.client.reassignments import Move as UnderWay
from riacho.client.reassignments import alter_reassignments, list_reassignments
from riacho.console.clusters.errors import KAFKA_ERRORS, sentence
from riacho.console.clusters.move_throttles import BrokerThrottle, throttles_now
from riacho.console.clusters.picture import Picture
from riacho.console.clusters.written_moves import Move, check_written
from riacho.console.door.audit_log import note
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_PARTITIONS_MAX = 10_000
_Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]


class Reassignment(msgspec.Struct):
    topic: str
    partition: int
    replicas: list[int]
    adding: list[int]
    removing: list[int]
    # What the replicas that are added have to copy, and what they have; None: not known.
    bytes_to_copy: int | None
    bytes_copied: int | None
    # Brokers that it waits for: they are added, and they are away.
    away: list[int]


class Moves(msgspec.Struct, forbid_unknown_fields=True):
    partitions: Annotated[list[Move], msgspec.Meta(min_length=1, max_length=_PARTITIONS_MAX)]
    # The most that goes from and to each broker for them, until they have ended; None: as much as there is room for.
    throttle_bytes_per_s: Annotated[int, msgspec.Meta(ge=1, lt=(1 << 63) - 1)] | None = None


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
        cluster = parts.clusters.of(call)
        picture = (await cluster.watch.now()).picture
        return json_answer(await cluster.kafka.ask(lambda c: _under_way(c, picture)))

    async def post(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        moves: Moves = await call.read(Moves)
        check_written(moves.partitions)
        targets = {(each.topic, each.partition): each.replicas for each in moves.partitions}
        throttle = moves.throttle_bytes_per_s
        if throttle is None:
            outcome = await cluster.kafka.ask(lambda c: _altered(c, targets))
        else:
            note(call, throttle_bytes_per_s=str(throttle))
            current = _current((await cluster.watch.now()).picture, targets)
            outcome = await cluster.kafka.ask(
                lambda c: cluster.move_throttles.begin(c, targets, current, throttle, lambda: _altered(c, targets))
            )
        cluster.watch.wish()
        return json_answer(outcome)

    async def delete(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        cancel: Cancel = await call.read(Cancel) if await call.body() else Cancel()
        named = None if cancel.partitions is None else [(each.topic, each.partition) for each in cancel.partitions]
        outcome = await cluster.kafka.ask(lambda c: _cancelled(c, named))
        cluster.watch.wish()
        return json_answer(outcome)

    async def get_throttle(call: Call) -> Response:
        return json_answer(await parts.clusters.of(call).kafka.ask(throttles_now))

    async def delete_throttle(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        topics = list((await cluster.watch.now()).picture.topics)
        await cluster.kafka.ask(lambda c: cluster.move_throttles.clear(c, topics))
        return Response(status_code=204)

    path = "/api/v1/clusters/{c}/reassignments"
    return [
        Endpoint("GET", path, get, "Moves of replicas under way.", tag="reassignments", errors=KAFKA_ERRORS,
                 answers={200: list[Reassignment]}),
        Endpoint("POST", path, post, "Move replicas.",
                 tag="reassignments", errors=KAFKA_ERRORS, body=Moves, answers={200: Outcome}),
        Endpoint("DELETE", path, delete, "Cancel moves.",
                 tag="reassignments", errors=KAFKA_ERRORS, body=Cancel, optional_body=True,
                 answers={200: Outcome}),
        Endpoint("GET", f"{path}/throttle", get_throttle, "Brokers whose replication is throttled, whoever has set it.",
                 tag="reassignments", errors=KAFKA_ERRORS, answers={200: list[BrokerThrottle]}),
        Endpoint("DELETE", f"{path}/throttle", delete_throttle, "Take throttles away, of all brokers and topics.",
                 tag="reassignments", errors=KAFKA_ERRORS, answers={204: None}),
    ]  # fmt: skip


def _under_way(cluster: Cluster, picture: Picture) -> list[Reassignment]:
    moves = list_reassignments(cluster)
    fenced = {broker.id for broker in picture.brokers.values() if broker.is_fenced}
    there = _sizes_there(cluster, moves, fenced)
    facts = picture.partitions_of(topic for topic, _ in moves)
    rows = []
    for (topic, partition), move in sorted(moves.items()):
        seen = facts.get((topic, partition))
        size = None if seen is None else seen.size_bytes
        adding = move.adding_replicas
        known = [there.get((node, topic, partition)) for node in adding]
        rows.append(
            Reassignment(
                topic=topic,
                partition=partition,
                replicas=move.replicas,
                adding=adding,
                removing=move.removing_replicas,
                bytes_to_copy=None if size is None else size * len(adding),
                # The picture's size is of a moment ago, and a replica may be ahead of it.
                away=[node for node in adding if node in fenced],
                bytes_copied=None if size is None or None in known else sum(min(each or 0, size) for each in known),
            )
        )
    return rows


def _sizes_there(
    cluster: Cluster, moves: Mapping[TopicPartition, UnderWay], fenced: Collection[int]
) -> dict[tuple[int, str, int], int]:
    """Of the replicas that are added, what their brokers have already; without those of a broker that does not tell."""
    by_broker: dict[int, list[TopicPartition]] = {}
    for partition, move in moves.items():
        for node in set(move.adding_replicas) - set(fenced):
            by_broker.setdefault(node, []).append(partition)
    found: dict[tuple[int, str, int], int] = {}
    for node, partitions in by_broker.items():
        try:
            told = describe_log_dirs(cluster, node, partitions)
        except KafkaError:
            continue
        # One that has not begun is not in its directories.
        found |= {(node, topic, partition): 0 for topic, partition in partitions}
        for directory in told:
            for topic in directory.topics:
                for p in topic.partitions:
                    if not p.is_future_key:
                        found[node, topic.name, p.partition_index] = p.partition_size
    return found


def _altered(cluster: Cluster, targets: dict[TopicPartition, list[int]]) -> Outcome:
    return _outcome(len(targets), alter_reassignments(cluster, targets))


def _current(picture: Picture, targets: Collection[TopicPartition]) -> dict[TopicPartition, Sequence[int]]:
    """Where they are now. ApiError 404."""
    known = picture.partitions_of(topic for topic, _ in targets)
    for topic, index in targets:
        if (topic, index) not in known:
            raise ApiError(404, 40403, f"There is no partition {topic}-{index}.")
    return {each: known[each].replicas for each in targets}


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

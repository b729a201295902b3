"""What a move of replicas would mean, partition by partition and broker by broker. Nothing is changed: what it shows is
sent to `POST /reassignments` to be done."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec
from starlette.responses import Response

from riacho.client.offsets import TopicPartition
from riacho.console.clusters.errors import PICTURE_ERRORS
from riacho.console.clusters.group_survey import total
from riacho.console.clusters.move_plan import MovingPartition, TooFewBrokersError, plan_moves
from riacho.console.clusters.picture import Picture
from riacho.console.clusters.written_moves import Move, written_moves
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_ROWS_MAX = 10_000
_Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]


class PlanWanted(msgspec.Struct, forbid_unknown_fields=True):
    # Where replicas may be afterwards; left out where `assignments` says it.
    brokers: Annotated[list[_Index], msgspec.Meta(max_length=10_000)] = []
    # The replicas of each, as somebody has written them: nothing is chosen then.
    assignments: Annotated[list[Move], msgspec.Meta(min_length=1, max_length=_ROWS_MAX)] | None = None
    # topic -> partitions of it, None: all of them. Left out: all that `from_broker` has.
    topics: Annotated[dict[str, list[_Index] | None], msgspec.Meta(max_length=_ROWS_MAX)] | None = None
    from_broker: _Index | None = None
    # None: as many as each has.
    replication: Annotated[int, msgspec.Meta(ge=1, le=100)] | None = None
    # Even over all of `brokers`, also where replicas could stay.
    is_spread: bool = False


class PlannedMove(msgspec.Struct):
    topic: str
    partition: int
    old: list[int]
    new: list[int]
    adding: list[int]
    removing: list[int]
    # What goes over the network; None: not known.
    bytes_to_copy: int | None


class PlannedBroker(msgspec.Struct):
    id: int
    replicas_before: int
    replicas_after: int
    bytes_coming: int | None
    bytes_leaving: int | None
    disk_free_bytes: int | None


class Plan(msgspec.Struct):
    rows: list[PlannedMove]
    # Partitions that are where they should be.
    unchanged: int
    bytes_to_copy: int | None
    brokers: list[PlannedBroker]


def endpoints(parts: Parts) -> list[Endpoint]:
    async def post(call: Call) -> Response:
        picture = (await parts.clusters.of(call).watch.now()).picture
        wanted: PlanWanted = await call.read(PlanWanted)
        # Thousands of partitions are some work.
        return json_answer(await asyncio.to_thread(_plan, picture, wanted))

    return [
        Endpoint("POST", "/api/v1/clusters/{c}/reassignments/plan", post, "What a move of replicas would mean.",
                 tag="reassignments", errors={**PICTURE_ERRORS, 40403: "There is no such topic.",
                                              42206: "It cannot be done with these brokers."},
                 body=PlanWanted, answers={200: Plan}),
    ]  # fmt: skip


def _plan(picture: Picture, wanted: PlanWanted) -> Plan:
    if wanted.assignments is not None:
        if wanted.brokers or wanted.topics is not None or wanted.from_broker is not None:
            raise ApiError(422, 42206, "assignments says all of it: leave brokers, topics and from_broker out.")
        moving = written_moves(picture, wanted.assignments)
        return _shown(picture, moving, {(each.topic, each.partition): each.replicas for each in wanted.assignments})
    moving, new = _chosen(picture, wanted)
    return _shown(picture, moving, new)


def _chosen(picture: Picture, wanted: PlanWanted) -> tuple[list[MovingPartition], Mapping[TopicPartition, list[int]]]:
    if not wanted.brokers:
        raise ApiError(422, 42206, "Say where replicas may be: brokers.")
    unknown = [each for each in wanted.brokers if each not in picture.brokers]
    if unknown:
        raise ApiError(422, 42206, f"There is no broker {unknown[0]}.")
    targets = [each for each in wanted.brokers if each != wanted.from_broker]
    if not targets:
        raise ApiError(422, 42206, "No broker is left to move to: choose another one.")
    fenced = [each for each in targets if picture.brokers[each].is_fenced]
    if fenced:
        raise ApiError(422, 42206, f"Broker {fenced[0]} is away, and nothing can be moved to it.")
    moving = list(_moving(picture, wanted))
    if len(moving) > _ROWS_MAX:
        raise ApiError(422, 42206, f"{len(moving)} partitions are more than can be moved at once: {_ROWS_MAX}.")
    try:
        new = plan_moves(moving, picture.brokers, targets, replication=wanted.replication, is_spread=wanted.is_spread)
    except TooFewBrokersError as error:
        raise ApiError(422, 42206, str(error)) from None
    return moving, new


def _shown(picture: Picture, moving: list[MovingPartition], new: Mapping[TopicPartition, list[int]]) -> Plan:
    rows = [_row(each, new[each.topic, each.partition]) for each in moving]
    changed = [row for row in rows if row.old != row.new]
    sizes = {(each.topic, each.partition): each.size_bytes for each in moving}
    return Plan(
        rows=changed,
        unchanged=len(rows) - len(changed),
        bytes_to_copy=_sum(row.bytes_to_copy for row in changed),
        brokers=_brokers(picture, changed, sizes),
    )


def _moving(picture: Picture, wanted: PlanWanted) -> Iterable[MovingPartition]:
    if wanted.topics is None and wanted.from_broker is None:
        raise ApiError(422, 42206, "Say what moves: topics, or from_broker.")
    named: Mapping[str, list[int] | None] = dict.fromkeys(picture.topics) if wanted.topics is None else wanted.topics
    for name, partitions in named.items():
        topic = picture.topics.get(name)
        if topic is None:
            raise ApiError(404, 40403, f"There is no topic {name}.")
        known = {p.partition: p for p in topic.partitions}
        for index in sorted(known if partitions is None else set(partitions)):
            if index not in known:
                raise ApiError(422, 42206, f"{name} has no partition {index}.")
            p = known[index]
            if wanted.from_broker is None or wanted.from_broker in p.replicas:
                yield MovingPartition(name, index, p.replicas, p.size_bytes)


def _row(each: MovingPartition, new: list[int]) -> PlannedMove:
    adding = [node for node in new if node not in each.replicas]
    return PlannedMove(
        topic=each.topic,
        partition=each.partition,
        old=list(each.replicas),
        new=new,
        adding=adding,
        removing=[node for node in each.replicas if node not in new],
        bytes_to_copy=0 if not adding else None if each.size_bytes is None else each.size_bytes * len(adding),
    )


def _brokers(
    picture: Picture, rows: list[PlannedMove], sizes: Mapping[TopicPartition, int | None]
) -> list[PlannedBroker]:
    """Those that something comes to or leaves."""
    touched = sorted({node for row in rows for node in (*row.adding, *row.removing)})
    found = []
    for node in touched:
        coming = [sizes[row.topic, row.partition] for row in rows if node in row.adding]
        leaving = [sizes[row.topic, row.partition] for row in rows if node in row.removing]
        facts = picture.brokers.get(node)
        before = 0 if facts is None else facts.replicas
        found.append(
            PlannedBroker(
                id=node,
                replicas_before=before,
                replicas_after=before + len(coming) - len(leaving),
                bytes_coming=_sum(coming),
                bytes_leaving=_sum(leaving),
                disk_free_bytes=None if facts is None else facts.disk_free_bytes,
            )
        )
    return found


def _sum(sizes: Iterable[int | None]) -> int | None:
    """None where one of them is not known."""
    found = list(sizes)
    return total(found) if found else 0

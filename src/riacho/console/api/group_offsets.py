"""Moving a group: what it would mean, partition by partition, and then doing just that.

A preview asks for nothing to be changed. What it showed is sent back to be done; where the group has moved meanwhile,
or has members that would go on committing, nothing is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

import msgspec
from starlette.responses import Response

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.groups import commit_offsets, delete_offsets, fetch_offsets
from riacho.client.offsets import EARLIEST, LATEST, TopicPartition, list_offsets
from riacho.client.share_groups import alter_share_group_offsets, delete_share_group_offsets
from riacho.console.api.groups import group_of, standing
from riacho.console.clusters.errors import KAFKA_ERRORS
from riacho.console.clusters.group_survey import SHARE
from riacho.console.clusters.picture import GroupFacts
from riacho.console.door.audit_log import note
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

ROWS_MAX = 10_000
_LONG_MAX = (1 << 63) - 1
_Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
_Offset = Annotated[int, msgspec.Meta(ge=0, le=_LONG_MAX)]
# topic -> partitions; None: all of them
Topics = Annotated[dict[str, list[_Index] | None], msgspec.Meta(min_length=1, max_length=ROWS_MAX)]
_WITHOUT_MEMBERS = ("Empty", "Dead")


class ResetWanted(msgspec.Struct, forbid_unknown_fields=True):
    topics: Topics
    to: Literal["earliest", "latest", "offset", "time", "shift", "group"]
    # An offset, a time in ms since the epoch, a number of records (shift), another group's id.
    value: int | str | None = None


class ResetRow(msgspec.Struct):
    topic: str
    partition: _Index
    new: _Offset
    old: _Offset | None = None
    # How far it goes, forward or back; None where it stood nowhere.
    change: int | None = None


class ResetPreview(msgspec.Struct):
    rows: list[ResetRow]
    # Why it would not be done now.
    refused: str | None


class Reset(msgspec.Struct):
    rows: Annotated[list[ResetRow], msgspec.Meta(min_length=1, max_length=ROWS_MAX)]


class Forget(msgspec.Struct, forbid_unknown_fields=True):
    topics: Topics


def endpoints(parts: Parts) -> list[Endpoint]:
    async def preview(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        group = group_of(call, await cluster.watch.now())
        wanted: ResetWanted = await call.read(ResetWanted)
        return json_answer(await cluster.kafka.ask(lambda c: _preview(c, group, wanted)))

    async def post(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        group = group_of(call, await cluster.watch.now())
        reset: Reset = await call.read(Reset)
        note(call, partitions=len(reset.rows))
        await cluster.kafka.ask(lambda c: _reset(c, group, reset.rows))
        await cluster.changed_group(group)
        return no_content()

    async def delete(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        group = group_of(call, await cluster.watch.now())
        forget: Forget = await call.read(Forget)
        note(call, topics=", ".join(forget.topics))
        await cluster.kafka.ask(lambda c: _forget(c, group, forget.topics))
        await cluster.changed_group(group)
        return no_content()

    path = "/api/v1/clusters/{c}/groups/{g}/offsets"
    return [
        Endpoint("POST", path + "/preview", preview, "What moving a group would mean.",
                 tag="groups", errors=KAFKA_ERRORS, body=ResetWanted, answers={200: ResetPreview}),
        Endpoint("POST", path, post, "Move a group to the offsets of a preview.",
                 tag="groups", errors=KAFKA_ERRORS, body=Reset,
                 answers={204: None}),
        Endpoint("DELETE", path, delete, "Forget where a group stands in some topics.",
                 tag="groups", errors=KAFKA_ERRORS, body=Forget,
                 answers={204: None}),
    ]  # fmt: skip


def _preview(cluster: Cluster, group: GroupFacts, wanted: ResetWanted) -> ResetPreview:
    partitions = _partitions(cluster, wanted.topics)
    old = standing(cluster, group)
    new = _new_offsets(cluster, wanted, partitions, old)
    rows = [_row(partition, old.get(partition), new[partition]) for partition in partitions if partition in new]
    return ResetPreview(rows, _refusal(group, rows))


def _row(partition: TopicPartition, old: int | None, new: int) -> ResetRow:
    return ResetRow(partition[0], partition[1], new, old, None if old is None else new - old)


def _refusal(group: GroupFacts, rows: list[ResetRow]) -> str | None:
    if group.state not in _WITHOUT_MEMBERS:
        members = "members" if group.members is None else f"{group.members} member{'s' * (group.members != 1)}"
        return f"The group is {group.state} and has {members}, which would go on from where they are: stop them first."
    return None if rows else "There is no partition to move in."


def _partitions(cluster: Cluster, topics: Mapping[str, list[int] | None]) -> list[TopicPartition]:
    """ApiError or KafkaError where one is not there."""
    known = cluster.retry(lambda: cluster.topics(list(topics)))
    found: list[TopicPartition] = []
    for name, named in topics.items():
        present = sorted(p.partition_index for p in known[name].partitions)
        unknown = set(named or ()) - set(present)
        if unknown:
            raise ApiError(404, 40405, f"Topic '{name}' has no partition {min(unknown)}.")
        found += [(name, index) for index in (present if named is None else sorted(set(named)))]
    if len(found) > ROWS_MAX:
        raise ApiError(422, 42203, f"These are {len(found)} partitions; at most {ROWS_MAX} are moved at a time.")
    return found


def _new_offsets(
    cluster: Cluster, wanted: ResetWanted, partitions: list[TopicPartition], old: Mapping[TopicPartition, int | None]
) -> dict[TopicPartition, int]:
    """Partitions that it cannot be told for are left out: where the group, or the other group, stood nowhere."""
    match wanted.to:
        case "earliest":
            return _at(cluster, partitions, EARLIEST)
        case "latest":
            return _at(cluster, partitions, LATEST)
        case "time":
            return _at(cluster, partitions, _number(wanted, "a time in milliseconds since the epoch"))
        case "offset":
            return _within(cluster, dict.fromkeys(partitions, _number(wanted, "an offset")))
        case "shift":
            shift = _number(wanted, "a number of records, negative for back")
            return _within(cluster, {p: at + shift for p in partitions if (at := old.get(p)) is not None})
    if not isinstance(wanted.value, str) or not wanted.value:
        raise ApiError(422, 42204, "value is the id of the group to copy from.")
    other = fetch_offsets(cluster, wanted.value)
    return _within(cluster, {p: other[p].offset for p in partitions if p in other})


def _number(wanted: ResetWanted, what: str) -> int:
    value = wanted.value
    if not isinstance(value, int) or abs(value) > _LONG_MAX or (wanted.to != "shift" and value < 0):
        raise ApiError(422, 42204, f"value is {what}.")
    return value


def _at(cluster: Cluster, partitions: Iterable[TopicPartition], time: int) -> dict[TopicPartition, int]:
    """The first offset of that time or later; the end where nothing is that young."""
    found = _offsets(cluster, partitions, time)
    too_old = [partition for partition, offset in found.items() if offset < 0]
    return found | (_offsets(cluster, too_old, LATEST) if too_old else {})


def _within(cluster: Cluster, wanted: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    """Offsets outside of the log become its nearer end."""
    first, end = _offsets(cluster, wanted, EARLIEST), _offsets(cluster, wanted, LATEST)
    return {p: min(max(offset, first[p]), end[p]) for p, offset in wanted.items()}


def _offsets(cluster: Cluster, partitions: Iterable[TopicPartition], time: int) -> dict[TopicPartition, int]:
    times = dict.fromkeys(partitions, time)
    if not times:
        return {}
    found = list_offsets(cluster, times)
    for (topic, index), offset in found.items():
        if offset.error is not ErrorCode.NONE:
            raise KafkaError(offset.error, f"The offsets of {topic}-{index} cannot be read: {offset.error.name}.")
    return {partition: offset.offset for partition, offset in found.items()}


def _reset(cluster: Cluster, group: GroupFacts, rows: list[ResetRow]) -> None:
    new = {(row.topic, row.partition): row.new for row in rows}
    if len(new) < len(rows):
        raise ApiError(422, 42205, "A partition stands in rows twice.")
    now = standing(cluster, group)
    for row in rows:
        if now.get((row.topic, row.partition)) != row.old:
            raise ApiError(
                409, 40901, f"The group has moved in {row.topic}-{row.partition} since the preview: look at it again."
            )
    try:
        (alter_share_group_offsets if group.type == SHARE else commit_offsets)(cluster, group.id, new)
    except KafkaError as error:
        if error.code in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.NON_EMPTY_GROUP):
            raise KafkaError(error.code, "The group has members: stop them first.") from None
        raise


def _forget(cluster: Cluster, group: GroupFacts, topics: Mapping[str, list[int] | None]) -> None:
    now = standing(cluster, group)
    if group.type == SHARE:
        refused = delete_share_group_offsets(cluster, group.id, topics)
        failed = [(name, *outcome) for name, outcome in refused.items() if outcome[0] is not ErrorCode.NONE]
        if failed:
            name, code, detail = failed[0]
            raise KafkaError(code, f"The offsets of {name} were not forgotten: {detail or code.name}.")
        return
    wanted = [(t, p) for t, p in now if t in topics and ((named := topics[t]) is None or p in named)]
    if not wanted:
        raise ApiError(404, 40406, "The group has committed nothing there.")
    whole, outcomes = delete_offsets(cluster, group.id, wanted)
    for code in (whole, *outcomes.values()):
        if code is ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC:
            raise KafkaError(code, "Members of the group read that topic: stop them first.")
        if code is not ErrorCode.NONE:
            raise KafkaError(code, f"The offsets were not forgotten: {code.name}.")

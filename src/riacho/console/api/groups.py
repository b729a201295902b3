"""Groups of consumers: all kinds in one list from the picture; one group as its coordinator tells of it now, and as it
was last seen where that cannot be had."""

from __future__ import annotations

from operator import attrgetter

import msgspec
from starlette.responses import Response

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.groups import delete_groups, fetch_offsets
from riacho.client.offsets import TopicPartition
from riacho.client.share_groups import share_group_offsets
from riacho.console.api.group_page import STREAMS, GroupPage, group_as_seen, group_now
from riacho.console.api.listing import PAGE_QUERY, Page, cut, fields_of
from riacho.console.api.offset_count import Lag
from riacho.console.clusters.errors import KAFKA_ERRORS
from riacho.console.clusters.group_survey import SHARE
from riacho.console.clusters.picture import GroupFacts, Patch
from riacho.console.clusters.watch import Seen
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

TYPES = ("consumer", "classic", SHARE, STREAMS)
# A page that cannot be had by then is shown as it was.
_PAGE_TIMEOUT_MS = 3_000
# The cluster cannot do it now, or did not answer in time.
_AWAY = (503, 504)
_COORDINATOR_AWAY = "The group's coordinator is away."
_FIELDS = {
    **fields_of("id", "type", "state", "members", "lag", "coordinator", "protocol"),
    "topics": lambda group: len(group.topics),
}
_QUERY = (
    *PAGE_QUERY,
    Query("type", str, f"Only groups of this type: {', '.join(TYPES)}."),
    Query("state", str, "Only groups in this state, as Empty or Stable."),
)


class GroupRow(msgspec.Struct):
    id: str
    # consumer, classic, share, streams
    type: str
    state: str
    members: int | None
    topics: int
    lag: Lag
    coordinator: int
    protocol: str | None


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get_all(call: Call) -> Response:
        seen = await parts.clusters.of(call).watch.now()
        kind, state = call.text("type"), (call.text("state") or "").lower()
        listed = [
            group
            for group in seen.picture.groups.values()
            if (not kind or group.type == kind) and (not state or group.state.lower() == state)
        ]
        found = cut(call, listed, attrgetter("id"), _FIELDS, "id")
        return json_answer(found.page_of([_row(group) for group in found.rows], seen))

    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        seen = await cluster.watch.now()
        group = group_of(call, seen)
        reason = cluster.watch.reason
        if reason is None and group.heard is None:
            try:
                asked = cluster.kafka.ask(lambda c: group_now(c, group, seen.picture), _PAGE_TIMEOUT_MS)
                return json_answer(await asked)
            except ApiError as error:
                if error.status not in _AWAY:
                    raise
                reason = error.message
        return json_answer(group_as_seen(group, seen.picture, reason or _COORDINATOR_AWAY))

    async def delete(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        group = group_of(call, await cluster.watch.now())
        await cluster.kafka.ask(lambda c: _delete(c, group.id))
        cluster.watch.patch(Patch(groups={group.id: None}))
        return no_content()

    base = "/api/v1/clusters/{c}/groups"
    return [
        Endpoint("GET", base, get_all, "The groups.", query=_QUERY,
                 tag="groups", errors=KAFKA_ERRORS, answers={200: Page[GroupRow]}),
        Endpoint("GET", base + "/{g}", get, "One group: its members and where it stands, or stood.",
                 tag="groups", errors=KAFKA_ERRORS, answers={200: GroupPage}),
        Endpoint("DELETE", base + "/{g}", delete, "Delete a group without members.", tag="groups", errors=KAFKA_ERRORS,
                 answers={204: None}),
    ]  # fmt: skip


def group_of(call: Call, seen: Seen) -> GroupFacts:
    """The one that `{g}` of the path names; ApiError 404."""
    found = seen.picture.groups.get(call.segment("g"))
    if found is None:
        raise ApiError(404, 40404, "There is no group of that id.")
    return found


def standing(cluster: Cluster, group: GroupFacts) -> dict[TopicPartition, int | None]:
    """Where the group stands in each partition that it has committed to, or begun with. Blocking."""
    if group.type == SHARE:
        return {p: offset.start_offset for p, offset in share_group_offsets(cluster, group.id).items()}
    return {p: offset.offset for p, offset in fetch_offsets(cluster, group.id).items()}


def _row(group: GroupFacts) -> GroupRow:
    return GroupRow(
        id=group.id,
        type=group.type,
        state=group.state,
        members=group.members,
        topics=len(group.topics),
        lag=group.lag,
        coordinator=group.coordinator,
        protocol=group.protocol,
    )


def _delete(cluster: Cluster, group_id: str) -> None:
    code = delete_groups(cluster, [group_id])[group_id]
    if code is ErrorCode.NON_EMPTY_GROUP:
        raise KafkaError(code, f"Group '{group_id}' still has members: stop them first.")
    if code is not ErrorCode.NONE:
        raise KafkaError(code, f"Group '{group_id}' was not deleted: {code.name}.")

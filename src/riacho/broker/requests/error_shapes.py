"""Where the answer to a request that failed as a whole has its code, for the APIs that have it not only at the top.

They have one for each topic, partition, group or resource that was asked for, so the answer mirrors the request: a
list of the answer has an item for each item of a list of the request. An item that can carry a code does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from riacho.base.errors import ErrorCode
from riacho.wire.schema import WireStruct

# What is copied of an item that has no fields: an index, a name.
ITSELF = ""


@dataclass(frozen=True, slots=True)
class Items:
    """The answer's list `name`, by the request's `asked`: the name of a list, or of one in the items of another,
    as `dirs.topics`. `copied` are fields that both have, or pairs of the answer's and the request's."""

    name: str
    asked: str
    copied: tuple[str | tuple[str, str], ...] = ()
    inner: Items | None = None
    fixed: Mapping[str, object] = field(default_factory=dict)
    is_once: bool = False
    """What is asked for twice is answered once."""


def mirror(answer: WireStruct, request: WireStruct, lists: Iterable[Items], code: ErrorCode) -> None:
    """Fill these lists of the answer."""
    made: dict[str, list[WireStruct]] = {}
    for items in lists:
        made.setdefault(items.name, []).extend(_answers(type(answer), items, _asked(request, items), code))
    for items in lists:
        setattr(answer, items.name, _once(made[items.name], items) if items.is_once else made[items.name])


def _answers(outer: type[WireStruct], items: Items, asked: Iterable[object], code: ErrorCode) -> list[WireStruct]:
    """The items of a list of such a struct."""
    (struct, has_code), inner = _struct(outer, items.name), items.inner
    said = {**items.fixed, "error_code": code} if has_code else dict(items.fixed)
    pairs = [(each, each) if isinstance(each, str) else each for each in items.copied]
    found = []
    for each in asked:
        for ours, theirs in pairs:
            said[ours] = getattr(each, theirs) if theirs else each
        item = struct(**said)
        if inner is not None:
            setattr(item, inner.name, _answers(struct, inner, _asked(each, inner), code))
        found.append(item)
    return found


@cache
def _struct(outer: type[WireStruct], name: str) -> tuple[type[WireStruct], bool]:
    """Of the items of this list, and whether they can carry a code."""
    (found,) = (each.type for each in outer.FIELDS if each.name == name)
    assert not isinstance(found, str), f"{name} is no list of structs"
    return found, any(each.name == "error_code" for each in found.FIELDS)


def _asked(request: object, items: Items) -> Iterable[object]:
    name, _, within = items.asked.partition(".")
    listed = getattr(request, name) or ()
    return (item for each in listed for item in getattr(each, within)) if within else listed


def _once(found: list[WireStruct], items: Items) -> list[WireStruct]:
    names = [each if isinstance(each, str) else each[0] for each in items.copied]
    return list({tuple(getattr(item, name) for name in names): item for item in found}.values())


def _topics(
    partition: str | tuple[str, str], *, topic: str = "name", asked: str = "partitions", **fixed: object
) -> tuple[Items]:
    """Topics -> partitions, under the names that most have."""
    return (Items("topics", "topics", (topic,), Items("partitions", asked, (partition,), fixed=fixed)),)


_PLAIN_INDEX = ("partition_index", ITSELF)
_GROUP_IDS = (Items("groups", "groups", (("group_id", ITSELF),)),)
_GROUP_IDS_ASKED = (Items("groups", "group_ids", (("group_id", ITSELF),)),)
_CONFIGS = (Items("responses", "resources", ("resource_type", "resource_name")),)
_SHARE_STATE = (Items("results", "topics", ("topic_id",), Items("partitions", "partitions", ("partition",))),)

SHAPES: dict[int, tuple[Items, ...]] = {
    0: (
        Items(
            "responses",
            "topic_data",
            ("name", "topic_id"),
            Items("partition_responses", "partition_data", ("index",), fixed={"base_offset": -1}),
        ),
    ),
    1: (
        Items(
            "responses",
            "topics",
            ("topic", "topic_id"),
            Items(
                "partitions",
                "partitions",
                (("partition_index", "partition"),),
                fixed={"high_watermark": -1, "records": b""},
            ),
        ),
    ),
    2: _topics("partition_index"),
    3: (Items("topics", "topics", ("name", "topic_id")),),
    # By group from version 8 on; before, version 1 has no other place than the partitions.
    9: (
        Items("groups", "groups", ("group_id",)),
        *_topics(_PLAIN_INDEX, asked="partition_indexes", committed_offset=-1),
    ),
    10: (Items("coordinators", "coordinator_keys", (("key", ITSELF),), fixed={"node_id": -1, "port": -1}),),
    15: _GROUP_IDS,
    19: (Items("topics", "topics", ("name",)),),
    # By name; from version 6 on by name or id.
    20: (
        Items("responses", "topic_names", (("name", ITSELF),)),
        Items("responses", "topics", ("name", "topic_id")),
    ),
    21: _topics("partition_index"),
    23: _topics("partition", topic="topic"),
    27: (
        Items(
            "markers",
            "markers",
            ("producer_id",),
            Items("topics", "topics", ("name",), Items("partitions", "partition_indexes", (_PLAIN_INDEX,))),
        ),
    ),
    30: (Items("results", "creations"),),
    31: (Items("filter_results", "filters"),),
    32: (Items("results", "resources", ("resource_type", "resource_name")),),
    33: _CONFIGS,
    34: (
        Items("results", "dirs.topics", (("topic_name", "name"),), Items("partitions", "partitions", (_PLAIN_INDEX,))),
    ),
    37: (Items("results", "topics", ("name",)),),
    42: (Items("results", "groups_names", (("group_id", ITSELF),)),),
    # Version 0 has no code at the top.
    43: (
        Items(
            "replica_election_results",
            "topic_partitions",
            ("topic",),
            Items("partition_result", "partitions", (("partition_id", ITSELF),)),
        ),
    ),
    44: _CONFIGS,
    45: (Items("responses", "topics", ("name",), Items("partitions", "partitions", ("partition_index",))),),
    49: (Items("entries", "entries", (), Items("entity", "entity", ("entity_type", "entity_name"))),),
    51: (
        Items("results", "deletions", (("user", "name"),), is_once=True),
        Items("results", "upsertions", (("user", "name"),), is_once=True),
    ),
    61: _topics(_PLAIN_INDEX, asked="partition_indexes"),
    65: (Items("transaction_states", "transactional_ids", (("transactional_id", ITSELF),)),),
    69: _GROUP_IDS_ASKED,
    75: (Items("topics", "topics", ("name",)),),
    77: _GROUP_IDS_ASKED,
    83: _SHARE_STATE,
    84: _SHARE_STATE,
    85: _SHARE_STATE,
    86: _SHARE_STATE,
    87: _SHARE_STATE,
    90: (Items("groups", "groups", ("group_id",)),),
}

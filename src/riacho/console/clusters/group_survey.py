"""All groups of a cluster with their lag: some hundred groups a request, asked of their coordinators.

A group's lag is the sum over the partitions that it has committed to. Where the end of one is not known the lag is not
known either, and a group that has committed nothing has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from sys import intern

from riacho.base.errors import ErrorCode
from riacho.client.cluster import Cluster
from riacho.client.group_members import member_counts
from riacho.client.groups import fetch_offsets_of_groups, groups_of_broker
from riacho.client.offsets import TopicPartition
from riacho.client.share_groups import offsets_of_share_groups
from riacho.console.clusters.by_broker import Gaps, batches
from riacho.console.clusters.picture import GroupFacts, as_before
from riacho.wire.messages.list_groups_response import ListedGroup

GROUPS_A_REQUEST_MAX = 500
SHARE = "share"
# How sentences about groups that could not be listed begin.
GROUPS_OF = "The groups of broker"
_WITHOUT_MEMBERS = frozenset({"Empty", "Dead"})

# Where a partition ends; None where that is not known.
EndOf = Callable[[TopicPartition], int | None]
TopicLags = dict[str, int | None]


def survey_groups(
    cluster: Cluster, broker_ids: Iterable[int], end_of: EndOf, gaps: Gaps, before: Mapping[str, GroupFacts] = {}
) -> dict[str, GroupFacts]:
    """By id, in its order. `before` are those of the picture before."""
    found: dict[str, GroupFacts] = {}
    for broker_id in broker_ids:
        listed = gaps.asked(
            f"{GROUPS_OF} {broker_id} are",
            lambda b=broker_id: groups_of_broker(cluster, b),  # type: ignore[misc]
        )
        for made in _groups(cluster, broker_id, listed or (), end_of, gaps):
            group = as_before(made, before, made.id)
            found[group.id] = group
    return dict(sorted(found.items()))


def _groups(
    cluster: Cluster, broker_id: int, listed: Sequence[ListedGroup], end_of: EndOf, gaps: Gaps
) -> Iterable[GroupFacts]:
    for is_share in (False, True):
        alike = [g for g in listed if (g.group_type.lower() == SHARE) is is_share]
        # Facts of some hundred before the next are asked for: what is told of all at once is much.
        for batch in batches(alike, GROUPS_A_REQUEST_MAX):
            lags = group_lags(cluster, broker_id, [g.group_id for g in batch], is_share, end_of, gaps)
            members: dict[str, int] = {}
            for kind in sorted({g.group_type for g in batch}):
                alive = [g.group_id for g in batch if g.group_type == kind and g.group_state not in _WITHOUT_MEMBERS]
                if alive:
                    members |= _members(cluster, broker_id, kind, alive, gaps)
            for group in batch:
                yield _facts(group, broker_id, lags.get(group.group_id, {}), members)


def _facts(group: ListedGroup, broker_id: int, topics: TopicLags, members: Mapping[str, int]) -> GroupFacts:
    is_empty = group.group_state in _WITHOUT_MEMBERS
    return GroupFacts(
        id=group.group_id,
        # Few words, told of each group anew.
        type=intern(group.group_type.lower()),
        state=intern(group.group_state),
        protocol=intern(group.protocol_type) if group.protocol_type else None,
        coordinator=broker_id,
        members=0 if is_empty else members.get(group.group_id),
        topics=topics,
        lag=total(topics.values()),
    )


def total(lags: Iterable[int | None]) -> int | None:
    """None where one is not known, or there is none."""
    known = list(lags)
    return sum(each for each in known if each is not None) if known and None not in known else None


def group_lags(
    cluster: Cluster, broker_id: int, ids: Sequence[str], is_share: bool, end_of: EndOf, gaps: Gaps
) -> dict[str, TopicLags]:
    """How far each is behind, by topic; groups that cannot be told of are left out. One request."""
    if is_share:
        return _share_lags(cluster, broker_id, ids, gaps)
    what = f"The lag of broker {broker_id}'s groups is"
    told = gaps.asked(what, lambda: fetch_offsets_of_groups(cluster, broker_id, ids))
    found: dict[str, TopicLags] = {}
    for group_id, committed in (told or {}).items():
        if isinstance(committed, ErrorCode):
            continue
        lags = found[group_id] = {}
        for partition, offset in committed.items():
            end = end_of(partition)
            _add(lags, partition[0], None if end is None else max(end - offset.offset, 0))
    return found


def _share_lags(cluster: Cluster, broker_id: int, ids: Sequence[str], gaps: Gaps) -> dict[str, TopicLags]:
    what = f"The lag of broker {broker_id}'s share groups is"
    told = gaps.asked(what, lambda: offsets_of_share_groups(cluster, broker_id, ids))
    found: dict[str, TopicLags] = {}
    for group_id, offsets in (told or {}).items():
        if isinstance(offsets, ErrorCode):
            continue
        lags = found[group_id] = {}
        for partition, offset in offsets.items():
            _add(lags, partition[0], offset.lag)
    return found


def _add(lags: TopicLags, topic: str, lag: int | None) -> None:
    known = lags.get(topic, 0)
    lags[intern(topic)] = None if known is None or lag is None else known + lag


def _members(cluster: Cluster, broker_id: int, kind: str, ids: Sequence[str], gaps: Gaps) -> dict[str, int]:
    what = f"The members of broker {broker_id}'s {kind.lower()} groups are"
    return gaps.asked(what, lambda: member_counts(cluster, broker_id, kind, ids)) or {}

"""Who is in groups, many groups at a time: how many members they have, and by which client ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from riacho.client.cluster import Cluster
from riacho.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from riacho.wire.messages.consumer_group_describe_response import ConsumerGroupDescribeResponse
from riacho.wire.messages.describe_groups_request import DescribeGroupsRequest
from riacho.wire.messages.describe_groups_response import DescribeGroupsResponse
from riacho.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from riacho.wire.messages.share_group_describe_response import ShareGroupDescribeResponse
from riacho.wire.messages.streams_group_describe_request import StreamsGroupDescribeRequest
from riacho.wire.messages.streams_group_describe_response import StreamsGroupDescribeResponse


class _Member(Protocol):
    @property
    def client_id(self) -> str: ...


class _Described(Protocol):
    @property
    def group_id(self) -> str: ...
    @property
    def error_code(self) -> int: ...
    @property
    def members(self) -> Sequence[_Member]: ...


def member_counts(cluster: Cluster, coordinator_id: int, group_type: str, group_ids: Iterable[str]) -> dict[str, int]:
    """Of groups of one type ("Classic", "Consumer", "Share", "Streams"); those that cannot be described are left out.
    One request for all, one attempt."""
    described = _described(cluster, coordinator_id, group_type, group_ids)
    return {group.group_id: len(group.members) for group in described if not group.error_code}


def member_client_ids(
    cluster: Cluster, coordinator_id: int, group_type: str, group_ids: Iterable[str]
) -> dict[str, frozenset[str]]:
    """As `member_counts`."""
    described = _described(cluster, coordinator_id, group_type, group_ids)
    return {
        group.group_id: frozenset(m.client_id for m in group.members) for group in described if not group.error_code
    }


def _described(
    cluster: Cluster, coordinator_id: int, group_type: str, group_ids: Iterable[str]
) -> Sequence[_Described]:
    connection, ids = cluster.broker(coordinator_id), list(group_ids)
    match group_type:
        case "Consumer":
            consumer = ConsumerGroupDescribeRequest(group_ids=ids)
            return cluster.ask(consumer, ConsumerGroupDescribeResponse, connection).groups
        case "Share":
            share = ShareGroupDescribeRequest(group_ids=ids)
            return cluster.ask(share, ShareGroupDescribeResponse, connection).groups
        case "Streams":
            streams = StreamsGroupDescribeRequest(group_ids=ids)
            return cluster.ask(streams, StreamsGroupDescribeResponse, connection).groups
        case _:
            return cluster.ask(DescribeGroupsRequest(groups=ids), DescribeGroupsResponse, connection).groups

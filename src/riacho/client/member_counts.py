"""How many members groups have, many groups at a time."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.client.cluster import Cluster
from riacho.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from riacho.wire.messages.consumer_group_describe_response import ConsumerGroupDescribeResponse
from riacho.wire.messages.describe_groups_request import DescribeGroupsRequest
from riacho.wire.messages.describe_groups_response import DescribeGroupsResponse
from riacho.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from riacho.wire.messages.share_group_describe_response import ShareGroupDescribeResponse
from riacho.wire.messages.streams_group_describe_request import StreamsGroupDescribeRequest
from riacho.wire.messages.streams_group_describe_response import StreamsGroupDescribeResponse


def member_counts(cluster: Cluster, coordinator_id: int, group_type: str, group_ids: Iterable[str]) -> dict[str, int]:
    """Of groups of one type ("Classic", "Consumer", "Share", "Streams"); those that cannot be told of are left out. One
    request for all, one attempt."""
    connection, ids = cluster.broker(coordinator_id), list(group_ids)
    match group_type:
        case "Consumer":
            consumer = ConsumerGroupDescribeRequest(group_ids=ids)
            told = cluster.ask(consumer, ConsumerGroupDescribeResponse, connection).groups
            return {g.group_id: len(g.members) for g in told if not g.error_code}
        case "Share":
            share = ShareGroupDescribeRequest(group_ids=ids)
            shares = cluster.ask(share, ShareGroupDescribeResponse, connection).groups
            return {g.group_id: len(g.members) for g in shares if not g.error_code}
        case "Streams":
            streams = StreamsGroupDescribeRequest(group_ids=ids)
            applications = cluster.ask(streams, StreamsGroupDescribeResponse, connection).groups
            return {g.group_id: len(g.members) for g in applications if not g.error_code}
        case _:
            classic = cluster.ask(DescribeGroupsRequest(groups=ids), DescribeGroupsResponse, connection).groups
            return {g.group_id: len(g.members) for g in classic if not g.error_code}

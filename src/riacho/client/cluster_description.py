"""What a cluster tells of its nodes (DescribeCluster, KIP-700): brokers, or the controllers of the quorum (KIP-919)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from riacho.client.cluster import Cluster
    from riacho.wire.messages.describe_cluster_response import DescribeClusterResponse

BROKERS = 1
CONTROLLERS = 2
_API_KEY = 60
_FENCED_SINCE = 2


def describe_cluster(cluster: Cluster, endpoint_type: int, *, fenced: bool = False) -> DescribeClusterResponse:
    """One attempt; the caller retries."""
    from riacho.client.cluster import check
    from riacho.wire.messages.describe_cluster_request import DescribeClusterRequest
    from riacho.wire.messages.describe_cluster_response import DescribeClusterResponse

    connection = cluster.any()
    if fenced and connection.version_for(_API_KEY) < _FENCED_SINCE:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"{connection.address} cannot tell about fenced brokers.")
    request = DescribeClusterRequest(endpoint_type=endpoint_type, include_fenced_brokers=fenced)
    response = cluster.ask(request, DescribeClusterResponse, connection)
    if response.error_code == ErrorCode.MISMATCHED_ENDPOINT_TYPE:
        kinds = ("brokers", "controllers") if endpoint_type == CONTROLLERS else ("controllers", "brokers")
        flag = "bootstrap-server" if endpoint_type == CONTROLLERS else "bootstrap-controller"
        check(
            response.error_code,
            f"{connection.address} is an address of {kinds[0]}, not of {kinds[1]}; give it with --{flag}.",
        )
    check(response.error_code, response.error_message)
    return response

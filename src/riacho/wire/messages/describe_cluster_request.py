"""DescribeClusterRequest (request, key 60), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message


class DescribeClusterRequest(Message):
    include_cluster_authorized_operations: bool = False
    endpoint_type: int = 1
    include_fenced_brokers: bool = False

    FIELDS = (
        Field("include_cluster_authorized_operations", "bool"),
        Field("endpoint_type", "int8", (1, LAST), default=1),
        Field("include_fenced_brokers", "bool", (2, LAST)),
    )
    NAME = "DescribeClusterRequest"
    API_KEY = 60
    VERSIONS = (0, 2)
    FLEXIBLE = 0

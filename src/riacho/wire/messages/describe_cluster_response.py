"""DescribeClusterResponse (response, key 60), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribeClusterBroker(WireStruct):
    broker_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None
    is_fenced: bool = False

    FIELDS = (
        Field("broker_id", "int32"),
        Field("host", "string"),
        Field("port", "int32"),
        Field("rack", "string", nullable=(0, LAST), default=None),
        Field("is_fenced", "bool", (2, LAST)),
    )


class DescribeClusterResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    endpoint_type: int = 1
    cluster_id: str = ""
    controller_id: int = -1
    brokers: list[DescribeClusterBroker] = []
    cluster_authorized_operations: int = -2147483648

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST), default=None),
        Field("endpoint_type", "int8", (1, LAST), default=1),
        Field("cluster_id", "string"),
        Field("controller_id", "int32", default=-1),
        Field("brokers", DescribeClusterBroker, array=True),
        Field("cluster_authorized_operations", "int32", default=-2147483648),
    )
    NAME = "DescribeClusterResponse"
    API_KEY = 60
    VERSIONS = (0, 2)
    FLEXIBLE = 0

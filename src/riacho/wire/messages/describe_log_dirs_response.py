"""DescribeLogDirsResponse (response, key 35), v1-5.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribeLogDirsPartition(WireStruct):
    partition_index: int = 0
    partition_size: int = 0
    offset_lag: int = 0
    is_future_key: bool = False

    FIELDS = (
        Field("partition_index", "int32"),
        Field("partition_size", "int64"),
        Field("offset_lag", "int64"),
        Field("is_future_key", "bool"),
    )


class DescribeLogDirsTopic(WireStruct):
    name: str = ""
    partitions: list[DescribeLogDirsPartition] = []

    FIELDS = (
        Field("name", "string"),
        Field("partitions", DescribeLogDirsPartition, array=True),
    )


class DescribeLogDirsResult(WireStruct):
    error_code: int = 0
    log_dir: str = ""
    topics: list[DescribeLogDirsTopic] = []
    total_bytes: int = -1
    usable_bytes: int = -1
    is_cordoned: bool = False

    FIELDS = (
        Field("error_code", "int16"),
        Field("log_dir", "string"),
        Field("topics", DescribeLogDirsTopic, array=True),
        Field("total_bytes", "int64", (4, LAST), default=-1, ignorable=True),
        Field("usable_bytes", "int64", (4, LAST), default=-1, ignorable=True),
        Field("is_cordoned", "bool", (5, LAST), ignorable=True),
    )


class DescribeLogDirsResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    results: list[DescribeLogDirsResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16", (3, LAST), ignorable=True),
        Field("results", DescribeLogDirsResult, array=True),
    )
    NAME = "DescribeLogDirsResponse"
    API_KEY = 35
    VERSIONS = (1, 5)
    FLEXIBLE = 2

"""DescribeConfigsResponse (response, key 32), v1-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribeConfigsSynonym(WireStruct):
    name: str = ""
    value: str | None = ""
    source: int = 0

    FIELDS = (
        Field("name", "string", (1, LAST)),
        Field("value", "string", (1, LAST), nullable=(0, LAST)),
        Field("source", "int8", (1, LAST)),
    )


class DescribeConfigsResourceResult(WireStruct):
    name: str = ""
    value: str | None = ""
    read_only: bool = False
    config_source: int = -1
    is_sensitive: bool = False
    synonyms: list[DescribeConfigsSynonym] = []
    config_type: int = 0
    documentation: str | None = ""

    FIELDS = (
        Field("name", "string"),
        Field("value", "string", nullable=(0, LAST)),
        Field("read_only", "bool"),
        Field("config_source", "int8", (1, LAST), default=-1, ignorable=True),
        Field("is_sensitive", "bool"),
        Field("synonyms", DescribeConfigsSynonym, (1, LAST), array=True, ignorable=True),
        Field("config_type", "int8", (3, LAST), ignorable=True),
        Field("documentation", "string", (3, LAST), nullable=(0, LAST), ignorable=True),
    )


class DescribeConfigsResult(WireStruct):
    error_code: int = 0
    error_message: str | None = ""
    resource_type: int = 0
    resource_name: str = ""
    configs: list[DescribeConfigsResourceResult] = []

    FIELDS = (
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("resource_type", "int8"),
        Field("resource_name", "string"),
        Field("configs", DescribeConfigsResourceResult, array=True),
    )


class DescribeConfigsResponse(Message):
    throttle_time_ms: int = 0
    results: list[DescribeConfigsResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("results", DescribeConfigsResult, array=True),
    )
    NAME = "DescribeConfigsResponse"
    API_KEY = 32
    VERSIONS = (1, 4)
    FLEXIBLE = 4

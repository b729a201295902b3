"""ListConfigResourcesResponse (response, key 74), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ConfigResource(WireStruct):
    resource_name: str = ""
    resource_type: int = 16

    FIELDS = (
        Field("resource_name", "string"),
        Field("resource_type", "int8", (1, LAST), default=16, ignorable=True),
    )


class ListConfigResourcesResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    config_resources: list[ConfigResource] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("config_resources", ConfigResource, array=True),
    )
    NAME = "ListConfigResourcesResponse"
    API_KEY = 74
    VERSIONS = (0, 1)
    FLEXIBLE = 0

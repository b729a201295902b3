"""IncrementalAlterConfigsRequest (request, key 44), v0-1.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class AlterableConfig(WireStruct):
    name: str = ""
    config_operation: int = 0
    value: str | None = ""

    FIELDS = (
        Field("name", "string"),
        Field("config_operation", "int8"),
        Field("value", "string", nullable=(0, LAST)),
    )


class AlterConfigsResource(WireStruct):
    resource_type: int = 0
    resource_name: str = ""
    configs: list[AlterableConfig] = []

    FIELDS = (
        Field("resource_type", "int8"),
        Field("resource_name", "string"),
        Field("configs", AlterableConfig, array=True),
    )


class IncrementalAlterConfigsRequest(Message):
    resources: list[AlterConfigsResource] = []
    validate_only: bool = False

    FIELDS = (
        Field("resources", AlterConfigsResource, array=True),
        Field("validate_only", "bool"),
    )
    NAME = "IncrementalAlterConfigsRequest"
    API_KEY = 44
    VERSIONS = (0, 1)
    FLEXIBLE = 1

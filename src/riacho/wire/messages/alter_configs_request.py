"""AlterConfigsRequest (request, key 33), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class AlterableConfig(WireStruct):
    name: str = ""
    value: str | None = ""

    FIELDS = (
        Field("name", "string"),
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


class AlterConfigsRequest(Message):
    resources: list[AlterConfigsResource] = []
    validate_only: bool = False

    FIELDS = (
        Field("resources", AlterConfigsResource, array=True),
        Field("validate_only", "bool"),
    )
    NAME = "AlterConfigsRequest"
    API_KEY = 33
    VERSIONS = (0, 2)
    FLEXIBLE = 2

"""DescribeConfigsRequest (request, key 32), v1-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class DescribeConfigsResource(WireStruct):
    resource_type: int = 0
    resource_name: str = ""
    configuration_keys: list[str] | None = []

    FIELDS = (
        Field("resource_type", "int8"),
        Field("resource_name", "string"),
        Field("configuration_keys", "string", array=True, nullable=(0, LAST)),
    )


class DescribeConfigsRequest(Message):
    resources: list[DescribeConfigsResource] = []
    include_synonyms: bool = False
    include_documentation: bool = False

    FIELDS = (
        Field("resources", DescribeConfigsResource, array=True),
        Field("include_synonyms", "bool", (1, LAST)),
        Field("include_documentation", "bool", (3, LAST)),
    )
    NAME = "DescribeConfigsRequest"
    API_KEY = 32
    VERSIONS = (1, 4)
    FLEXIBLE = 4

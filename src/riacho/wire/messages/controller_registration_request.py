"""ControllerRegistrationRequest (request, key 70), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class Listener(WireStruct):
    name: str = ""
    host: str = ""
    port: int = 0
    security_protocol: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("host", "string"),
        Field("port", "uint16"),
        Field("security_protocol", "int16"),
    )


class Feature(WireStruct):
    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("min_supported_version", "int16"),
        Field("max_supported_version", "int16"),
    )


class ControllerRegistrationRequest(Message):
    controller_id: int = 0
    incarnation_id: bytes = ZERO_UUID
    zk_migration_ready: bool = False
    listeners: list[Listener] = []
    features: list[Feature] = []

    FIELDS = (
        Field("controller_id", "int32"),
        Field("incarnation_id", "uuid"),
        Field("zk_migration_ready", "bool"),
        Field("listeners", Listener, array=True),
        Field("features", Feature, array=True),
    )
    NAME = "ControllerRegistrationRequest"
    API_KEY = 70
    VERSIONS = (0, 0)
    FLEXIBLE = 0

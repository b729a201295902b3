"""RegisterControllerRecord (metadata, number 27), v0.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import Field, Message, WireStruct


class ControllerEndpoint(WireStruct):
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


class ControllerFeature(WireStruct):
    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("min_supported_version", "int16"),
        Field("max_supported_version", "int16"),
    )


class RegisterControllerRecord(Message):
    controller_id: int = 0
    incarnation_id: bytes = ZERO_UUID
    zk_migration_ready: bool = False
    end_points: list[ControllerEndpoint] = []
    features: list[ControllerFeature] = []

    FIELDS = (
        Field("controller_id", "int32"),
        Field("incarnation_id", "uuid"),
        Field("zk_migration_ready", "bool"),
        Field("end_points", ControllerEndpoint, array=True),
        Field("features", ControllerFeature, array=True),
    )
    NAME = "RegisterControllerRecord"
    API_KEY = 27
    VERSIONS = (0, 0)
    FLEXIBLE = 0

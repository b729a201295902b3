"""BrokerRegistrationRequest (request, key 62), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


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


class BrokerRegistrationRequest(Message):
    broker_id: int = 0
    cluster_id: str = ""
    incarnation_id: bytes = ZERO_UUID
    listeners: list[Listener] = []
    features: list[Feature] = []
    rack: str | None = ""
    is_migrating_zk_broker: bool = False
    log_dirs: list[bytes] = []
    previous_broker_epoch: int = -1

    FIELDS = (
        Field("broker_id", "int32"),
        Field("cluster_id", "string"),
        Field("incarnation_id", "uuid"),
        Field("listeners", Listener, array=True),
        Field("features", Feature, array=True),
        Field("rack", "string", nullable=(0, LAST)),
        Field("is_migrating_zk_broker", "bool", (1, LAST)),
        Field("log_dirs", "uuid", (2, LAST), array=True, ignorable=True),
        Field("previous_broker_epoch", "int64", (3, LAST), default=-1, ignorable=True),
    )
    NAME = "BrokerRegistrationRequest"
    API_KEY = 62
    VERSIONS = (0, 4)
    FLEXIBLE = 0

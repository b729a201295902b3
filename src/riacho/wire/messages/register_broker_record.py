"""RegisterBrokerRecord (metadata, number 0), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.base.ids import ZERO_UUID
from riacho.wire.schema import LAST, Field, Message, WireStruct


class BrokerEndpoint(WireStruct):
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


class BrokerFeature(WireStruct):
    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0

    FIELDS = (
        Field("name", "string"),
        Field("min_supported_version", "int16"),
        Field("max_supported_version", "int16"),
    )


class RegisterBrokerRecord(Message):
    broker_id: int = 0
    is_migrating_zk_broker: bool = False
    incarnation_id: bytes = ZERO_UUID
    broker_epoch: int = 0
    end_points: list[BrokerEndpoint] = []
    features: list[BrokerFeature] = []
    rack: str | None = ""
    fenced: bool = True
    in_controlled_shutdown: bool = False
    log_dirs: list[bytes] = []
    cordoned_log_dirs: list[bytes] | None = None

    FIELDS = (
        Field("broker_id", "int32"),
        Field("is_migrating_zk_broker", "bool", (2, LAST)),
        Field("incarnation_id", "uuid"),
        Field("broker_epoch", "int64"),
        Field("end_points", BrokerEndpoint, array=True),
        Field("features", BrokerFeature, array=True),
        Field("rack", "string", nullable=(0, LAST)),
        Field("fenced", "bool", default=True),
        Field("in_controlled_shutdown", "bool", (1, LAST)),
        Field("log_dirs", "uuid", (3, LAST), array=True, tag=0),
        Field("cordoned_log_dirs", "uuid", (4, LAST), array=True, nullable=(4, LAST), tag=1, default=None),
    )
    NAME = "RegisterBrokerRecord"
    API_KEY = 0
    VERSIONS = (0, 4)
    FLEXIBLE = 0

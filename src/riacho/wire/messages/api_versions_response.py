"""ApiVersionsResponse (response, key 18), v0-4.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class ApiVersion(WireStruct):
    api_key: int = 0
    min_version: int = 0
    max_version: int = 0

    FIELDS = (
        Field("api_key", "int16"),
        Field("min_version", "int16"),
        Field("max_version", "int16"),
    )


class SupportedFeatureKey(WireStruct):
    name: str = ""
    min_version: int = 0
    max_version: int = 0

    FIELDS = (
        Field("name", "string", (3, LAST)),
        Field("min_version", "int16", (3, LAST)),
        Field("max_version", "int16", (3, LAST)),
    )


class FinalizedFeatureKey(WireStruct):
    name: str = ""
    max_version_level: int = 0
    min_version_level: int = 0

    FIELDS = (
        Field("name", "string", (3, LAST)),
        Field("max_version_level", "int16", (3, LAST)),
        Field("min_version_level", "int16", (3, LAST)),
    )


class ApiVersionsResponse(Message):
    error_code: int = 0
    api_keys: list[ApiVersion] = []
    throttle_time_ms: int = 0
    supported_features: list[SupportedFeatureKey] = []
    finalized_features_epoch: int = -1
    finalized_features: list[FinalizedFeatureKey] = []
    zk_migration_ready: bool = False

    FIELDS = (
        Field("error_code", "int16"),
        Field("api_keys", ApiVersion, array=True),
        Field("throttle_time_ms", "int32", (1, LAST), ignorable=True),
        Field("supported_features", SupportedFeatureKey, (3, LAST), array=True, tag=0, ignorable=True),
        Field("finalized_features_epoch", "int64", (3, LAST), tag=1, default=-1, ignorable=True),
        Field("finalized_features", FinalizedFeatureKey, (3, LAST), array=True, tag=2, ignorable=True),
        Field("zk_migration_ready", "bool", (3, LAST), tag=3, ignorable=True),
    )
    NAME = "ApiVersionsResponse"
    API_KEY = 18
    VERSIONS = (0, 4)
    FLEXIBLE = 3

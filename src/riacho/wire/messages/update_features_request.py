"""UpdateFeaturesRequest (request, key 57), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class FeatureUpdateKey(WireStruct):
    feature: str = ""
    max_version_level: int = 0
    allow_downgrade: bool = False
    upgrade_type: int = 1

    FIELDS = (
        Field("feature", "string"),
        Field("max_version_level", "int16"),
        Field("allow_downgrade", "bool", (0, 0)),
        Field("upgrade_type", "int8", (1, LAST), default=1),
    )


class UpdateFeaturesRequest(Message):
    timeout_ms: int = 60000
    feature_updates: list[FeatureUpdateKey] = []
    validate_only: bool = False

    FIELDS = (
        Field("timeout_ms", "int32", default=60000),
        Field("feature_updates", FeatureUpdateKey, array=True),
        Field("validate_only", "bool", (1, LAST)),
    )
    NAME = "UpdateFeaturesRequest"
    API_KEY = 57
    VERSIONS = (0, 2)
    FLEXIBLE = 0

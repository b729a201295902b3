"""UpdateFeaturesResponse (response, key 57), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class UpdatableFeatureResult(WireStruct):
    feature: str = ""
    error_code: int = 0
    error_message: str | None = ""

    FIELDS = (
        Field("feature", "string"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
    )


class UpdateFeaturesResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: list[UpdatableFeatureResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
        Field("results", UpdatableFeatureResult, (0, 1), array=True, ignorable=True),
    )
    NAME = "UpdateFeaturesResponse"
    API_KEY = 57
    VERSIONS = (0, 2)
    FLEXIBLE = 0

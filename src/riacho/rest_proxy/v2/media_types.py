"""Content types of the v2 API."""

from __future__ import annotations

from typing import Final

from riacho.rest_proxy.embedded.format import Format

JSON: Final = "application/json"
V2: Final = "application/vnd.kafka.v2+json"
EMBEDDED: Final = tuple(
    format.media_type for format in (Format.BINARY, Format.AVRO, Format.JSON, Format.JSONSCHEMA, Format.PROTOBUF)
)
# Topics, partitions, brokers: what a browser gets is plain JSON.
ANSWER_TYPES: Final = (JSON, V2)
# On consumers every type of this API may stand in a request, whatever the instance's format.
CONSUMER_REQUEST_TYPES: Final = (V2, *EMBEDDED, JSON)
CONSUMER_ANSWER_TYPES: Final = (V2, *EMBEDDED, JSON)

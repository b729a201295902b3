"""Which versions of each API a node serves, asked on a new connection.

A node that does not know our version of ApiVersions answers in version 0 with the versions that it does know
(KIP-511); it is asked again in the newest of those.
"""

from __future__ import annotations

import struct
from collections.abc import Generator

from riacho import __version__
from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.apis import APIS
from riacho.wire.codec import decoder
from riacho.wire.header import API_VERSIONS_KEY
from riacho.wire.messages.api_versions_request import ApiVersionsRequest
from riacho.wire.messages.api_versions_response import ApiVersionsResponse
from riacho.wire.primitives import WireError

_ERROR_CODE = struct.Struct(">h")
# As brokers know their clients by (KIP-511).
_SOFTWARE_NAME = "riacho"

Negotiation = Generator[tuple[int, ApiVersionsRequest], tuple[bytearray, int], ApiVersionsResponse]


def negotiation(address: str) -> Negotiation:
    """Gives (version, request) to send and takes (frame, position of the body); ends with what the node serves.

    WireError where that is no answer, KafkaError where it is a refusal.
    """
    request = ApiVersionsRequest(client_software_name=_SOFTWARE_NAME, client_software_version=__version__)
    version = APIS[API_VERSIONS_KEY].max_version
    frame, position = yield version, request
    if len(frame) < position + _ERROR_CODE.size:
        raise WireError("the answer ends early")
    if _ERROR_CODE.unpack_from(frame, position)[0] == ErrorCode.UNSUPPORTED_VERSION:
        known = _decode(0, frame, position)
        theirs = {api.api_key: api.max_version for api in known.api_keys}
        version = min(version, theirs.get(API_VERSIONS_KEY, 0))
        frame, position = yield version, request
    answer = _decode(version, frame, position)
    if answer.error_code:
        raise KafkaError(ErrorCode(answer.error_code), f"{address} refused to tell its versions")
    return answer


def served_versions(answer: ApiVersionsResponse) -> dict[int, tuple[int, int]]:
    """(first, last) version by API key."""
    return {api.api_key: (api.min_version, api.max_version) for api in answer.api_keys}


def _decode(version: int, frame: bytearray, position: int) -> ApiVersionsResponse:
    answer, _ = decoder(ApiVersionsResponse, version)(frame, position)
    return answer

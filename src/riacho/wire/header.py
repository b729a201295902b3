"""What stands before the body: the request header, v1 or v2, and the response header, v0 or v1.

The higher header goes with a flexible body (KIP-482). Two old habits stay: `client_id` keeps its two-byte length in
request header v2, and the answer to ApiVersions always has header v0, since a client that asks does not know yet what
the broker speaks (KIP-511).
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec

from riacho.wire.apis import APIS
from riacho.wire.primitives import WireError, raise_short, skip_tagged_fields
from riacho.wire.schema import LAST, Buffer

API_VERSIONS_KEY: Final = 18

_REQUEST: Final = struct.Struct(">hhih")
_CORRELATION_ID: Final = struct.Struct(">i")
_FIRST_FLEXIBLE: Final = {api.key: LAST + 1 if api.flexible is None else api.flexible for api in APIS.values()}


class RequestHeader(msgspec.Struct, frozen=True, gc=False):
    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None
    # Where the request's body begins in the buffer that the header was read from.
    body_position: int


def decode_request_header(buffer: Buffer, position: int = 0) -> RequestHeader:
    """The version is not held against the API's range: an ApiVersions request of an unknown version has an answer."""
    try:
        key, version, correlation_id, length = _REQUEST.unpack_from(buffer, position)
        position += _REQUEST.size
        flexible = version >= _first_flexible(key)
        client_id = None
        if length >= 0:
            end = position + length
            client_id = str(buffer[position:end], "utf-8")
            position = end
        if flexible:
            # No field of the header is tagged yet; the usual section is a single zero.
            position = position + 1 if not buffer[position] else skip_tagged_fields(buffer, position, len(buffer))
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise WireError(f"request header: {error}") from error
    if position > len(buffer):
        raise_short()
    return RequestHeader(key, version, correlation_id, client_id, position)


def encode_request_header(
    api_key: int, api_version: int, correlation_id: int, client_id: str | None, out: bytearray
) -> None:
    name = b"" if client_id is None else client_id.encode()
    try:
        out += _REQUEST.pack(api_key, api_version, correlation_id, -1 if client_id is None else len(name))
    except struct.error as error:
        raise WireError(f"request header: {error}") from error
    out += name
    if api_version >= _first_flexible(api_key):
        out.append(0)


def encode_response_header(api_key: int, api_version: int, correlation_id: int, out: bytearray) -> None:
    out += _CORRELATION_ID.pack(correlation_id)
    if _has_response_tags(api_key, api_version):
        out.append(0)


def decode_response_header(api_key: int, api_version: int, buffer: Buffer, position: int = 0) -> tuple[int, int]:
    """(correlation id, position of the body)."""
    try:
        (correlation_id,) = _CORRELATION_ID.unpack_from(buffer, position)
        position += _CORRELATION_ID.size
        if _has_response_tags(api_key, api_version):
            position = skip_tagged_fields(buffer, position, len(buffer))
    except (struct.error, IndexError) as error:
        raise WireError(f"response header: {error}") from error
    return correlation_id, position


def _has_response_tags(api_key: int, api_version: int) -> bool:
    return api_key != API_VERSIONS_KEY and api_version >= _first_flexible(api_key)


def _first_flexible(key: int) -> int:
    version = _FIRST_FLEXIBLE.get(key)
    if version is None:
        raise WireError(f"there is no API with key {key}")
    return version

"""From the bytes of records to the JSON text that an answer shows, by embedded format.

Many at a time: the schemas are asked for once, and what follows needs no waiting.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from riacho.rest_proxy.embedded.format import Format
from riacho.rest_proxy.embedded.json_text import JsonError, check_text
from riacho.schemas.parsed import Codec, DataError
from riacho.web.errors import ApiError

if TYPE_CHECKING:
    from riacho.rest_proxy.registry import Registry

_NULL = b"null"
_PREFIX_BYTES = 5
_REFUSED = 42207  # the registry answers, and there is no such schema: that is the record's fault
_encode_json = msgspec.json.Encoder().encode
# Checks the whole text without making anything of it.
_check_json = msgspec.json.Decoder(msgspec.Raw).decode


class Unreadable(ApiError):
    """The record itself is at fault, and will be the next time too; not the registry, which may be back."""


class Decoders:
    def __init__(self, registry: Registry | None) -> None:
        self._registry = registry

    async def decode(self, format: Format, payloads: Sequence[bytes | None]) -> list[bytes]:
        """JSON text of each payload, `null` where there is none. ApiError 40801 when one cannot be read."""
        plain = _PLAIN.get(format)
        if plain is not None:
            return [_NULL if payload is None else plain(payload) for payload in payloads]
        codecs = await self._codecs({_schema_id(payload) for payload in payloads if payload is not None})
        return [_NULL if payload is None else _decoded(payload, codecs) for payload in payloads]

    async def _codecs(self, schema_ids: set[int]) -> Mapping[int, Codec]:
        if not schema_ids:
            return {}
        if self._registry is None:
            raise ApiError(408, 40801, "No schema registry is configured: set schema.registry.url.")
        return {schema_id: await _codec(self._registry, schema_id) for schema_id in schema_ids}


async def _codec(registry: Registry, schema_id: int) -> Codec:
    try:
        return (await registry.by_id(schema_id))[1]
    except ApiError as error:
        if error.error_code != _REFUSED:
            raise
        raise _unreadable(f"the registry refuses its schema {schema_id}: {error.message}") from None


def _binary(payload: bytes) -> bytes:
    return b'"' + binascii.b2a_base64(payload, newline=False) + b'"'


def _string(payload: bytes) -> bytes:
    return _encode_json(payload.decode("utf-8", "replace"))


def _json(payload: bytes) -> bytes:
    try:
        check_text(payload)
        _check_json(payload)
    except (JsonError, msgspec.MsgspecError, RecursionError) as error:
        raise _unreadable(f"it is not JSON: {error}") from None
    return payload


def _schema_id(payload: bytes) -> int:
    if len(payload) < _PREFIX_BYTES or payload[0] != 0:
        raise _unreadable("it does not begin with a magic byte and a schema id")
    return int.from_bytes(payload[1:_PREFIX_BYTES], "big")


def _decoded(payload: bytes, codecs: Mapping[int, Codec]) -> bytes:
    try:
        return _encode_json(codecs[_schema_id(payload)].decode(payload[_PREFIX_BYTES:]))
    except (DataError, RecursionError) as error:
        raise _unreadable(str(error)) from None


def _unreadable(reason: str) -> ApiError:
    return Unreadable(408, 40801, f"Error deserializing a record: {reason}.")


_PLAIN: Mapping[Format, Callable[[bytes], bytes]] = {
    Format.BINARY: _binary,
    Format.STRING: _string,
    Format.JSON: _json,
}

"""Messages to bytes and back, by functions compiled from each message's `FIELDS` when they are first asked for.

Compiling takes about a millisecond per message and version, so nothing is compiled ahead of its first use.
"""

from __future__ import annotations

from typing import Any, TypeVar

from riacho.wire.decode_source import Decoder, compile_decoder
from riacho.wire.encode_source import Encoder, Splices, compile_encoder
from riacho.wire.primitives import WireError
from riacho.wire.schema import Buffer, Message

__all__ = ["Decoder", "Encoder", "Splices", "WireError", "decode", "decoder", "encode", "encoder", "is_flexible"]

M = TypeVar("M", bound=Message)

_DECODERS: dict[tuple[type[Message], int], Any] = {}
_ENCODERS: dict[tuple[type[Message], int], Any] = {}


def is_flexible(cls: type[Message], version: int) -> bool:
    return cls.FLEXIBLE is not None and version >= cls.FLEXIBLE


def decoder(cls: type[M], version: int) -> Decoder[M]:
    """(buffer, position) -> (message, position after it). Bytes after the message are not looked at."""
    found: Decoder[M] | None = _DECODERS.get((cls, version))
    if found is None:
        _check_version(cls, version)
        found = _DECODERS[cls, version] = compile_decoder(cls, version, is_flexible(cls, version))
    return found


def encoder(cls: type[M], version: int) -> Encoder[M]:
    """(message, out, splices) -> None: appends to `out`, which a WireError leaves with a part of the message.

    Records that are not in memory go to `splices` as (position in `out`, object); only their size is written.
    """
    found: Encoder[M] | None = _ENCODERS.get((cls, version))
    if found is None:
        _check_version(cls, version)
        found = _ENCODERS[cls, version] = compile_encoder(cls, version, is_flexible(cls, version))
    return found


def decode(cls: type[M], version: int, buffer: Buffer, position: int = 0) -> M:
    return decoder(cls, version)(buffer, position)[0]


def encode(message: Message, version: int) -> bytearray:
    out = bytearray()
    encoder(type(message), version)(message, out, None)
    return out


def _check_version(cls: type[Message], version: int) -> None:
    first, last = cls.VERSIONS
    if not first <= version <= last:
        raise WireError(f"{cls.NAME} has versions {first} to {last}, not {version}")

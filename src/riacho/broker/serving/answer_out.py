"""An answer as it leaves: encoded in front of the records that belong into it, and the records after it.

Records go from the segment file to a duplicate of the socket by sendfile. Small ones are copied, since that costs less
than the system calls; so are all of them where TLS must encrypt them, or where earlier answers still wait to be sent.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

from riacho.broker.serving.sending import Sending
from riacho.log.descriptors import is_for_files
from riacho.log.file_slice import FileSlice
from riacho.wire.primitives import WireError

if TYPE_CHECKING:
    import asyncio

    from riacho.broker.parts.node_parts import NodeParts
    from riacho.broker.requests.api import Api
    from riacho.wire.schema import Message

Splices = list[tuple[int, FileSlice]]

_SIZE_AND_CORRELATION = struct.Struct(">ii")
# Below this, copying records into the answer costs less than the extra system calls of sendfile.
_SENDFILE_SIZE_BYTES_MIN = 32 * 1024
# How long the last answers may take to leave a connection that was closed.
_LINGER_S = 10.0


def encode_answer(api: Api, response: Message, version: int, correlation_id: int, splices: Splices) -> bytearray:
    """The answer with its size and header; `splices` are filled with the records to come. WireError."""
    codec = api.codec(version)
    out = bytearray(8)
    if codec.is_response_header_tagged:
        out.append(0)
    # Of all that may be spliced in, handlers use slices of segment files.
    codec.encode(response, out, splices)  # type: ignore[arg-type]
    size_bytes = len(out)
    for _, piece in splices:
        size_bytes += piece.size
    _SIZE_AND_CORRELATION.pack_into(out, 0, size_bytes - 4, correlation_id)
    return out


def encoded_or_logged(
    node: NodeParts, api: Api, response: Message, version: int, correlation_id: int, splices: Splices
) -> bytearray | None:
    """None where a handler set what this version cannot carry: a bug of ours, and no answer is better than a broken
    one."""
    try:
        return encode_answer(api, response, version, correlation_id, splices)
    except WireError:
        node.metrics.request_failures += 1
        node.logs.error.exception("answer cannot be written api=%s version=%d", api.name, version)
        return None


def joined(out: bytearray, splices: Splices, close: Callable[[], None]) -> bytearray | None:
    """The whole answer in memory; None after `close()` when its records cannot be read, as half an answer is none."""
    whole = bytearray()
    start = 0
    for position, piece in splices:
        whole += memoryview(out)[start:position]
        try:
            records = piece.read()
        except OSError:
            records = b""
        if len(records) < piece.size:
            close()
            return None
        whole += records
        start = position
    whole += memoryview(out)[start:]
    return whole


def hang_up(loop: asyncio.AbstractEventLoop, transport: asyncio.Transport) -> None:
    """Close when all is sent; a peer that does not read cannot put that off for ever."""
    transport.close()
    if transport.get_write_buffer_size():
        loop.call_later(_LINGER_S, transport.abort)


class RecordsOut:
    """A connection's way to send records from files; made when the first large answer leaves."""

    __slots__ = ("_duplicate", "_loop", "_seen_bytes", "_sending", "_transport")

    def __init__(self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport) -> None:
        self._loop = loop
        self._transport = transport
        self._duplicate: socket.socket | None = None
        self._sending: Sending | None = None
        self._seen_bytes = 0

    def is_stuck(self) -> bool | None:
        """Whether the peer took nothing of the answer since this was last asked; None while nothing is on its way."""
        if self._sending is None or not self._sending.is_watching:
            return None
        before, self._seen_bytes = self._seen_bytes, self._sending.sent_bytes
        return self._seen_bytes == before

    def sends(
        self, out: bytearray, splices: Splices, size_bytes: int, done: Callable[[int, OSError | None, bool], None]
    ) -> bool:
        """Whether the answer is on its way; if not, it has to be joined and written. `done` is called at the end."""
        if size_bytes < _SENDFILE_SIZE_BYTES_MIN or self._transport.get_write_buffer_size() > 0:
            return False
        duplicate = self._duplicate if self._duplicate is not None else self._duplicate_socket()
        if duplicate is None:
            return False
        self._seen_bytes = -1
        self._sending = Sending(self._loop, duplicate, out, splices, done)
        self._sending.run()
        return True

    def close(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
        if self._duplicate is not None:
            self._duplicate.close()
            self._duplicate = None

    def _duplicate_socket(self) -> socket.socket | None:
        """None when it is not a plain socket's transport, what it sends is encrypted, or descriptors are scarce."""
        if self._transport.get_extra_info("sslcontext") is not None:
            return None
        sock = self._transport.get_extra_info("socket")
        if sock is None:
            return None
        try:
            duplicate = os.dup(sock.fileno())
        except OSError:
            return None
        if is_for_files(duplicate):
            os.close(duplicate)
            return None
        self._duplicate = socket.socket(fileno=duplicate)
        self._duplicate.setblocking(False)
        return self._duplicate

"""Server-sent events: one JSON document each."""

from __future__ import annotations

import msgspec

from riacho.console.messages.message import Message

MEDIA_TYPE = "text/event-stream"
# Nobody between us and the page may keep it, or hold it back.
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_encode = msgspec.json.Encoder().encode


class Progress(msgspec.Struct):
    """`partitions`: how far each was read, the offset that comes next (or, from the newest on, the last one looked at).
    `skipped`: messages that came while the reader was slower than they. `control`: markers of transactions, which are
    never shown; `aborted`: records of transactions that were given up."""

    scanned: int
    matched: int
    bytes: int
    elapsed_ms: int
    partitions: dict[str, int]
    skipped: int = 0
    control: int = 0
    aborted: int = 0


class Done(msgspec.Struct):
    """`reason`: limit, end or time."""

    reason: str


class Problem(msgspec.Struct):
    message: str


Event = Message | Progress | Done | Problem
_NAMES: dict[type, bytes] = {Message: b"message", Progress: b"progress", Done: b"done", Problem: b"problem"}


def event_text(event: Event) -> bytes:
    # JSON has no line breaks of its own, so a document is one line of data.
    return b"event: %b\ndata: %b\n\n" % (_NAMES[type(event)], _encode(event))

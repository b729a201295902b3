"""What a service and its child with the Spark driver tell each other: one JSON object a line, each of a type that both
ends share.

The service's first line is the child's settings; after it come commands (`do`), and events (`event`) the other way.
What is said of connectors is in `connect/protocol.py`, of SQL's queries in `sql/runner/protocol.py`. A line of no known
type, or with a field that its type does not have, is an error: MessageError.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


class MessageError(ValueError):
    """A line that is no message; one sentence."""


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag=str.lower):
    """From the service to the child."""


class Alive(Command, frozen=True):
    """Says nothing but that the service is there (`lifeline.py`)."""


class Quit(Command, frozen=True):
    pass


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag=str.lower):
    """From the child to the service."""


class Ready(Event, frozen=True):
    """There is a Spark session. `ui` is the address of Spark's own pages, None where it has none."""

    spark: str
    master: str
    ui: str | None = None


class Log(Event, frozen=True):
    level: str
    message: str


_ENCODER = msgspec.json.Encoder(enc_hook=str)


def line_of(message: msgspec.Struct) -> bytes:
    return _ENCODER.encode(message) + b"\n"


def message_from(decoder: msgspec.json.Decoder[T], line: bytes | str, what: str) -> T:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MessageError(f"{what} could not be read: {error}.") from None

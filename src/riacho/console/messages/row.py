"""One record while it is looked at: its bytes, decoded and masked when a filter or the page asks for them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from riacho.console.messages.decode import AUTO, Decoder, header_text
from riacho.console.messages.decoded import Decoded
from riacho.console.messages.message import (
    KEY_LENGTH_MAX,
    TIMESTAMP_TYPES,
    VALUE_LENGTH_MAX,
    WHOLE_LENGTH_MAX,
    DecodedAs,
    Message,
    cut_message,
)
from riacho.console.messages.produce import WrittenRecord
from riacho.wire.batch import BatchHeader
from riacho.wire.records import Headers, Record, record_timestamp


class Masker(Protocol):
    """What is hidden of a topic from who asks (`console/door/masking.py`)."""

    def key(self, value: object) -> object: ...
    def value(self, value: object) -> object: ...
    def header(self, name: str, text: object) -> object: ...
    @property
    def hides_in_key(self) -> bool: ...
    @property
    def hides_in_value(self) -> bool: ...


class View(NamedTuple):
    """How one caller sees records of one topic."""

    decoder: Decoder
    key_format: str = AUTO
    value_format: str = AUTO
    masker: Masker | None = None

    @property
    def hides_key(self) -> bool:
        return self.masker is not None and self.masker.hides_in_key

    @property
    def hides_value(self) -> bool:
        return self.masker is not None and self.masker.hides_in_value


class Row:
    """Whatever leaves the server of a record, or decides whether it does, comes from here: key, value and headers are
    masked before anybody sees them, filters included."""

    __slots__ = (
        "_headers",
        "_key",
        "_record",
        "_value",
        "_view",
        "message",
        "offset",
        "partition",
        "timestamp_ms",
        "timestamp_type",
    )

    def __init__(self, view: View, partition: int, batch: BatchHeader, record: Record) -> None:
        self.partition = partition
        self.offset = batch.base_offset + record.offset_delta
        self.timestamp_ms = record_timestamp(batch, record)
        self.timestamp_type = batch.timestamp_type
        self._view = view
        self._record = record
        self._key: Decoded | None = None
        self._value: Decoded | None = None
        self._headers: list[tuple[str, str | None]] | None = None
        # What is left of it, once it was cut.
        self.message: Message | None = None

    @property
    def size_bytes(self) -> int:
        record = self._record
        headers = sum(len(name) + len(value or b"") for name, value in record.headers)
        return len(record.key or b"") + len(record.value or b"") + headers

    @property
    def key(self) -> Decoded:
        if self._key is None:
            view = self._view
            if view.masker is not None and view.hides_key:
                # Another format could show what the mask hides: it has the last word.
                found = view.decoder.decode(self._record.key, AUTO, is_key=True, headers=self._record.headers)
                self._key = found.masked(view.masker.key(found.tree))
            else:
                self._key = view.decoder.decode(
                    self._record.key, view.key_format, is_key=True, headers=self._record.headers
                )
        return self._key

    @property
    def value(self) -> Decoded:
        if self._value is None:
            view = self._view
            if view.masker is not None and view.hides_value:
                found = view.decoder.decode(self._record.value, AUTO, headers=self._record.headers)
                self._value = found.masked(view.masker.value(found.tree))
            else:
                self._value = view.decoder.decode(self._record.value, view.value_format, headers=self._record.headers)
        return self._value

    @property
    def headers(self) -> list[tuple[str, str | None]]:
        if self._headers is None:
            self._headers = _shown(self._record.headers, self._view.masker)
        return self._headers

    def cut(self) -> Message:
        """As a page shows it. Nothing else of it is kept from then on."""
        if self.message is None:
            self.message = cut_message(self._message(KEY_LENGTH_MAX + 1, VALUE_LENGTH_MAX + 1))
            self._record, self._key, self._value, self._headers = _NOTHING, None, None, None
        return self.message

    def whole(self) -> Message:
        """Before it was cut. What nobody could look at is cut all the same."""
        message = self._message(WHOLE_LENGTH_MAX + 1, WHOLE_LENGTH_MAX + 1)
        if len(message.value or "") > WHOLE_LENGTH_MAX or len(message.key or "") > WHOLE_LENGTH_MAX:
            message.key, message.value = (
                None if text is None else text[:WHOLE_LENGTH_MAX] for text in (message.key, message.value)
            )
            message.is_cut = True
        return message

    def _message(self, key_length: int, value_length: int) -> Message:
        """With so much of key and value, or more."""
        return Message(
            self.partition,
            self.offset,
            self.timestamp_ms,
            TIMESTAMP_TYPES[self.timestamp_type],
            self.key.beginning(key_length),
            self.value.beginning(value_length),
            self.headers,
            _decoded_as(self.key),
            _decoded_as(self.value),
            self.size_bytes,
            False,
        )

    @property
    def is_hidden(self) -> bool:
        """Whether anything of it is hidden from who asks."""
        view = self._view
        return view.hides_key or view.hides_value or self.headers != _shown(self._record.headers, None)

    def again(self, partition: int | None, *, drops: str | None = None) -> WrittenRecord:
        """The same bytes, to be written now; without headers whose names begin with `drops`."""
        record = self._record
        headers = [each for each in record.headers if drops is None or not each[0].startswith(drops)]
        return WrittenRecord(partition, record.key, record.value, headers, None)

    def header(self, name: str) -> str | None:
        """The last of that name, as clients take it."""
        return next((text for own, text in reversed(self.headers) if own == name), None)


_NOTHING = Record(0, 0, None, None)


def _decoded_as(found: Decoded) -> DecodedAs:
    return DecodedAs(found.format, found.schema_id, found.reason)


def _shown(headers: Headers, masker: Masker | None) -> list[tuple[str, str | None]]:
    # Names may hold any bytes; what is no text in them is shown as a replacement character.
    shown = [(_name(name), header_text(value)) for name, value in headers]
    if masker is None:
        return shown
    return [(name, None if text is None else str(masker.header(name, text))) for name, text in shown]


def _name(name: str) -> str:
    return name if name.isascii() else name.encode(errors="surrogateescape").decode(errors="replace")

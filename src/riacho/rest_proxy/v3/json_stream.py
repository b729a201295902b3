"""Cuts a stream of JSON objects, one after the other with or without white space between, into the objects.

Only braces, brackets and strings are looked at: whether an object is good JSON is seen by who reads it. What was looked
at is never looked at again, however small the pieces are that the stream comes in.
"""

from __future__ import annotations

import re

from riacho.rest_proxy.embedded.json_text import JsonError

_GAP = re.compile(rb"[ \t\r\n]*")
# A whole string at once; a lone quote is where one begins that has not come to its end.
_TOKEN = re.compile(rb'"(?>(?:[^"\\]++|\\.)*)"|[{}\[\]"]', re.DOTALL)
_STRING_END = re.compile(rb'(?>(?:[^"\\]++|\\.)*)"', re.DOTALL)
_STRING_PART = re.compile(rb"(?>(?:[^\"\\]++|\\.)*)", re.DOTALL)


class JsonStream:
    def __init__(self, object_bytes_max: int) -> None:
        self._object_bytes_max = object_bytes_max
        self._buffer = bytearray()
        self._at = 0
        self._depth = 0
        self._in_string = False
        self.error: JsonError | None = None

    def feed(self, piece: bytes) -> list[bytes]:
        """The objects that are complete now. `error` is set when something else than an object follows them."""
        self._buffer += piece
        objects: list[bytes] = []
        while self.error is None and (self._depth or self._begin()) and self._find_end():
            objects.append(bytes(self._buffer[: self._at]))
            del self._buffer[: self._at]
            self._at = 0
        if len(self._buffer) > self._object_bytes_max:
            self.error = JsonError(f"a record is larger than {self._object_bytes_max} bytes")
        return objects

    @property
    def size_bytes(self) -> int:
        """Of what has come and is not complete yet."""
        return len(self._buffer)

    def finish(self) -> None:
        """The stream has ended; `error` is set when that was in the middle of an object."""
        if self._depth and self.error is None:
            self.error = JsonError("the stream ended in the middle of a record")

    def _begin(self) -> bool:
        gap = _GAP.match(self._buffer)
        assert gap is not None
        del self._buffer[: gap.end()]
        if not self._buffer:
            return False
        if self._buffer[0] != ord("{"):
            self.error = JsonError(f"a record must be an object, not {self._buffer[:20].decode(errors='replace')!r}")
            return False
        self._depth, self._at = 1, 1
        return True

    def _find_end(self) -> bool:
        """Whether the object ends in what has come; `_at` is behind its last byte then."""
        if self._in_string and not self._leave_string():
            return False
        buffer, depth = self._buffer, self._depth
        for token in _TOKEN.finditer(buffer, self._at):
            first = buffer[token.start()]
            if first == 0x22 and token.end() - token.start() == 1:
                self._in_string, self._at, self._depth = True, token.end(), depth
                break
            if first in b"{[":
                depth += 1
            elif first in b"}]":
                depth -= 1
                if depth == 0:
                    self._at, self._depth = token.end(), 0
                    return True
        else:
            self._at, self._depth = len(buffer), depth
            return False
        self._leave_string()
        return False

    def _leave_string(self) -> bool:
        """Go on behind the string; False when it has not ended yet."""
        end = _STRING_END.match(self._buffer, self._at)
        if end is not None:
            self._at, self._in_string = end.end(), False
            return True
        part = _STRING_PART.match(self._buffer, self._at)
        assert part is not None
        self._at = part.end()
        return False

"""Lines of text as records: `headers<TAB>key<TAB>value`, as kafka-console-producer reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from riacho.cli.kafka.launch import ToolError

Headers = list[tuple[str, str | bytes | None]]


class Line(NamedTuple):
    key: bytes | None
    value: bytes | None
    headers: Headers


class LineReader:
    def __init__(self, properties: Mapping[str, str]) -> None:
        self.parse_key = _is_true(properties, "parse.key")
        self.parse_headers = _is_true(properties, "parse.headers")
        self.ignore_error = _is_true(properties, "ignore.error")
        self.key_separator = properties.get("key.separator", "\t").encode()
        self.headers_delimiter = properties.get("headers.delimiter", "\t").encode()
        self.headers_separator = properties.get("headers.separator", ",").encode()
        self.headers_key_separator = properties.get("headers.key.separator", ":").encode()
        marker = properties.get("null.marker")
        self.null_marker = None if marker is None else marker.encode()
        self._check()

    def _check(self) -> None:
        """Two parts that look alike cannot be told apart on a line."""
        named = {
            "headers.delimiter": self.headers_delimiter,
            "headers.separator": self.headers_separator,
            "headers.key.separator": self.headers_key_separator,
        }
        names = list(named)
        for index, name in enumerate(names):
            for other in names[index + 1 :]:
                if named[name] == named[other]:
                    raise ToolError(f"Error: {name} and {other} may not be equal.")
        for name, separator in (*named.items(), ("key.separator", self.key_separator)):
            if not separator:
                raise ToolError(f"Error: {name} may not be empty.")
            if self.null_marker == separator:
                raise ToolError(f"Error: null.marker and {name} may not be equal.")

    def read(self, line: bytes, number: int) -> Line:
        if not (self.parse_key or self.parse_headers):
            return Line(None, self._nullable(line), [])
        rest, headers, key = line, None, None
        if self.parse_headers:
            headers, rest = self._cut(rest, self.headers_delimiter, "headers delimiter", line, number)
        if self.parse_key:
            key, rest = self._cut(rest, self.key_separator, "key separator", line, number)
        return Line(self._nullable(key), self._nullable(rest), self._headers(headers, number))

    def _cut(self, text: bytes, separator: bytes, name: str, line: bytes, number: int) -> tuple[bytes | None, bytes]:
        head, found, tail = text.partition(separator)
        if found:
            return head, tail
        if self.ignore_error:
            return None, text
        shown = line.decode(errors="replace")
        raise ToolError(f"Error: No {name} found on line number {number}: '{shown}'")

    def _nullable(self, text: bytes | None) -> bytes | None:
        return None if text is None or text == self.null_marker else text

    def _headers(self, text: bytes | None, number: int) -> Headers:
        if text is None or text == self.null_marker:
            return []
        return [self._header(pair, number) for pair in text.split(self.headers_separator)]

    def _header(self, pair: bytes, number: int) -> tuple[str, bytes | None]:
        key, found, value = pair.partition(self.headers_key_separator)
        shown = pair.decode(errors="replace")
        if not found and not self.ignore_error:
            raise ToolError(f"Error: No header key separator found in pair '{shown}' on line number {number}")
        if key == self.null_marker:
            raise ToolError(f"Error: the header key '{shown}' on line number {number} is the null marker.")
        return key.decode(errors="replace"), self._nullable(value) if found else None


def _is_true(properties: Mapping[str, str], key: str) -> bool:
    return properties.get(key, "false").strip().lower() == "true"

"""One entry of a log: a line with its time and level, and the lines below it that have none, such as a trace's.

2026-01-31 10:00:00,123 INFO 10.0.0.9 User:ann app api=CreateTopics version=7 ... listener=PLAINTEXT agent=...
2026-01-31 10:00:00,456 ERROR unforeseen error service=connect method=GET path=/
Traceback (most recent call last):
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from riacho.base.log_fields import fields, words
from riacho.cli.logs.sources import ACCESS, ERROR, Source

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_HEAD = re.compile(rf"(\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)(?:[,.](\d{{3}}))? (?:({'|'.join(LEVELS)}) )?", re.ASCII)
_MADE_BY_HTTP = re.compile(r" status=\d{3} elapsed_us=\d+")
# Of a broker's access log, before its fields.
_ASKING = ("host", "principal", "client_id")


@dataclass
class Entry:
    """`time` is the machine's, as text that sorts: `2026-01-31 10:00:00,123`. Empty where no line tells one."""

    source: Source
    time: str
    level: str
    # As they stand in the file; without its time and level, the first is `text`.
    lines: list[str]
    text_at: int = 0

    # Of one that was told before.
    is_more: bool = False

    @property
    def text(self) -> str:
        return self.lines[0][self.text_at :]

    def cut(self, count: int) -> None:
        """To its last lines."""
        if len(self.lines) > count:
            self.lines = self.lines[-count:]
            self.text_at, self.is_more = 0, True

    def continued(self, lines: list[str]) -> Entry:
        return Entry(self.source, self.time, self.level, lines, is_more=True)

    @cached_property
    def kind(self) -> str:
        """A service's requests are among what it did."""
        kinds = self.source.kinds
        if len(kinds) == 1:
            return kinds[0]
        return ACCESS if self.level == "DEBUG" and _MADE_BY_HTTP.search(self.text) else ERROR

    @cached_property
    def fields(self) -> dict[str, str]:
        told = fields(self.text)
        if self.kind != ACCESS:
            return told
        names = _ASKING if "api" in told else _ASKING[:2]
        return {**dict(zip(names, words(self.text, len(names)), strict=False)), **told}


def entries(source: Source, lines: Iterable[str]) -> Iterator[Entry]:
    """Of whole lines in their order. Those before the first that has a time are entries of their own."""
    entry: Entry | None = None
    for line in lines:
        head = _HEAD.match(line)
        if head is None and entry is not None:
            entry.lines.append(line)
            continue
        if entry is not None:
            yield entry
            entry = None
        if head is None:
            yield Entry(source, "", "", [line])
        else:
            entry = _with_head(source, line, head)
    if entry is not None:
        yield entry


def entries_backwards(source: Source, lines: Iterable[str]) -> Iterator[Entry]:
    """The same of lines that come the last one first."""
    below: list[str] = []
    for line in lines:
        head = _HEAD.match(line)
        if head is None:
            below.append(line)
            continue
        entry = _with_head(source, line, head)
        entry.lines += reversed(below)
        below = []
        yield entry
    for line in below:
        yield Entry(source, "", "", [line])


def _with_head(source: Source, line: str, head: re.Match[str]) -> Entry:
    return Entry(source, f"{head[1]},{head[2] or '000'}", head[3] or "", [line], head.end())

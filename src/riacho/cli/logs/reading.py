"""The wanted entries of several logs as one, by their times: the last ones, all since a time, and what comes."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import takewhile

from riacho.cli.log_tail import LogTail
from riacho.cli.logs.entry import Entry, entries, entries_backwards
from riacho.cli.logs.sources import Source
from riacho.cli.logs.wanted import Wanted


class LogReader:
    """Of one log."""

    def __init__(self, source: Source, wanted: Wanted) -> None:
        self.source = source
        self._wanted = wanted
        self._tail = LogTail(source.path)
        # What a line without a time belongs to, when it comes later than its entry.
        self._latest: Entry | None = None

    def last(self, count: int) -> list[Entry]:
        """As many as have so many lines. The earliest is not whole, where all were wanted."""
        found: list[Entry] = []
        lines_left = count
        for entry in self._backwards():
            if self._latest is None:
                self._latest = entry
            if lines_left <= 0:
                break
            if self._wanted.takes(entry):
                if self._wanted.is_all:
                    entry.cut(lines_left)
                found.append(entry)
                lines_left -= len(entry.lines)
        return found[::-1]

    def since(self) -> Iterator[Entry]:
        """All there are of those wanted, in their order."""
        for entry in entries(self.source, self._tail.forwards()):
            self._latest = entry
            if self._wanted.takes(entry):
                yield entry

    def new(self) -> list[Entry]:
        found = []
        for entry in entries(self.source, self._tail.new()):
            latest = self._latest
            if not entry.time and latest is not None and latest.time:
                # More of one that was told already, or was not wanted.
                if self._wanted.takes(latest):
                    found.append(latest.continued(entry.lines))
                continue
            self._latest = entry
            if self._wanted.takes(entry):
                found.append(entry)
        return found

    def _backwards(self) -> Iterator[Entry]:
        found = entries_backwards(self.source, self._tail.backwards())
        since = self._wanted.since
        return takewhile(lambda entry: entry.time >= since, found) if since else found


def last(readers: Iterable[LogReader], count: int) -> Iterator[Entry]:
    """The last of each."""
    return _by_time(reader.last(count) for reader in readers)


def all_since(readers: Iterable[LogReader]) -> Iterator[Entry]:
    return _by_time(reader.since() for reader in readers)


def new(readers: Iterable[LogReader]) -> Iterator[Entry]:
    return _by_time(reader.new() for reader in readers)


def _by_time(found: Iterable[Iterable[Entry]]) -> Iterator[Entry]:
    """Those of one log stay in their order."""
    return heapq.merge(*found, key=lambda entry: entry.time)

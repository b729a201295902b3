"""The voter sets in the log, by offset. The latest rules from its append on, committed or not; what is truncated makes
the one before it rule again (KIP-853)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from riacho.raft.voters import VoterSet

BEFORE_THE_LOG = -1


class VotersAt(NamedTuple):
    """Which voters and kraft.version the record at this offset brought; -1: the configuration, or a snapshot written
    when the storage was formatted."""

    offset: int
    voters: VoterSet
    kraft_version: int


class VoterHistory:
    def __init__(self, voters: VoterSet, kraft_version: int) -> None:
        self._entries = [VotersAt(BEFORE_THE_LOG, voters, kraft_version)]

    @property
    def latest(self) -> VotersAt:
        return self._entries[-1]

    def replace(self, entries: Iterable[VotersAt]) -> None:
        """All that a snapshot and the log behind it hold. What was configured stays below it."""
        self._entries = [self._entries[0], *sorted(entries, key=lambda entry: entry.offset)]

    def add(self, entry: VotersAt) -> None:
        if entry.offset > self.latest.offset:
            self._entries.append(entry)

    def truncate(self, end_offset: int) -> None:
        while len(self._entries) > 1 and self.latest.offset >= end_offset:
            self._entries.pop()

    def is_committed(self, high_watermark: int) -> bool:
        return self.latest.offset < high_watermark

    def at(self, end_offset: int) -> VotersAt:
        """What a snapshot that ends at this offset must hold."""
        kept = [entry for entry in self._entries if entry.offset < end_offset]
        return kept[-1] if kept else self._entries[0]

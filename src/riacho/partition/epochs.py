"""Which leader epoch wrote which offsets: the start offset of every epoch that a log has records of.

A follower that comes back, or a consumer that kept an epoch, asks where that epoch ended (KIP-101, KIP-320); the answer
tells where its log and the leader's part ways. Epochs and start offsets both grow along the list.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from typing import NamedTuple

NO_EPOCH = -1
NO_OFFSET = -1


class EpochEntry(NamedTuple):
    epoch: int
    start_offset: int


class LeaderEpochs:
    __slots__ = ("_entries", "latest_epoch")

    def __init__(self, entries: Iterable[EpochEntry] = ()) -> None:
        self._entries: list[EpochEntry] = []
        self.latest_epoch = NO_EPOCH
        for entry in entries:
            self.assign(entry.epoch, entry.start_offset)

    @property
    def entries(self) -> tuple[EpochEntry, ...]:
        return tuple(self._entries)

    def assign(self, epoch: int, start_offset: int) -> bool:
        """`epoch` writes from `start_offset` on. False when that changes nothing."""
        if epoch < 0 or start_offset < 0:
            return False
        entries = self._entries
        changed = False
        # Only a truncation that was missed here could leave entries past the new one; the new one is the truth.
        while entries and (entries[-1].epoch > epoch or entries[-1].start_offset >= start_offset):
            if entries[-1] == (epoch, start_offset):
                return changed
            entries.pop()
            changed = True
        if not entries or entries[-1].epoch != epoch:
            entries.append(EpochEntry(epoch, start_offset))
            changed = True
        self._refresh()
        return changed

    def epoch_for(self, offset: int) -> int:
        """The epoch that wrote `offset`; -1 when it is below every entry."""
        number = bisect.bisect_right(self._entries, offset, key=lambda entry: entry.start_offset)
        return self._entries[number - 1].epoch if number else NO_EPOCH

    def end_offset_for(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """The greatest epoch not above the one asked for, and where it ended; (-1, -1) when that is not known."""
        if epoch == NO_EPOCH:
            return NO_EPOCH, NO_OFFSET
        if epoch == self.latest_epoch:
            return epoch, log_end_offset
        number = bisect.bisect_right(self._entries, epoch, key=lambda entry: entry.epoch)
        if number == len(self._entries):
            # An epoch later than all that this log knows of.
            return NO_EPOCH, NO_OFFSET
        known = self._entries[number - 1].epoch if number else epoch
        return known, self._entries[number].start_offset

    def truncate_from_end(self, offset: int) -> bool:
        """The log now ends at `offset`."""
        entries = self._entries
        count = len(entries)
        while entries and entries[-1].start_offset >= offset:
            entries.pop()
        self._refresh()
        return len(entries) != count

    def truncate_from_start(self, offset: int) -> bool:
        """The log now starts at `offset`; the epoch of that offset is kept, starting there."""
        entries = self._entries
        number = bisect.bisect_right(entries, offset, key=lambda entry: entry.start_offset)
        if not number or (number == 1 and entries[0].start_offset == offset):
            return False
        entries[:number] = [EpochEntry(entries[number - 1].epoch, offset)]
        return True

    def clear(self) -> None:
        self._entries.clear()
        self._refresh()

    def _refresh(self) -> None:
        self.latest_epoch = self._entries[-1].epoch if self._entries else NO_EPOCH

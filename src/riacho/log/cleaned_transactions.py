"""What a compaction pass knows of transactions while it walks through a log.

Data of an aborted transaction goes at once. A marker goes only after all data of its transaction has gone, and then
after a further `delete.retention.ms`, as a reader may be between the two. An aborted transaction that still has data
keeps its entry in the abort index of the new segment.
"""

from __future__ import annotations

from collections.abc import Iterable

from riacho.log.abort_index import AbortedTransaction, AbortIndex
from riacho.log.markers import read_marker
from riacho.wire.batch import BatchHeader, Buffer


class CleanedTransactions:
    def __init__(self, aborted: Iterable[AbortedTransaction]) -> None:
        self._to_come = sorted(aborted, key=lambda each: each.first_offset, reverse=True)
        # Producer to its aborted transaction and whether data of it was met.
        self._aborted: dict[int, tuple[AbortedTransaction, bool]] = {}
        self._committed: set[int] = set()
        # Where entries go that stay; None while the offset map is being built.
        self.abort_index: AbortIndex | None = None

    def may_discard(self, header: BatchHeader, batch: Buffer) -> bool:
        """Whether the next batch of the walk is not needed: aborted data, or a marker with no data left."""
        while self._to_come and self._to_come[-1].first_offset <= header.last_offset:
            aborted = self._to_come.pop()
            self._aborted.setdefault(aborted.producer_id, (aborted, False))
        if header.is_control:
            return self._marker_may_go(header, batch)
        if not header.is_transactional:
            return False
        open_abort = self._aborted.get(header.producer_id)
        if open_abort is None:
            self._committed.add(header.producer_id)
            return False
        self._aborted[header.producer_id] = (open_abort[0], True)
        return True

    def _marker_may_go(self, header: BatchHeader, batch: Buffer) -> bool:
        if not header.record_count:
            # Emptied by an earlier pass.
            return True
        marker = read_marker(batch)
        if marker is None:
            return False
        if not marker.aborted:
            had_data = header.producer_id in self._committed
            self._committed.discard(header.producer_id)
            return not had_data
        aborted, had_data = self._aborted.pop(header.producer_id, (None, False))
        if aborted is None or not had_data:
            return True
        if self.abort_index is not None:
            self.abort_index.add(aborted)
        return False

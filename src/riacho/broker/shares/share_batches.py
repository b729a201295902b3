"""The batches in a slice of a segment, by their headers alone: what a share-partition needs to give records out.

The slice itself goes to the consumer as it is, from the first batch of which it got something to the last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from riacho.log.file_slice import FileSlice
from riacho.shares.acquiring import AcquiredRange, FetchedBatch
from riacho.wire.batch import HEADER_SIZE_BYTES, BatchHeader, read_header

if TYPE_CHECKING:
    from riacho.log.log import Log

_WINDOW_SIZE_BYTES = 16 * 1024


class PlacedBatch(NamedTuple):
    # Where it stands in its file, and the size of it.
    position: int
    size_bytes: int
    header: BatchHeader


def placed_batches(found: FileSlice) -> list[PlacedBatch]:
    """The whole batches of the slice; the last one may have been cut off by the byte limit."""
    batches = []
    position, end = found.position, found.position + found.size
    window, window_start = b"", position
    while end - position >= HEADER_SIZE_BYTES:
        at = position - window_start
        if at + HEADER_SIZE_BYTES > len(window):
            window_start, at = position, 0
            window = found.file.files.pread(found.fd, min(_WINDOW_SIZE_BYTES, end - position), position)
            if len(window) < HEADER_SIZE_BYTES:
                break
        header = read_header(window, at)
        if position + header.size_bytes > end:
            break
        batches.append(PlacedBatch(position, header.size_bytes, header))
        position += header.size_bytes
    return batches


def fetched_batches(batches: list[PlacedBatch], log: Log, is_read_committed: bool) -> list[FetchedBatch]:
    """What of it a group may see. Control batches nobody may; read_committed hides aborted transactions too."""
    aborted: list[tuple[int, int]] = []
    if is_read_committed and any(each.header.is_transactional for each in batches):
        first, last = batches[0].header.base_offset, batches[-1].header.last_offset
        aborted = log.aborted_transactions(first, last + 1)
    return list(_marked(batches, aborted))


def _marked(batches: list[PlacedBatch], aborted: list[tuple[int, int]]) -> Iterable[FetchedBatch]:
    # Producers whose transaction, open at this point of the log, was aborted.
    doomed: set[int] = set()
    started = 0
    for batch in batches:
        header = batch.header
        while started < len(aborted) and aborted[started][1] <= header.last_offset:
            doomed.add(aborted[started][0])
            started += 1
        if header.is_control:
            doomed.discard(header.producer_id)
        is_hidden = header.is_control or (header.is_transactional and header.producer_id in doomed)
        yield FetchedBatch(header.base_offset, header.last_offset, is_hidden)


def trimmed(found: FileSlice, batches: list[PlacedBatch], ranges: list[AcquiredRange]) -> FileSlice:
    """The slice from the first to the last batch that has an acquired record."""
    first, last = ranges[0].first_offset, ranges[-1].last_offset
    held = [each for each in batches if each.header.last_offset >= first and each.header.base_offset <= last]
    start, end = held[0].position, held[-1].position + held[-1].size_bytes
    return FileSlice(found.file, start, end - start, held[0].header.base_offset)

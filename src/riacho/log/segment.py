"""One stretch of a log on disk: `%020d.log` and its indexes, named by the first offset it may hold.

Batches stand one after another in the `.log` file. Only a log's last segment grows. A segment holds no descriptor until
it is touched, and no index entry in memory but those not yet written.
"""

from __future__ import annotations

import contextlib
import os

from riacho.base.ports import Files
from riacho.log import open_files
from riacho.log.abort_index import AbortIndex
from riacho.log.config import LogConfig
from riacho.log.offset_index import OFFSET_INDEX_ENTRY_SIZE_BYTES, OffsetIndex
from riacho.log.open_files import OpenFile
from riacho.log.real_files import REAL_FILES
from riacho.log.scan import TornBatch, find_batch, header_at, scan_headers
from riacho.log.time_index import NO_TIMESTAMP, TIME_INDEX_ENTRY_SIZE_BYTES, TimeIndex
from riacho.wire.batch import BatchHeader, Buffer

LOG_SUFFIX = ".log"
INDEX_SUFFIX = ".index"
TIME_INDEX_SUFFIX = ".timeindex"
ABORT_INDEX_SUFFIX = ".txnindex"
SEGMENT_SUFFIXES = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, ABORT_INDEX_SUFFIX)
DELETED_SUFFIX = ".deleted"

RELATIVE_OFFSET_MAX = (1 << 31) - 1
# Where the latest batches stand, so that a read at the tail needs neither index nor scan. Two generations are kept.
_RECENT_COUNT = 32


def segment_stem(directory: str, base_offset: int) -> str:
    return f"{directory}/{base_offset:020d}"


class Segment:
    __slots__ = (
        "_bytes_since_index",
        "_first_timestamp",
        "_max_timestamp",
        "_max_timestamp_offset",
        "_older",
        "_recent",
        "abort_index",
        "base_offset",
        "created_ms",
        "file",
        "files",
        "offset_index",
        "path",
        "roll_jitter_ms",
        "size_bytes",
        "stem",
        "time_index",
    )

    def __init__(
        self,
        directory: str,
        base_offset: int,
        *,
        size_bytes: int = 0,
        new: bool = True,
        has_abort_index: bool = False,
        created_ms: int = 0,
        roll_jitter_ms: int = 0,
        suffix: str = "",
        files: Files = REAL_FILES,
    ) -> None:
        self.files = files
        self.stem = segment_stem(directory, base_offset)
        self.path = self.stem + LOG_SUFFIX + suffix
        self.base_offset = base_offset
        self.size_bytes = size_bytes
        self.created_ms = created_ms
        self.roll_jitter_ms = roll_jitter_ms
        self.file: OpenFile | None = None
        empty = new or not size_bytes
        self.offset_index = OffsetIndex(self.stem + INDEX_SUFFIX + suffix, base_offset, new=empty, files=files)
        self.time_index = TimeIndex(self.stem + TIME_INDEX_SUFFIX + suffix, base_offset, new=empty, files=files)
        self.abort_index = AbortIndex(self.stem + ABORT_INDEX_SUFFIX + suffix, exists=has_abort_index, files=files)
        self._bytes_since_index = 0
        # None: not read from the files yet.
        self._first_timestamp: int | None = None
        self._max_timestamp: int | None = NO_TIMESTAMP if empty else None
        self._max_timestamp_offset = base_offset
        self._recent: dict[int, int] = {}
        self._older: dict[int, int] = {}

    def __repr__(self) -> str:
        return f"Segment({self.base_offset}, {self.size_bytes} bytes)"

    @property
    def max_timestamp(self) -> int:
        """The greatest timestamp of its batches; -1 when none has one."""
        if self._max_timestamp is None:
            self._load_max_timestamp()
        assert self._max_timestamp is not None
        return self._max_timestamp

    @property
    def max_timestamp_offset(self) -> int:
        """The last offset of the batch that has it."""
        if self._max_timestamp is None:
            self._load_max_timestamp()
        return self._max_timestamp_offset

    @property
    def retention_timestamp(self) -> int:
        """What retention by time goes by: a segment without timestamps is as old as its file."""
        latest = self.max_timestamp
        return latest if latest >= 0 else int(self.files.stat(self.path).st_mtime * 1000)

    @property
    def first_timestamp(self) -> int:
        """The timestamp of its first batch, from which `segment.ms` counts; -1 when it is empty."""
        if self._first_timestamp is None:
            header = header_at(self.open_file().fd, 0, self.files) if self.size_bytes else None
            self._first_timestamp = NO_TIMESTAMP if header is None else header.max_timestamp
        return self._first_timestamp

    def create(self) -> None:
        with contextlib.suppress(FileExistsError):
            self.files.close(self.files.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC))
        # Kafka takes a segment without them for a damaged one and recovers it.
        self.offset_index.persist()
        self.time_index.persist()

    def open_file(self) -> OpenFile:
        file = self.file
        if file is None:
            return open_files.SHARED.open(self, self.path)
        file.used = True
        return file

    def append(self, batch: Buffer, header: BatchHeader, base_offset: int, index_interval_bytes: int) -> None:
        """Write a whole batch at the end, or nothing: OSError leaves the segment as it was."""
        file = self.file
        if file is None:
            file = open_files.SHARED.open(self, self.path)
        position = self.size_bytes
        size_bytes = 12 + header.batch_length
        try:
            written = file.pwrite(file.fd, batch, position)
            if written != size_bytes:
                _write_rest(file, batch, position, written)
        except OSError:
            # The next append would overwrite what was written, but a reader of the files should not see it either.
            with contextlib.suppress(OSError):
                self.files.ftruncate(file.fd, position)
            raise
        file.used = True
        self.note(
            position, size_bytes, base_offset + header.last_offset_delta, header.max_timestamp, index_interval_bytes
        )
        recent = self._recent
        if len(recent) >= _RECENT_COUNT:
            self._older = recent
            recent = self._recent = {}
        recent[base_offset] = position

    def append_run(self, run: memoryview, batches: list[tuple[int, BatchHeader]], index_interval_bytes: int) -> None:
        """Write several whole batches with one call, or nothing; their positions count from wherever the run does."""
        file = self.open_file()
        start = self.size_bytes
        try:
            written = file.pwrite(file.fd, run, start)
            if written != len(run):
                _write_rest(file, run, start, written)
        except OSError:
            with contextlib.suppress(OSError):
                self.files.ftruncate(file.fd, start)
            raise
        shift = start - batches[0][0]
        note = self.note
        for position, header in batches:
            last_offset = header.base_offset + header.last_offset_delta
            note(position + shift, 12 + header.batch_length, last_offset, header.max_timestamp, index_interval_bytes)
        # A reader at the tail asks for the first of them, or for one of the last.
        self._older = {}
        self._recent = {
            header.base_offset: position + shift for position, header in (batches[0], *batches[-_RECENT_COUNT + 1 :])
        }

    def note(
        self, position: int, size_bytes: int, last_offset: int, max_timestamp: int, index_interval_bytes: int
    ) -> None:
        """A batch stands at `position`, the end until now: count and index it."""
        if self._max_timestamp is None:
            self._load_max_timestamp()
        if not position:
            self._first_timestamp = max_timestamp
        if max_timestamp > self._max_timestamp:  # type: ignore[operator]
            self._max_timestamp = max_timestamp
            self._max_timestamp_offset = last_offset
        if self._bytes_since_index > index_interval_bytes:
            self.offset_index.add(last_offset, position)
            self.time_index.maybe_add(self._max_timestamp, self._max_timestamp_offset)  # type: ignore[arg-type]
            self._bytes_since_index = 0
        self._bytes_since_index += size_bytes
        self.size_bytes = position + size_bytes

    def must_roll(self, config: LogConfig, size_bytes: int, last_offset: int, timestamp: int, now_ms: int) -> bool:
        """Whether a batch of that size, end and time belongs in a new segment."""
        if self.size_bytes > config.segment_size_bytes_max - size_bytes:
            return True
        if self.size_bytes:
            since = self.first_timestamp
            # By the batches' own clock where there is one, so that replaying old data rolls as the first time.
            waited_ms = timestamp - since if since >= 0 and timestamp >= 0 else now_ms - self.created_ms
            if waited_ms > config.roll_ms - self.roll_jitter_ms:
                return True
        if last_offset - self.base_offset > RELATIVE_OFFSET_MAX:
            return True
        return self._bytes_since_index > config.index_interval_bytes and (
            len(self.offset_index) >= config.index_size_bytes_max // OFFSET_INDEX_ENTRY_SIZE_BYTES
            or len(self.time_index) >= config.index_size_bytes_max // TIME_INDEX_ENTRY_SIZE_BYTES - 1
        )

    def position_of(self, offset: int) -> int | None:
        """Where the batch with `offset` starts, or the first one after it; None when the segment ends before."""
        position = self._recent.get(offset)
        if position is None:
            position = self._older.get(offset)
            if position is None:
                return self._search(offset)
        return position

    def batch_size_at(self, position: int) -> int:
        header = header_at(self.open_file().fd, position, self.files)
        if header is None:
            raise TornBatch(position, "no batch")
        return header.size_bytes

    def truncate_to(self, offset: int) -> int:
        """Drop every batch with an offset at or above `offset`; how many bytes went."""
        position = self._search(offset)
        if position is None:
            return 0
        return self.truncate_at(position, offset)

    def truncate_at(self, position: int, offset: int) -> int:
        removed = self.size_bytes - position
        fd = self.open_file().fd
        # Indexes first: where one of them fails, the batches are still there to be found and cut by the next try.
        self.offset_index.truncate_to(offset)
        self.time_index.truncate_to(offset)
        self.abort_index.truncate_to(offset)
        self.files.ftruncate(fd, position)
        self.size_bytes = position
        self._bytes_since_index = 0
        self._first_timestamp = None
        self._recent, self._older = {}, {}
        if position:
            self._load_max_timestamp(scan=True)
        else:
            self._max_timestamp, self._max_timestamp_offset = NO_TIMESTAMP, self.base_offset
        return removed

    def reset_indexes(self, size_bytes: int = 0) -> None:
        """Forget the indexes; `note` makes them anew."""
        self.offset_index.clear()
        self.time_index.clear()
        self.size_bytes = size_bytes
        self._bytes_since_index = 0
        self._first_timestamp = None
        self._max_timestamp, self._max_timestamp_offset = NO_TIMESTAMP, self.base_offset
        self._recent, self._older = {}, {}

    def rebuild_indexes(self, index_interval_bytes: int) -> None:
        """Make the offset and time index from the batches; TornBatch when they are not whole."""
        end = self.size_bytes
        fd = self.open_file().fd
        self.reset_indexes(end)
        for position, header in scan_headers(fd, 0, end, self.files):
            self.note(position, header.size_bytes, header.last_offset, header.max_timestamp, index_interval_bytes)
        self.persist_indexes(final=True)

    def persist_indexes(self, *, final: bool) -> None:
        """Write the index entries out; when `final`, the last one in the time index is the greatest timestamp."""
        if not self.size_bytes or self._max_timestamp is None:
            # Empty, or as it was found.
            return
        if final:
            self.time_index.maybe_add(self._max_timestamp, self._max_timestamp_offset)
        self.offset_index.persist()
        self.time_index.persist()
        self.abort_index.persist()

    def indexes_are_sound(self) -> bool:
        return not self.size_bytes or (
            self.offset_index.is_sound(self.size_bytes)
            and self.time_index.is_sound()
            and self.abort_index.is_sound(self.base_offset)
        )

    def read_next_offset(self) -> int:
        """One past its last offset, found from the last index entry on; TornBatch when the end is not whole."""
        next_offset = self.base_offset
        if self.size_bytes:
            start = self.offset_index.last()[1]
            for _, header in scan_headers(self.open_file().fd, start, self.size_bytes, self.files):
                next_offset = header.next_offset
        return next_offset

    def release(self) -> None:
        """Give the descriptor back; slices that are being sent keep it."""
        if self.file is not None:
            open_files.SHARED.release(self)

    def rename_deleted(self) -> list[str]:
        """Take the files out of the log's sight; what is left to be removed after `file.delete.delay.ms`."""
        self.release()
        renamed = []
        for suffix in SEGMENT_SUFFIXES:
            path = self.stem + suffix
            with contextlib.suppress(FileNotFoundError):
                self.files.rename(path, path + DELETED_SUFFIX)
                renamed.append(path + DELETED_SUFFIX)
        return renamed

    def _search(self, offset: int) -> int | None:
        fd = self.open_file().fd
        indexed_offset, start = self.offset_index.lookup(offset)
        if start:
            header = header_at(fd, start, self.files)
            if header is None or header.last_offset != indexed_offset:
                # The index is not this segment's: a copy gone wrong. What the batches say counts.
                self.rebuild_indexes(4096)
                _, start = self.offset_index.lookup(offset)
        return find_batch(fd, start, self.size_bytes, offset, self.files)

    def _load_max_timestamp(self, *, scan: bool = False) -> None:
        """From the time index; batches after its last entry are looked at only when it may not be final."""
        latest, offset = self.time_index.last()
        if scan or latest == NO_TIMESTAMP:
            start = self.offset_index.last()[1]
            for _, header in scan_headers(self.open_file().fd, start, self.size_bytes, self.files):
                if header.max_timestamp > latest:
                    latest, offset = header.max_timestamp, header.last_offset
        self._max_timestamp, self._max_timestamp_offset = latest, offset


def _write_rest(file: OpenFile, batch: Buffer, position: int, written: int) -> None:
    """A short write is how a disk begins to be full: the rest says what is wrong."""
    view = memoryview(batch)
    while written < len(view):
        written += file.pwrite(file.fd, view[written:], position + written)

"""24 hours of figures in one file of a fixed size: rings of rows, one row a step of time, one column a series.

    header | table of series | ring of 10 s rows for 2 h | ring of 1 min rows for 24 h

A row says which step of time it is for and has a checksum: one that was torn, or was never written, is not there, and
neither is what was not known (NaN). A minute's row is the mean of its 10 s rows. A column belongs to a series since a
time that its line in the table tells; what the column held before is nobody's. A line is on disk before the first row
that counts on it, so a power cut cannot give one series the figures of another. Rows themselves are not flushed: the
last ones may be lost with the machine, and leave a gap.

Where all columns are taken, a new series takes the one that was written longest ago. For one process; any thread.
"""

from __future__ import annotations

import logging
import math
import os
import struct
import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

_log = logging.getLogger("riacho.console")
_MAGIC = b"RIACHOH1"
_HEADER = struct.Struct("<8sIIIIII")
_HEADER_BYTES = 64
# Checksum, since when in ms, length of the name; the name follows.
_LINE = struct.Struct("<IqH")
_LINE_BYTES = 544
NAME_BYTES_MAX = _LINE_BYTES - _LINE.size
# Checksum, nothing, step of time.
_ROW = struct.Struct("<IIq")
_NEVER = -1


class Level(NamedTuple):
    step_ms: int
    rows: int

    @property
    def span_ms(self) -> int:
        return self.step_ms * self.rows


FINE, COARSE = Level(10_000, 720), Level(60_000, 1_440)
SERIES_MAX = 1_170
Points = list[tuple[int, float | None]]


class Ring:
    """OSError where the file cannot be opened. One that is not ours, or of other bounds, is begun anew."""

    def __init__(self, path: Path, *, series_max: int = SERIES_MAX, fine: Level = FINE, coarse: Level = COARSE) -> None:
        assert coarse.step_ms % fine.step_ms == 0
        self._series_max = series_max
        self._levels = (fine, coarse)
        self._row_bytes = _ROW.size + 8 * series_max
        table_bytes = _LINE_BYTES * series_max
        fine_at = _HEADER_BYTES + table_bytes
        self._starts = (fine_at, fine_at + fine.rows * self._row_bytes)
        self.size_bytes = self._starts[1] + coarse.rows * self._row_bytes
        self._lock = threading.Lock()
        self._columns: dict[str, int] = {}
        self._since_ms = [0] * series_max
        self._written_ms = [0] * series_max
        # By row: the step of time that it is for.
        self._steps = tuple([_NEVER] * level.rows for level in self._levels)
        self._last_step = _NEVER
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._load()
        except BaseException:
            os.close(self._descriptor)
            raise

    def close(self) -> None:
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    def names(self) -> list[str]:
        """At once, whoever reads or writes meanwhile."""
        return list(self._columns)

    def add(self, at_ms: int, values: Mapping[str, float | None]) -> None:
        """What is known at a time, for the step that it is in. OSError leaves a gap."""
        with self._lock:
            if self._descriptor < 0:
                return
            fine, coarse = self._levels
            step = at_ms // fine.step_ms
            columns = self._assigned([name for name, value in values.items() if value is not None], at_ms)
            row = array("d", [math.nan]) * self._series_max
            for name, column in columns.items():
                if at_ms < self._since_ms[column]:
                    # The clock was set back.
                    self._write_line(column, name, at_ms)
                    self._since_ms[column] = at_ms
                value = values[name]
                row[column] = math.nan if value is None else value
                self._written_ms[column] = at_ms
            per_minute = coarse.step_ms // fine.step_ms
            if self._last_step != _NEVER and step // per_minute != self._last_step // per_minute:
                self._write_mean(self._last_step // per_minute)
            self._write(0, step, row)
            self._last_step = step

    def read(self, names: Iterable[str], from_ms: int, to_ms: int, step_ms: int) -> dict[str, Points]:
        """Means over steps of at least `step_ms`; None where nothing is known. Times are the beginnings of steps."""
        with self._lock:
            columns = {name: self._columns[name] for name in names if name in self._columns}
            if self._descriptor < 0 or not columns or to_ms < from_ms:
                return {name: [] for name in columns}
            newest_ms = self._last_step * self._levels[0].step_ms
            is_fine = step_ms < self._levels[1].step_ms and from_ms > newest_ms - self._levels[0].span_ms
            index = 0 if is_fine else 1
            own_ms = self._levels[index].step_ms
            step_ms = max(own_ms, step_ms // own_ms * own_ms)
            return self._read(index, columns, from_ms // step_ms, to_ms // step_ms, step_ms)

    # Rows

    def _read(self, index: int, columns: Mapping[str, int], first: int, last: int, step_ms: int) -> dict[str, Points]:
        level = self._levels[index]
        # What is older than the ring is gone, whatever is asked.
        last = min(last, first + level.span_ms // step_ms + 1)
        per_point = step_ms // level.step_ms
        found: dict[str, Points] = {name: [] for name in columns}
        wanted = [(found[name], column, self._since_ms[column]) for name, column in columns.items()]
        for point in range(first, last + 1):
            steps = range(point * per_point, (point + 1) * per_point)
            rows = [row for step in steps if (row := self._row(index, step)) is not None]
            at_ms = point * step_ms
            if not rows:
                nothing = (at_ms, None)
                for points, _, _ in wanted:
                    points.append(nothing)
                continue
            if len(rows) == 1:
                # As most are asked for, and there may be a day of them.
                [(end_ms, values)] = rows
                for points, column, since_ms in wanted:
                    value = values[column]
                    points.append((at_ms, value if value == value and end_ms > since_ms else None))
                continue
            for points, column, since_ms in wanted:
                total, count = 0.0, 0
                for end_ms, values in rows:
                    value = values[column]
                    if value == value and end_ms > since_ms:
                        total += value
                        count += 1
                points.append((at_ms, total / count if count else None))
        return found

    def _row(self, index: int, step: int) -> tuple[int, Sequence[float]] | None:
        """When that step ends, and its values by column, NaN where nothing is known; None where there is no row."""
        level = self._levels[index]
        row = step % level.rows
        if step < 0 or self._steps[index][row] != step:
            return None
        content = os.pread(
            self._descriptor, 8 * self._series_max, self._starts[index] + row * self._row_bytes + _ROW.size
        )
        return (step + 1) * level.step_ms, memoryview(content).cast("d")

    def _write(self, index: int, step: int, values: array[float]) -> None:
        level = self._levels[index]
        row = step % level.rows
        body = struct.pack("<q", step) + values.tobytes()
        self._steps[index][row] = _NEVER
        content = struct.pack("<II", crc32(body), 0) + body
        if os.pwrite(self._descriptor, content, self._starts[index] + row * self._row_bytes) == len(content):
            self._steps[index][row] = step

    def _write_mean(self, minute: int) -> None:
        fine, coarse = self._levels
        per_minute = coarse.step_ms // fine.step_ms
        total, counts = [0.0] * self._series_max, [0] * self._series_max
        for step in range(minute * per_minute, (minute + 1) * per_minute):
            row = self._row(0, step)
            if row is None:
                continue
            end_ms, values = row
            for column in self._columns.values():
                value = values[column]
                if value == value and end_ms > self._since_ms[column]:
                    total[column] += value
                    counts[column] += 1
        if any(counts):
            means = (total[at] / counts[at] if counts[at] else math.nan for at in range(self._series_max))
            self._write(1, minute, array("d", means))

    # Columns

    def _assigned(self, names: list[str], at_ms: int) -> dict[str, int]:
        """The columns of these series; new ones are given one, as far as they go."""
        columns = {name: self._columns[name] for name in names if name in self._columns}
        new = [name for name in names if name not in columns and 0 < len(name.encode()) <= NAME_BYTES_MAX]
        if not new:
            return columns
        taken = set(columns.values())
        owners = {column: name for name, column in self._columns.items()}
        free = [column for column in range(self._series_max) if column not in owners]
        free += sorted(
            (column for column in owners if column not in taken), key=lambda column: self._written_ms[column]
        )
        for name, column in zip(new, free, strict=False):
            self._write_line(column, name, at_ms)
            if column in owners:
                del self._columns[owners[column]]
            self._columns[name] = columns[name] = column
            self._since_ms[column] = at_ms
        os.fdatasync(self._descriptor)
        return columns

    def _write_line(self, column: int, name: str, since_ms: int) -> None:
        text = name.encode()
        rest = struct.pack("<qH", since_ms, len(text)) + text.ljust(NAME_BYTES_MAX, b"\0")
        line = struct.pack("<I", crc32(rest)) + rest
        os.pwrite(self._descriptor, line, _HEADER_BYTES + column * _LINE_BYTES)

    # Opening

    def _load(self) -> None:
        fine, coarse = self._levels
        bounds = (1, self._series_max, fine.step_ms, fine.rows, coarse.step_ms, coarse.rows)
        header = _HEADER.pack(_MAGIC, *bounds)
        size = os.fstat(self._descriptor).st_size
        if size and (size != self.size_bytes or os.pread(self._descriptor, len(header), 0) != header):
            _log.warning("history is begun anew: the file is of another form")
            os.ftruncate(self._descriptor, 0)
        os.ftruncate(self._descriptor, self.size_bytes)
        os.pwrite(self._descriptor, header, 0)
        for column in range(self._series_max):
            self._load_line(column, os.pread(self._descriptor, _LINE_BYTES, _HEADER_BYTES + column * _LINE_BYTES))
        for index, level in enumerate(self._levels):
            for row in range(level.rows):
                self._load_row(index, row)
        self._last_step = max(self._steps[0])
        self._fill_minutes()

    def _load_line(self, column: int, line: bytes) -> None:
        checksum, since_ms, length = _LINE.unpack_from(line)
        if not length or crc32(line[4:]) != checksum:
            return
        name = line[_LINE.size : _LINE.size + length].decode(errors="replace")
        if name not in self._columns:
            self._columns[name] = column
            self._since_ms[column] = self._written_ms[column] = since_ms

    def _load_row(self, index: int, row: int) -> None:
        start = self._starts[index] + row * self._row_bytes
        checksum, _, step = _ROW.unpack(os.pread(self._descriptor, _ROW.size, start))
        if not checksum or step <= 0 or step % self._levels[index].rows != row:
            return
        body = os.pread(self._descriptor, self._row_bytes - 8, start + 8)
        if crc32(body) == checksum:
            self._steps[index][row] = step

    def _fill_minutes(self) -> None:
        """Means of minutes that had ended when the process did, and are not written."""
        per_minute = self._levels[1].step_ms // self._levels[0].step_ms
        minutes = {step // per_minute for step in self._steps[0] if step != _NEVER}
        for minute in minutes - set(self._steps[1]) - {self._last_step // per_minute}:
            self._write_mean(minute)

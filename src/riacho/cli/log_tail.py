"""The end of a file that others write to: its last lines, then what is added."""

from __future__ import annotations

from pathlib import Path

# The last lines are looked for in so much of the file's end.
_TAIL_BYTES = 4 * 1024 * 1024


class LogTail:
    """Lines are given when they are whole. A file that became shorter was begun anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0
        self._half = b""

    def last(self, count: int) -> list[str]:
        size = self._size()
        self._position = max(0, size - _TAIL_BYTES)
        lines = self.new()
        return lines[-count:] if count else []

    def new(self) -> list[str]:
        """What was added since the last question."""
        size = self._size()
        if size < self._position:
            self._position, self._half = 0, b""
        if size == self._position:
            return []
        with self._path.open("rb") as file:
            file.seek(self._position)
            data = self._half + file.read(size - self._position)
        self._position = size
        *whole, self._half = data.split(b"\n")
        return [line.decode(errors="replace") for line in whole]

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except FileNotFoundError:
            return 0

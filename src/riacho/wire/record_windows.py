"""The records of a batch, a window of them at a time, for whoever goes through all of them in order.

A megabyte of memory that is taken for a batch and given back costs as much as what is done with it. Windows stay in the
processor's cache.
"""

from __future__ import annotations

WINDOW_SIZE_BYTES = 64 * 1024


class Slices:
    """Of records that are not compressed."""

    __slots__ = ("_end", "_section", "_size_bytes", "is_last")

    def __init__(self, section: memoryview, size_bytes: int = WINDOW_SIZE_BYTES) -> None:
        self._section = section
        self._size_bytes = size_bytes
        self._end = 0
        # Whether the last window reached the end.
        self.is_last = not len(section)

    def after(self, kept_size_bytes: int, size_bytes_min: int = 0) -> bytes:
        """The last so many bytes of the window before, and what follows, at least up to a wanted size."""
        section = self._section
        start = self._end - kept_size_bytes
        end = self._end = min(start + max(size_bytes_min, kept_size_bytes + self._size_bytes), len(section))
        self.is_last = end == len(section)
        return bytes(section[start:end])

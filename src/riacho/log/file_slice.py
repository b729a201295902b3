"""A run of bytes in a segment file: what a fetch sends without reading it (sendfile)."""

from __future__ import annotations

from riacho.log.open_files import OpenFile


class FileSlice:
    """`size` bytes at `position`. Holding the slice keeps the descriptor open, even after the segment is deleted."""

    __slots__ = ("file", "first_offset", "position", "size")

    def __init__(self, file: OpenFile, position: int, size: int, first_offset: int) -> None:
        self.file = file
        self.position = position
        self.size = size
        # The offset that was asked for; the first batch may start below it.
        self.first_offset = first_offset

    @property
    def fd(self) -> int:
        return self.file.fd

    def read(self) -> bytes:
        pread = self.file.files.pread
        data = pread(self.file.fd, self.size, self.position)
        while len(data) < self.size:
            more = pread(self.file.fd, self.size - len(data), self.position + len(data))
            if not more:
                break
            data += more
        return data

    def __repr__(self) -> str:
        return f"FileSlice(fd={self.file.fd}, position={self.position}, size={self.size})"

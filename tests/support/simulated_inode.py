"""What a simulated disk is made of: files and directories that know what is cached and what is on the platter.

A file's unsynced sectors may survive a power failure one by one; a directory's unsynced changes as far as some point in
their order.
"""

from __future__ import annotations

from random import Random
from typing import TypeAlias

SECTOR = 512
BLOCK = 4096


class File:
    def __init__(self, now_ns: int, number: int = 0) -> None:
        self.number = number
        self.data = bytearray()
        self.link_count = 1
        self.open_count = 0
        self.modified_ns = now_ns
        # Up to where blocks were taken beforehand.
        self.reserved_end = 0
        self._durable = bytearray()
        self._dirty: set[int] = set()

    @property
    def block_count(self) -> int:
        return -(-max(len(self.data), self.reserved_end) // BLOCK)

    def write(self, position: int, data: bytes | bytearray | memoryview) -> None:
        end = position + len(data)
        if position > len(self.data):
            self._dirty.update(range(len(self.data) // SECTOR, -(-position // SECTOR)))
            self.data.extend(bytes(position - len(self.data)))
        self.data[position:end] = data
        self._dirty.update(range(position // SECTOR, -(-end // SECTOR)))

    def truncate(self, size_bytes: int) -> None:
        size_before = len(self.data)
        if size_bytes < size_before:
            del self.data[size_bytes:]
            self.reserved_end = 0
        else:
            self.data.extend(bytes(size_bytes - size_before))
        low, high = sorted((size_before, size_bytes))
        self._dirty.update(range(low // SECTOR, -(-high // SECTOR)))

    def sync(self) -> None:
        if self._dirty or len(self._durable) != len(self.data):
            for sector in self._dirty:
                self._put(self._durable, sector, len(self.data))
            del self._durable[len(self.data) :]
            self._dirty.clear()

    def write_back(self, rng: Random) -> None:
        """The kernel brings some of it to the platter, when it likes to."""
        for sector in sorted(self._dirty):
            if rng.random() < 0.5:
                self._put(self._durable, sector, len(self.data))
                self._dirty.discard(sector)

    def forget_dirty(self) -> None:
        """A sync failed: what it could not write is never tried again, though readers still see it."""
        self._dirty.clear()

    def lose_power(self, rng: Random) -> bool:
        """Whether anything was lost."""
        before = bytes(self.data)
        if before != self._durable:
            fate = rng.random()
            if fate < 0.15:
                self.sync()
            elif fate < 0.6:
                low, high = sorted((len(self._durable), len(self.data)))
                size_bytes = rng.choice((low, high, rng.randint(low, high)))
                for sector in sorted(self._dirty):
                    if rng.random() < 0.5:
                        self._put(self._durable, sector, size_bytes)
                del self._durable[size_bytes:]
                self._durable.extend(bytes(size_bytes - len(self._durable)))
        self.data = bytearray(self._durable)
        self._dirty.clear()
        self.open_count = self.reserved_end = 0
        return self.data != before

    def _put(self, durable: bytearray, sector: int, size_bytes: int) -> None:
        start, end = sector * SECTOR, min((sector + 1) * SECTOR, size_bytes, len(self.data))
        if start < end:
            if len(durable) < start:
                durable.extend(bytes(start - len(durable)))
            durable[start:end] = self.data[start:end]


class Directory:
    def __init__(self) -> None:
        self.entries: dict[str, Node] = {}
        self._durable: dict[str, Node] = {}
        self._changes: list[tuple[str, str, Node | None]] = []

    def put(self, name: str, node: Node) -> None:
        self._change(("put", name, node))

    def remove(self, name: str) -> None:
        self._change(("remove", name, None))

    def move(self, old: str, new: str) -> None:
        """In one go, over whatever has the new name."""
        node = self.entries[old]
        self._changes.append((f"move {old}", new, node))
        del self.entries[old]
        self.entries[new] = node

    def sync(self) -> None:
        self._durable = dict(self.entries)
        self._changes.clear()

    def lose_power(self, rng: Random) -> bool:
        kept = self._changes[: rng.randint(0, len(self._changes))]
        before = self.entries
        self.entries = self._durable
        for kind, name, node in kept:
            if kind == "remove":
                self.entries.pop(name, None)
                continue
            if kind != "put":
                self.entries.pop(kind.removeprefix("move "), None)
            assert node is not None
            self.entries[name] = node
        lost = self.entries != before
        self.sync()
        return lost

    def _change(self, change: tuple[str, str, Node | None]) -> None:
        kind, name, node = change
        self._changes.append(change)
        if kind == "remove":
            del self.entries[name]
        else:
            assert node is not None
            self.entries[name] = node


Node: TypeAlias = File | Directory
